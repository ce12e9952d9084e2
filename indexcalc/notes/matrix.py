"""Expressions between whole arrays: matrices, column vectors and scalars."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import sympy as sp

from indexcalc.algebra.terms import Index


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole tensor, or its slice at fixed indices: a matrix, a column vector or a scalar.

    Attributes:
        tensor: its name.
        fixed: the index that each slot is fixed at, or None if it runs; running slots behind are left out, unless
            one stands before a fixed one.
    """

    tensor: str
    fixed: tuple[Index | None, ...] = ()


def slice_of(tensor: str, slots: Sequence[Index], fixed: Collection[Index]) -> Whole:
    """The tensor with some of its slots fixed; where one runs before a fixed one, all are said."""
    marks = [slot if slot in fixed else None for slot in slots]
    last = max((place for place, mark in enumerate(marks) if mark is not None), default=-1)
    return Whole(tensor, tuple(marks if None in marks[: max(last, 0)] else marks[: last + 1]))


@dataclass(frozen=True, slots=True)
class Ones:
    """The column vector of ones."""

    extent: sp.Expr


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity matrix."""

    extent: sp.Expr


@dataclass(frozen=True, slots=True)
class Transpose:
    """Rows and columns exchanged."""

    of: Matrix


@dataclass(frozen=True, slots=True)
class Product:
    """A matrix product; neighbours have a side in common."""

    factors: tuple[Matrix, ...]


@dataclass(frozen=True, slots=True)
class Hadamard:
    """A product entry by entry."""

    factors: tuple[Matrix, ...]


@dataclass(frozen=True, slots=True)
class EntryPower:
    """Every entry to a power."""

    of: Matrix
    exponent: sp.Expr


@dataclass(frozen=True, slots=True)
class NumberPower:
    """A number to a power."""

    of: Matrix
    exponent: sp.Expr


@dataclass(frozen=True, slots=True)
class EntryFunction:
    """A pointwise function of every entry."""

    name: str
    args: tuple[Matrix | sp.Expr, ...]


@dataclass(frozen=True, slots=True)
class Diagonal:
    """The diagonal matrix of a vector."""

    of: Matrix


@dataclass(frozen=True, slots=True)
class DiagonalOf:
    """The diagonal of a square matrix, as a column vector."""

    of: Matrix


@dataclass(frozen=True, slots=True)
class Scaled:
    """A scalar expression times an array."""

    coeff: sp.Expr
    of: Matrix


@dataclass(frozen=True, slots=True)
class Times:
    """A scalar tensor, or a product that is a scalar, times an array."""

    scalar: Matrix
    of: Matrix


@dataclass(frozen=True, slots=True)
class Slices:
    """A sum over indices at which the tensors inside are fixed: of products of slices."""

    indices: tuple[Index, ...]
    of: Matrix


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of arrays of one shape."""

    parts: tuple[Matrix, ...]


Matrix = (
    Whole
    | Ones
    | Identity
    | Transpose
    | Product
    | Hadamard
    | EntryPower
    | NumberPower
    | EntryFunction
    | Diagonal
    | DiagonalOf
    | Scaled
    | Times
    | Slices
    | Sum
)


def parts_of(matrix: Matrix) -> Iterator[Matrix]:
    """The expression and everything inside it, outermost first."""
    yield matrix
    inner: tuple[Matrix, ...] = ()
    match matrix:
        case Product(factors) | Hadamard(factors) | Sum(factors):
            inner = factors
        case Times(scalar, of):
            inner = (scalar, of)
        case Transpose(of) | EntryPower(of) | NumberPower(of) | Diagonal(of) | DiagonalOf(of):
            inner = (of,)
        case Scaled(_, of) | Slices(_, of):
            inner = (of,)
        case EntryFunction(_, args):
            inner = tuple(arg for arg in args if not isinstance(arg, sp.Expr))
    for part in inner:
        yield from parts_of(part)
