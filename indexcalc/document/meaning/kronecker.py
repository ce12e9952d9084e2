r"""Kronecker products and columns one below the other: arrays whose sides are each made of several axes.

``(A \otimes B)_{(ik)(jl)} = A_{ij} B_{kl}`` and ``vec(X)_{(ji)} = X_{ij}``: with all axes kept apart, no size has to be
divided, and every product is one of sums over plain indices. A side that is one axis doesn't meet one of several.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from indexcalc.document.meaning import typed
from indexcalc.document.meaning.nodes import (
    Applied,
    Determinant,
    Inverse,
    Meaning,
    Raised,
    Size,
    Times,
    between,
    free,
    times,
)
from indexcalc.document.meaning.sizes import Ix, Sizes
from indexcalc.document.meaning.symbols import NotUnderstoodError, RankError
from indexcalc.document.meaning.typed import COLUMN, ROW, Side, Typed, meet, sides


def kronecker(left: Typed, right: Typed) -> Typed:
    """The Kronecker product: of matrices, of vectors, or of both."""
    if not left.axes or not right.axes:
        raise NotUnderstoodError("a Kronecker product with a number")
    (above, before), (below, behind) = rows_and_columns(left), rows_and_columns(right)
    return made(times(left.node, right.node), (*above, *below), (*before, *behind))


def stacked(value: Typed, *, by_rows: bool = False) -> Typed:
    """The columns of a matrix one below the other, or its rows; a vector is its own."""
    rows, columns = rows_and_columns(value)
    return made(value.node, (*rows, *columns) if by_rows else (*columns, *rows), ())


def rows_and_columns(value: Typed) -> tuple[Side, Side]:
    """The axes along a column, and those along a row."""
    found = sides(value)
    if not 0 < len(found) <= 2 or value.jacobian:
        raise RankError(f"a Kronecker product of an array with {len(found)} axes")
    if len(found) == 1:
        return (found[0], ()) if value.orientation == COLUMN else ((), found[0])
    return found[0], found[1]


def made(node: Meaning, rows: Side, columns: Side) -> Typed:
    """A matrix of these axes; without rows or columns a vector."""
    both = [side for side in (rows, columns) if side]
    groups = tuple(map(len, both)) if any(len(side) > 1 for side in both) else ()
    return Typed(node, tuple(chain(*both)), COLUMN if rows else ROW, groups=groups)


def pairs(value: Typed, sizes: Sizes, what: str) -> list[tuple[Ix, Ix, Meaning]]:
    """Each factor of a Kronecker product of square matrices, with its row and its column.

    Raises:
        NotUnderstoodError: for what is no such product.
    """
    rows, columns = rows_and_columns(value)
    if len(rows) != len(columns):
        raise RankError(f"the {what} of what is no matrix")
    factors = value.node.factors if isinstance(value.node, Times) else (value.node,)
    parts: list[list[Meaning]] = [[] for _ in rows]
    for factor in factors:
        held = [n for n, pair in enumerate(zip(rows, columns, strict=True)) if set(pair) & set(free(factor))]
        if len(held) > 1:
            raise NotUnderstoodError(f"the {what} of a sum of Kronecker products")
        parts[held[0] if held else 0].append(factor)
    meet(rows, columns, sizes)
    return [(row, column, times(*own)) for row, column, own in zip(rows, columns, parts, strict=True)]


def inverse(value: Typed, sizes: Sizes) -> Typed:
    """The inverse of a matrix; ``(A ⊗ B)^{-1} = A^{-1} ⊗ B^{-1}``, which is how it is computed."""
    if not value.groups:
        return typed.inverse(value, sizes)
    rows, columns, factors = list[Ix](), list[Ix](), list[Meaning]()
    for row, column, node in pairs(value, sizes, "inverse"):
        rows.append(sizes.like(row))
        columns.append(sizes.like(column))
        factors.append(Inverse(node, (row, column), (rows[-1], columns[-1])))
    return made(times(*factors), tuple(rows), tuple(columns))


def determinant(value: Typed, sizes: Sizes) -> Typed:
    """The determinant of a matrix; ``det(A ⊗ B) = det(A)^n det(B)^m``, with the sizes m of A and n of B."""
    if not value.groups:
        return typed.determinant(value, sizes)
    found = pairs(value, sizes, "determinant")
    factors = []
    for number, (row, column, node) in enumerate(found):
        others = [Size(other) for place, (other, _, _) in enumerate(found) if place != number]
        factors.append(Raised(Determinant(node, (row, column)), times(*others)))
    return Typed(times(*factors))


def logarithm_of_determinant(value: Typed, sizes: Sizes) -> Typed:
    """The logarithm of the absolute value of the determinant of a matrix."""
    found = determinant(value, sizes)
    return replace(found, node=Applied("log", Applied("abs", found.node)))


def diagonal(value: Typed, sizes: Sizes) -> Typed:
    """The diagonal matrix of a vector; of a matrix, the vector of its diagonal."""
    if not value.groups:
        return typed.diagonal(value, sizes)
    if len(sides(value)) != 1:
        raise NotUnderstoodError("the diagonal of a Kronecker product")
    (side,) = sides(value)
    others = tuple(sizes.like(axis) for axis in side)
    deltas: Sequence[Meaning] = [between(one, "==", other) for one, other in zip(side, others, strict=True)]
    return made(times(value.node, *deltas), side, others)
