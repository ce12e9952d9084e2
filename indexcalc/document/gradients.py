r"""Short names of gradients, ``dX``: the loss that they are of, which the document defines, or leaves unknown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.page import Page, names_in
from indexcalc.document.table import LOSS, Table
from indexcalc.proof.document.written.scripts import Named
from indexcalc.proof.document.written.trees import differentiated


def loss_of_gradients(table: Table, target: str) -> str:
    """The number whose gradients short names are: one that the document defines, else any function of what it has."""
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
    table.known.setdefault(LOSS, ())
    return LOSS


def last_names(page: Page, target: str) -> Iterator[str]:
    """The names without indices that rest on a tensor, and that other definitions at most differentiate."""
    read = Counter[str]()
    for tree in (tree for numbers in page.defining.values() for n in numbers for tree in page.statements[n].trees[1:]):
        read.update(found.name for found in names_in(page.survey, tree))
        read.subtract(found.name for node in differentiated(tree) if (found := page.survey.name(node)) is not None)
    for name, numbers in page.defining.items():
        if not read[name] and all(page.indexed(number) is None for number in numbers) and page.rests_on(name, target):
            yield name


def is_number(table: Table, name: str) -> bool:
    """Whether the definition of a name is read, and is a number."""
    if name in table.inside:
        return False
    if name not in table.known:
        table.meet(Named(name, None, (), transposed=False, primes=0, bold=False, start=0))
    return name in table.definitions and not table.known[name]
