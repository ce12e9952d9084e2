r"""Short names of gradients, ``dX``: the loss that they are of, which the document defines, or leaves unknown."""

from __future__ import annotations

from collections.abc import Iterator

from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.page import Page
from indexcalc.document.table import LOSS, Table
from indexcalc.proof.document.written.scripts import Named


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
    """The names without indices that rest on a tensor, and that no other definition reads."""
    read = frozenset(name for names in page.reads.values() for name in names)
    for name, numbers in page.defining.items():
        if name not in read and all(page.indexed(number) is None for number in numbers) and page.rests_on(name, target):
            yield name


def is_number(table: Table, name: str) -> bool:
    """Whether the definition of a name is read, and is a number."""
    if name in table.inside:
        return False
    if name not in table.known:
        table.meet(Named(name, None, (), transposed=False, primes=0, bold=False, start=0))
    return name in table.definitions and not table.known[name]
