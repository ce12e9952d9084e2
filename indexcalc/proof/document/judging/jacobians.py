r"""``\frac{\partial y}{\partial x} = W``: derivatives of vectors by vectors, in the layout that the document keeps.

What is true in both layouts needs none. Else the layout is the one in which more of the document's statements
of this kind are true; a statement that is true only in the other one, or in none, is not judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from indexcalc.proof.document.judging.findings import Finding
from indexcalc.proof.document.judging.members import Members
from indexcalc.proof.document.judging.verdicts import TRUE, Verdict
from indexcalc.proof.document.meaning.nodes import Derivative
from indexcalc.proof.document.written.context import GRADIENT, JACOBIAN
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import Roles

LAYOUTS = {
    JACOBIAN: "the derivative of a vector by a vector has a row for each entry of the first",
    GRADIENT: "the derivative of a vector by a vector has a column for each entry of the first",
}
"""The layouts, each with what it assumes."""


class Judging(Protocol):
    """What is asked of a judge: the findings of a statement."""

    def under(self, statement: Statement, defines: bool) -> list[Finding]:
        """The findings under the likeliest reading that accuses least."""


def is_rate_of_vectors(roles: Roles, statement: Statement) -> bool:
    """Whether the first member is a derivative of a vector by a vector, and no other one is a gradient."""
    members = Members(roles, statement, local=False, unwritten=False)
    head = members.head
    if head is None or not head.jacobian or len(head.axes) != 2 or not isinstance(head.node, Derivative):
        return False
    return all(value is None or len(value.axes) == 2 for value in members.values[1:])


def votes(roles: Roles, judges: Mapping[str, Judging]) -> Iterator[str]:
    """For every statement of this kind that is true in one layout alone, that layout; a judge for each layout."""
    for statement in roles.statements:
        if len(statement.sides) < 2 or not is_rate_of_vectors(roles, statement):
            continue
        found = {layout: judges[layout].under(statement, False) for layout in LAYOUTS}
        true = [layout for layout in LAYOUTS if any(finding.verdict in TRUE for finding in found[layout])]
        if len(true) == 1:
            yield true[0]


def by_layout(judges: Mapping[str, Judging], statement: Statement, best: Sequence[Finding], kept: str) -> list[Finding]:
    """The findings, where what is not judged for want of a layout is true in the one that the document keeps."""
    found = {layout: judges[layout].under(statement, False) for layout in LAYOUTS}
    result = []
    for n, old in enumerate(best):
        true = [layout for layout in LAYOUTS if found[layout][n].verdict in TRUE]
        if old.verdict is not Verdict.SCHEMATIC or not true or (len(true) == 1 and true[0] != kept):
            result.append(old)
        else:
            assumed = () if len(true) > 1 else (LAYOUTS[kept],)
            new = found[true[0]][n]
            result.append(replace(new, verdict=Verdict.CONFIRMED, assumptions=(*new.assumptions, *assumed)))
    return result
