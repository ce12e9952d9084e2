"""Inverses and determinants of small matrices of wide numbers, by elimination: the hostile oracle's own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

from indexcalc.proof.hostile.wide import NAN, ONE, ZERO, logarithm

Matrix = Sequence[Sequence[Decimal]]


def inverse(matrix: Matrix) -> list[list[Decimal]]:
    """The inverse of a square matrix; not a number throughout if it has none."""
    size = len(matrix)
    joint = [[*row, *(ONE if n == place else ZERO for n in range(size))] for place, row in enumerate(matrix)]
    for column in range(size):
        pivot = largest_below(joint, column)
        if pivot is None:
            return [[NAN] * size for _ in range(size)]
        joint[column], joint[pivot] = joint[pivot], joint[column]
        joint[column] = [value / joint[column][column] for value in joint[column]]
        for row in range(size):
            factor = joint[row][column]
            if row != column and factor:
                joint[row] = [a - factor * b for a, b in zip(joint[row], joint[column], strict=True)]
    return [row[size:] for row in joint]


def determinant(matrix: Matrix) -> tuple[Decimal, Decimal]:
    """``det`` of a square matrix, and the absolute terms that rounding takes its share of.

    Libraries multiply the pivots, or take the exponential of the sum of their logarithms. So these are the determinant
    times how many pivots there are, and times the sum of their absolute logarithms.
    """
    value = math.prod(pivots(matrix), start=ONE)
    return value, abs(value) * (len(matrix) + log_determinant(matrix)[1])


def log_determinant(matrix: Matrix) -> tuple[Decimal, Decimal]:
    """``log |det|`` of a square matrix, and the sum of the absolute logarithms of its pivots."""
    parts = [logarithm(abs(pivot)) for pivot in pivots(matrix)]
    return sum(parts, ZERO), sum(map(abs, parts), ZERO)


def pivots(matrix: Matrix) -> list[Decimal]:
    """The pivots of a square matrix, negated where rows change places; none is a number if the matrix is singular."""
    joint, found = [list(row) for row in matrix], list[Decimal]()
    for column in range(len(joint)):
        pivot = largest_below(joint, column)
        if pivot is None:
            return [NAN] * len(joint)
        joint[column], joint[pivot] = joint[pivot], joint[column]
        top = joint[column]
        for row in range(column + 1, len(joint)):
            factor = joint[row][column] / top[column]
            joint[row] = [a - factor * b for a, b in zip(joint[row], top, strict=True)]
        found.append(top[column] if pivot == column else -top[column])
    return found


def largest_below(matrix: Matrix, column: int) -> int | None:
    """The row, from the diagonal down, with the largest entry of a column; None if there is none but zeros."""
    rows = range(column, len(matrix))
    if not all(matrix[row][column].is_finite() for row in rows):
        return None
    found = max(rows, key=lambda row: abs(matrix[row][column]))
    return found if matrix[found][column] else None


def condition(matrix: Matrix, inverted: Matrix) -> Decimal:
    """The condition number in the norm of the largest sum of absolute entries of a row."""
    return norm(matrix) * norm(inverted)


def norm(matrix: Matrix) -> Decimal:
    """The largest sum of absolute entries of a row."""
    return max((sum(map(abs, row), ZERO) for row in matrix), default=ZERO)
