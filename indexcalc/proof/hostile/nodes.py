"""The scalars of an unrolled program: what each is computed from, by the numbers of others."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp


@dataclass(frozen=True, slots=True)
class Leaf:
    """An entry of an input; entries are counted in row-major order."""

    tensor: str
    entry: int


@dataclass(frozen=True, slots=True)
class Number:
    """A coefficient, without symbols."""

    value: sp.Expr


@dataclass(frozen=True, slots=True)
class Sum:
    """The sum of some nodes; an entry of a computed tensor is one of its own, whatever it equals."""

    parts: tuple[int, ...]
    tensor: str = ""
    entry: int = 0


@dataclass(frozen=True, slots=True)
class Product:
    """The product of some nodes."""

    parts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Power:
    """A node to an exponent without symbols."""

    part: int
    exponent: sp.Expr


@dataclass(frozen=True, slots=True)
class Call:
    """A pointwise function of a node."""

    part: int
    name: str


@dataclass(frozen=True, slots=True)
class Sought:
    """An entry of an unknown as its own system reads it."""

    tensor: str
    entry: int


@dataclass(frozen=True, slots=True)
class Root:
    """An entry of an unknown as all others read it: where every residual of its system is zero.

    The entries of the residual, and of the unknown as they read it, stand before it.
    """

    tensor: str
    entry: int
    residuals: tuple[int, ...]
    sought: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MatrixDeterminant:
    """``det``, or ``log |det|``, of a square matrix, its entries row by row."""

    parts: tuple[int, ...]
    logarithm: bool


Node = Leaf | Number | Sum | Product | Power | Call | Sought | Root | MatrixDeterminant
