"""Lists in brackets: numbers are the entries of a column, arrays lie below or beside each other."""

from __future__ import annotations

from collections.abc import Sequence

from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.literals import column
from indexcalc.document.meaning.blocks import of_blocks
from indexcalc.document.meaning.symbols import NotUnderstoodError
from indexcalc.document.meaning.typed import COLUMN, ROW, Typed
from indexcalc.document.table import Table

VECTORS = choice(
    Kind.WORD,
    "vectors in square brackets",
    Option("below", 0.0, "vectors in square brackets stand one below the other"),
    Option("beside", 0.1, "vectors in square brackets are the columns of a matrix"),
)
"""How the vectors of a list lie."""


def listed(table: Table, bracket: str, values: Sequence[Typed]) -> Typed:
    """The array that a list in brackets is."""
    if not any(value.axes for value in values):
        return column(values, table.sizes)
    vectors = all(len(value.axes) < 2 and value.orientation == COLUMN for value in values)
    rows = all(not value.axes or (len(value.axes) == 1 and value.orientation == ROW) for value in values)
    if bracket == "(" and not vectors and not rows:
        raise NotUnderstoodError("a list of matrices")
    if vectors and (bracket == "(" or table.asking(VECTORS).name == "below"):
        return of_blocks([[value] for value in values], table.sizes)
    return of_blocks([values], table.sizes)
