"""Formulas in Python: operators and functions that build the syntax tree a spec text would give.

``sum(Q[i, k] * K[j, k], k) / sp.sqrt(d)`` is read as it stands; nothing is computed before the
program is lowered, and scalars are SymPy expressions or numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from indexcalc.algebra.terms import Affine, Index
from indexcalc.errors import SpecError
from indexcalc.language.sympy_reader import read_sympy
from indexcalc.language.syntax import (
    Bracket,
    Call,
    Entry,
    Expression,
    Gradient,
    Layout,
    Negate,
    Over,
    Plus,
    Raise,
    Reduce,
    Scalar,
    Slot,
    Times,
    plain_or_fused,
    slot_of,
)

Axes = Any
"""What stands in the square brackets of an entry: indices and expressions, or tuples of indices fused into one axis."""

Operand = Any
"""A formula, a tensor without slots, a SymPy scalar, or a number; anything else is a `SpecError`."""


class Operators:
    """``+ - * / **`` on whatever has a syntax tree."""

    __slots__ = ()
    _op_priority = 1_000.0

    def tree(self) -> Expression:
        """The syntax tree."""
        raise NotImplementedError

    def __add__(self, other: Operand) -> Formula:
        return plus(self, other)

    def __radd__(self, other: Operand) -> Formula:
        return plus(other, self)

    def __sub__(self, other: Operand) -> Formula:
        return plus(self, Formula(Negate(tree_of(other))))

    def __rsub__(self, other: Operand) -> Formula:
        return plus(other, -self)

    def __mul__(self, other: Operand) -> Formula:
        return times(self, other)

    def __rmul__(self, other: Operand) -> Formula:
        return times(other, self)

    def __truediv__(self, other: Operand) -> Formula:
        return times(self, Formula(Over(tree_of(other))))

    def __rtruediv__(self, other: Operand) -> Formula:
        return times(other, Formula(Over(self.tree())))

    def __pow__(self, other: Operand) -> Formula:
        return Formula(Raise(self.tree(), tree_of(other)))

    def __rpow__(self, other: Operand) -> Formula:
        return Formula(Raise(tree_of(other), self.tree()))

    def __neg__(self) -> Formula:
        return Formula(Negate(self.tree()))

    def __pos__(self) -> Formula:
        return Formula(self.tree())

    def __gt__(self, other: Operand) -> Formula:
        return bracket(self, ">", other)

    def __ge__(self, other: Operand) -> Formula:
        return bracket(self, ">=", other)

    def __lt__(self, other: Operand) -> Formula:
        return bracket(self, "<", other)

    def __le__(self, other: Operand) -> Formula:
        return bracket(self, "<=", other)

    def __bool__(self) -> bool:
        raise SpecError(
            "a formula has no truth value; a relation of values is a factor as it stands, such as (x > y), "
            "and one of indices is written bracket(j, '<=', i)"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Formula(Operators):
    """An expression of the index language."""

    node: Expression

    def tree(self) -> Expression:
        """The syntax tree."""
        return self.node


@dataclass(frozen=True, slots=True)
class TensorName(Operators):
    """A tensor of a program: ``A[i, j]`` is its entry; without slots it is an operand itself."""

    name: str

    def __getitem__(self, indices: Axes) -> Formula:
        return Formula(Entry(self.name, slots_of(indices), layout=layout_of(indices)))

    def tree(self) -> Expression:
        """The bare name."""
        return Entry(self.name)


@dataclass(frozen=True, slots=True)
class GradientName(Operators):
    """The gradient dL/d(`of`), for identities to prove: ``gradient(S)[i, j]``."""

    of: str

    def __getitem__(self, indices: Axes) -> Formula:
        return Formula(Gradient(self.of, slots_of(indices), layout=layout_of(indices)))

    def tree(self) -> Expression:
        """The bare name."""
        return Gradient(self.of)


def slots_of(indices: Axes) -> tuple[Slot, ...]:
    """Index objects as slots.

    Raises:
        SpecError: for anything that is no index of a program, no expression of them, and no tuple of such.
    """
    axes = indices if isinstance(indices, tuple) else (indices,)
    return tuple(slot_from(held) for axis in axes for held in (axis if isinstance(axis, tuple) else (axis,)))


def slot_from(held: object) -> Slot:
    """What stands in one slot: an index, an expression of indices, a lookup such as ``tok[n]``, or a fixed place.

    Raises:
        SpecError: for anything else.
    """
    if isinstance(held, Index):
        return Slot(held.name)
    if isinstance(held, Affine):
        parts = [Times((Scalar(coeff), Entry(atom.name))) for atom, coeff in held.parts]
        return slot_of(Plus((*parts, Scalar(held.const))))
    if isinstance(held, Operators):
        return slot_of(held.tree())
    if isinstance(held, int | sp.Expr) and not isinstance(held, bool):
        return slot_of(Scalar(sp.sympify(held)))
    raise SpecError(f"a slot holds an index made by Program.index, not {held!r}, or an expression of such indices")


def layout_of(indices: Axes) -> Layout:
    """How the slots are grouped into axes: ``W[m, (h, k)]`` has two."""
    axes = indices if isinstance(indices, tuple) else (indices,)
    return plain_or_fused(tuple(len(axis) if isinstance(axis, tuple) else 1 for axis in axes))


def tree_of(value: Operand) -> Expression:
    """The syntax tree of an operand; a float is taken as the decimal number that it prints as.

    Raises:
        SpecError: for what is neither a formula nor a scalar.
    """
    if isinstance(value, Operators):
        return value.tree()
    if isinstance(value, sp.Expr):
        return read_sympy(value)
    if isinstance(value, Relational):
        return bracket(value.lhs, value.rel_op, value.rhs).node
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return Scalar(sp.Rational(value))
    if isinstance(value, float) and math.isfinite(value):
        return Scalar(sp.Rational(repr(value)))
    raise SpecError(f"expected a formula, a SymPy expression or a finite number, not {value!r}")


def plus(left: Operand, right: Operand) -> Formula:
    """``left + right``, flat where the left side is a sum already."""
    first, last = tree_of(left), tree_of(right)
    return Formula(Plus((*(first.parts if isinstance(first, Plus) else (first,)), last)))


def times(left: Operand, right: Operand) -> Formula:
    """``left * right``, flat where the left side is a product already."""
    first, last = tree_of(left), tree_of(right)
    return Formula(Times((*(first.factors if isinstance(first, Times) else (first,)), last)))


def apply(function: str, *args: Operand) -> Formula:
    """A pointwise function by its name in the table, such as ``apply("gelu", x)``."""
    return Formula(Call(function, tuple(tree_of(arg) for arg in args)))


def over(operator: str, body: Operand, *indices: Index) -> Formula:
    """``operator[indices](body)``: a sum, or a composite of the sugar table such as a mean."""
    return Formula(Reduce(operator, slots_of(indices), tree_of(body)))


def delta(left: Operand, right: Operand) -> Formula:
    """Kronecker's delta."""
    return bracket(left, "==", right)


def bracket(left: Operand, relation: str, right: Operand) -> Formula:
    """``[left relation right]``: 1 where the relation of indices, or of values, holds, else 0.

    Raises:
        SpecError: for a relation other than ``< <= > >= == !=``.
    """
    if relation not in ("<", "<=", ">", ">=", "==", "!="):
        raise SpecError(f"a relation is one of < <= > >= == !=, not {relation!r}")
    return Formula(Bracket(side_from(left), relation, side_from(right)))


def side_from(held: object) -> Slot:
    """A side of a bracket: what a slot may hold, or a number."""
    return slot_of(tree_of(held)) if isinstance(held, float | Fraction) else slot_from(held)


def gradient(tensor: TensorName | str) -> GradientName:
    """dL/d(tensor), to speak of in ``prove``."""
    return GradientName(tensor if isinstance(tensor, str) else tensor.name)
