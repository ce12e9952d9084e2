"""Arrays written out entry by entry, what brackets say of values, and values that hold under a condition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from indexcalc.document.choices import Kind, Option, choice
from indexcalc.document.meaning import kronecker, typed
from indexcalc.document.meaning.blocks import of_blocks
from indexcalc.document.meaning.nodes import (
    HALF,
    ONE,
    TWO,
    Applied,
    Entry,
    Meaning,
    Plus,
    Size,
    between,
    negated,
    times,
)
from indexcalc.document.meaning.sizes import Ix, Sizes
from indexcalc.document.meaning.symbols import NotUnderstoodError
from indexcalc.document.meaning.typed import COLUMN, ROW, Typed
from indexcalc.document.statements.limits import count_of
from indexcalc.document.table import Table
from indexcalc.language.latex.tree import ANGLE, NORM

BARS = choice(
    Kind.WORD,
    "bars around a vector",
    Option("length", 0.0, "bars around a vector say its length"),
    Option("entries", 0.1, "bars around a vector are around each of its entries"),
)
"""What ``|v|`` is."""


def bracketed(table: Table, bracket: str, values: Sequence[Typed]) -> Typed:
    """What stands in brackets of a kind: one value, or an inner product."""
    sizes = table.sizes
    if bracket == ANGLE and len(values) == 2:
        return typed.inner(values[0], values[1], sizes)
    if len(values) != 1:
        raise NotUnderstoodError("a list in brackets")
    (value,) = values
    if bracket == "|" and isinstance(value.node, Entry) and value.node.name in table.page.index_sets:
        return Typed(Size(sizes.named(count_of(value.node.name))))
    if bracket == NORM:
        return typed.norm(value, "F" if len(typed.sides(value)) == 2 else "")
    if bracket == "|" and len(typed.sides(value)) == 2:
        return kronecker.determinant(value, sizes)
    if bracket == "|" and value.axes and table.asking(BARS).name == "length":
        return typed.norm(value)
    return replace(value, node=Applied("abs", value.node)) if bracket == "|" else value


def column(values: Sequence[Typed], sizes: Sizes) -> Typed:
    """The column of some numbers."""
    return array([[value] for value in values], sizes)


def array(rows: Sequence[Sequence[Typed]], sizes: Sizes) -> Typed:
    """The matrix of some numbers, or of blocks; a vector if it has one row or one column."""
    if any(value.axes for row in rows for value in row):
        return of_blocks(rows, sizes)
    if len({len(row) for row in rows}) > 1:
        raise NotUnderstoodError("a matrix whose rows have several lengths")
    height, width = len(rows), len(rows[0])
    row, column = (sizes.measured(length) for length in (height, width))
    terms = []
    for i, values in enumerate(rows, 1):
        for j, value in enumerate(values, 1):
            places = ((row, i, height), (column, j, width))
            here = (stands_at(axis, place, sizes) for axis, place, length in places if length > 1)
            terms.append(times(*here, value.node))
    axes = tuple(axis for axis, length in ((row, height), (column, width)) if length > 1)
    return Typed(Plus(tuple(terms)) if len(terms) > 1 else terms[0], axes, ROW if height == 1 < width else COLUMN)


def stands_at(axis: Ix, place: int, sizes: Sizes) -> Meaning:
    """One where an index has a value, else zero."""
    fixed = sizes.fresh(str(place), fixed=place)
    sizes.unify(fixed, axis)
    return between(axis, "==", fixed)


def largest(values: Sequence[Typed], sizes: Sizes, sign: int) -> Typed:
    """The largest of some numbers or arrays, entry by entry; with the sign -1 the smallest."""
    if len(values) > 2:
        values = (largest(values[:-1], sizes, sign), values[-1])
    one, other = (value if sign > 0 else minus(value) for value in values)
    gap = typed.added([one, minus(other)], sizes)
    over = Typed(Applied("relu", gap.node), gap.axes, gap.orientation)
    found = typed.added([over, other], sizes)
    return found if sign > 0 else minus(found)


def clipped(values: Sequence[Typed], sizes: Sizes) -> Typed:
    """The first number, or the end of the interval between the others that lies nearest to it."""
    value, low, high = values
    return largest((largest((value, low), sizes, 1), high), sizes, -1)


def chosen(values: Sequence[Typed], sizes: Sizes) -> Typed:
    """The second number where the first, which is one or zero, is one; else the third."""
    condition, one, other = values
    rest = typed.added([Typed(ONE), minus(condition)], sizes)
    return typed.added([typed.entrywise(condition, one, sizes), typed.entrywise(rest, other, sizes)], sizes)


def angle(values: Sequence[Typed], sizes: Sizes) -> Typed:
    """The angle of the point (x, y): ``2 atan(y / (sqrt(x^2 + y^2) + x))``."""
    y, x = values
    squares = typed.added([typed.raised(x, TWO), typed.raised(y, TWO)], sizes)
    tangent = typed.divided(y, typed.added([typed.raised(squares, HALF), x], sizes), sizes)
    return replace(tangent, node=times(TWO, Applied("atan", tangent.node)))


def minus(value: Typed) -> Typed:
    """Minus a value."""
    return Typed(negated(value.node), value.axes, value.orientation)


def branched(branches: Sequence[tuple[Typed, Sequence[Meaning]]], sizes: Sizes) -> Typed:
    """The value of the one branch whose conditions hold; a branch without any holds where none before it does."""
    values: list[Typed] = []
    before: list[Meaning] = []
    for value, conditions in branches:
        holds = times(*(conditions or (absent(one) for one in before)))
        before.append(holds)
        values.append(typed.product(Typed(holds), value, sizes))
    return typed.added(values, sizes)


def absent(condition: Meaning) -> Meaning:
    """One where a condition does not hold."""
    return Plus((ONE, negated(condition)))


def between_letters(left: Ix, relation: str, right: Ix) -> Meaning:
    """One where a relation between two indices holds, else zero."""
    one, other = (right, left) if relation in (">", ">=") else (left, right)
    return between(one, {"=": "==", ">": "<", ">=": "<="}.get(relation, relation), other)


def between_numbers(left: Typed, relation: str, right: Typed, sizes: Sizes) -> Typed:
    """One where a number is larger or smaller than another, else zero."""
    if relation not in ("<", "<=", ">", ">="):
        raise NotUnderstoodError("a condition that two numbers are equal")
    above, below = (left, right) if relation in (">", ">=") else (right, left)
    gap = typed.added([above, minus(below)], sizes)
    return Typed(Applied("step", gap.node), gap.axes, gap.orientation)
