r"""Parts of square arrays that are written out, ``A_{21}`` and ``A_{12}``: of a symmetric one each is a transpose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from indexcalc.document.statements.outline import Statement
from indexcalc.document.statements.scripts import Named
from indexcalc.document.statements.survey import Survey
from indexcalc.language.latex.tree import Matrix


def mirrored_parts(
    survey: Survey, statements: Sequence[Statement], heads: Sequence[Named | None]
) -> Mapping[str, tuple[str, str]]:
    """The parts on the diagonal and below it, each with the name of the whole and that of its mirror image."""
    found: dict[str, tuple[str, str]] = {}
    for statement, head in zip(statements, heads, strict=True):
        tree = statement.sides[1].tree if len(statement.sides) > 1 else None
        if head is None or head.parts is not None or tree is None or not isinstance(tree.lone, Matrix):
            continue
        cells = [[survey.lone(cell) for cell in row] for row in tree.lone.rows]
        names = [
            [one.name if one is not None and one.is_plain and not one.parts else "" for one in row] for row in cells
        ]
        every = [name for row in names for name in row]
        if all(every) and len(set(every)) == len(every) and all(len(row) == len(names) for row in names):
            below = ((row, column) for row in range(len(names)) for column in range(row + 1))
            found.update({names[row][column]: (head.name, names[column][row]) for row, column in below})
    return found
