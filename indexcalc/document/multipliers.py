r"""Multipliers of what is left of systems: ``L + \lambda \cdot r`` does not change with what the system determines.

With them added, which changes nothing, since ``r`` is zero, the gradient by ``r`` is ``\lambda``.
"""

from __future__ import annotations

from collections.abc import Sequence

from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.meaning.nodes import Entry, names_of
from indexcalc.document.meaning.sizes import Ix
from indexcalc.document.statements.scripts import Named
from indexcalc.document.table import Table


def solved_by(table: Table, name: str) -> str:
    """What a system determines of which a name is what is left; empty if it is no such name.

    It is made of the same names as the equation of the solution, the solution among them.
    """
    page, found = table.page, table.definitions.get(name)
    own = frozenset(names_of(found.body)) if found is not None else frozenset()
    for solved in sorted(own & table.definitions.keys()):
        follows = page.may_follow.get(solved)
        for number in (*page.systems.get(solved, ()), *(() if follows is None else (follows,))):
            names = {one.name for tree in page.statements[number].trees for one in page.survey.names(tree)}
            if table.definitions[solved].line == page.line(number) and own == names:
                return solved
    return ""


def multiplier(table: Table, name: str, axes: Sequence[Ix]) -> Entry | None:
    """The gradient by what is left of a system at some axes: a name beside it, or what another system determines.

    None if the document does not say so.

    Raises:
        ShapeError: if the name has other sizes.
    """
    solved, page = solved_by(table, name), table.page
    if not solved:
        return None
    beside = (one.name for tree in page.statements[table.number].trees for one in page.survey.names(tree))
    computed = (other for other in beside if other in page.defining or other in page.systems)
    others = [
        other
        for other in dict.fromkeys((*page.systems, *computed))
        if other not in (name, solved) and len(axes) in page.survey.usages[other].indexed
    ]
    if not others:
        return None
    asked = choice(
        Kind.DERIVATIVE,
        f"the loss by {name}",
        Option("none", 0.0, f"no loss depends on {name}"),
        *(Option(other, 0.1, f"{other} is the multiplier of {name}") for other in others),
    )
    chosen = table.asking(asked).name
    if chosen == "none":
        return None
    _, slots = table.symbol(Named(chosen, None, (), False, 0, False, -1))
    if len(slots) != len(axes):
        return None
    for slot, axis in zip(slots, axes, strict=True):
        table.sizes.unify(slot, axis)
    return Entry(chosen, tuple(axes))
