r"""Short gradients, ``dX``, ``\nabla X``, ``\nabla_X``: the loss that they are of, which a document defines or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.page import Page
from indexcalc.document.statements.scripts import Named
from indexcalc.document.table import Table

LOSS = "loss"
"""The loss of a document that has only short names of its gradients, such as dX."""


def loss_of_gradients(table: Table, short: str, target: str) -> str:
    """The number whose gradient a short name is: one that is stated or defined, or the one that is differentiated.

    Else it is any function of what is there.
    """
    stated = table.page.stated_gradient(short)
    if stated is not None:
        if stated[1] not in table.page.defining or not is_number(table, stated[1]):
            table.known.setdefault(stated[1], ())
        return stated[1]
    losses = [name for name in last_names(table.page, target) if is_number(table, name)]
    if losses:
        question = choice(
            Kind.DERIVATIVE,
            "short names of gradients",
            *(Option(name, 0.05 * place, f"short names are gradients of {name}") for place, name in enumerate(losses)),
            Option("unknown", 0.3, "short names are gradients of a loss that is not defined", free=True),
        )
        chosen = table.asking(question).name
        if chosen != "unknown":
            return chosen
    name = usual_loss(table.page)
    if name is None or name in table.definitions:
        name = LOSS
    table.known.setdefault(name, ())
    return name


def is_of_loss(table: Table) -> bool:
    r"""Whether a nabla alone before an array, ``\nabla X``, is a gradient by it; other nablas may speak against it."""
    operates = table.page.survey.nablas.operate
    field, gradient = "differentiates a field", "is the gradient of the loss by it"
    question = choice(
        Kind.DERIVATIVE,
        "a nabla alone before an array",
        Option("gradient", 0.3 * operates, f"a nabla alone before an array {gradient}", free=not operates),
        Option("field", 0.1 * (not operates), f"a nabla alone before an array {field}", free=operates),
    )
    return table.asking(question).name == "gradient"


def is_before_factors(table: Table) -> bool:
    r"""Whether a nabla with its variable, ``\nabla_y x^\top``, is a gradient, and multiplies the array behind it."""
    question = choice(
        Kind.DERIVATIVE,
        "a nabla with its variable before an array",
        Option("factor", 0.0, "a nabla with its variable is the gradient of the loss, and multiplies an array"),
        Option("sign", 0.1, "a nabla with its variable differentiates an array", free=True),
    )
    return table.page.survey.nablas.named and table.asking(question).name == "factor"


def usual_loss(page: Page) -> str | None:
    """What is differentiated by more names of the page than anything else that definitions at most differentiate."""
    slopes = {(above.name, below.name) for one in page.slopes for above, below in one if above.parts is None}
    most = Counter(above for above, _ in slopes if not page.definitions.read_as_values[above]).most_common(2)
    return most[0][0] if most and most[0][1] > sum(count for _, count in most[1:]) else None


def last_names(page: Page, target: str) -> Iterator[str]:
    """The names without indices that rest on a tensor, and that other definitions at most differentiate."""
    for name, numbers in page.defining.items():
        last = not page.definitions.read_as_values[name] and all(page.indexed(number) is None for number in numbers)
        if last and page.definitions.rests_on(name, target):
            yield name


def is_number(table: Table, name: str) -> bool:
    """Whether the definition of a name is read, and is a number."""
    if name in table.inside:
        return False
    if name not in table.known:
        table.meet(Named(name, None, (), transposed=False, primes=0, bold=False, start=0))
    return name in table.definitions and not table.known[name]
