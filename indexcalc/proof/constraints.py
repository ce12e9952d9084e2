"""What assumptions ask of random inputs: constant sums, slots that may change places, matrices that are definite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp

from indexcalc.algebra.terms import Access, Term
from indexcalc.errors import UnsupportedError
from indexcalc.program import Identity, Program
from indexcalc.proof.evaluate import Numbers, number
from indexcalc.proof.numeric import Array

GROUP_LIMIT = 720
"""The most orders of the slots of one tensor: all of six."""

ROUNDS = 200
"""How often several constraints on one tensor are imposed in turn, until all hold."""

TOLERANCE = 1e-12
"""How much an entry may change by then."""

SHARE = 0.2
"""The least eigenvalue that a random matrix is given, as a share of the largest: it is well conditioned."""

LEAST = 0.01
"""The least share with which a matrix is left as it is."""

Order = tuple[int, ...]
"""The slot that each slot of the other entry is read with: (1, 0) exchanges two slots."""


@dataclass(frozen=True, slots=True)
class SumConstraint:
    """The sum of an input over some of its axes equals a scalar."""

    tensor: str
    axes: tuple[int, ...]
    total: sp.Expr

    def imposed(self, array: Array, numbers: Numbers) -> Array:
        """The array scaled (or, for a total of zero, shifted) so that its sum over the axes is the total."""
        total = number(self.total, numbers)
        if total == 0:
            return np.asarray(array - array.mean(axis=self.axes, keepdims=True))
        return np.asarray(array * (total / array.sum(axis=self.axes, keepdims=True)))


@dataclass(frozen=True, slots=True)
class Symmetry:
    """An input is itself, or its negative, with its slots in other orders: ``A_ij = A_ji``, ``B_ij = -B_ji``.

    Attributes:
        tensor: the input.
        signs: the sign of each order, closed under composition.
    """

    tensor: str
    signs: Mapping[Order, int]

    def imposed(self, array: Array, numbers: Numbers) -> Array:
        """The part of the array that has the symmetry: its average over all orders."""
        parts = [sign * np.transpose(array, np.argsort(order)) for order, sign in self.signs.items()]
        return np.asarray(np.sum(parts, axis=0) / len(parts))


@dataclass(frozen=True, slots=True)
class Definite:
    """The matrices over two slots of an input are symmetric and positive definite."""

    tensor: str
    axes: tuple[int, int]

    def imposed(self, array: Array, numbers: Numbers) -> Array:
        """The symmetric parts of the matrices, with a multiple of the identity added where one is not definite."""
        matrices = np.moveaxis(array, self.axes, (-2, -1))
        matrices = (matrices + np.swapaxes(matrices, -1, -2)) / 2
        least, largest = self.ends(matrices)
        added = np.where(least >= LEAST * largest, 0.0, SHARE * np.where(largest > 0, largest, 1.0) - least)
        raised = matrices + added[..., np.newaxis, np.newaxis] * np.eye(matrices.shape[-1])
        return np.asarray(np.moveaxis(raised, (-2, -1), self.axes))

    def holds(self, array: Array) -> bool:
        """Whether the matrices are positive definite, by more than a rounding."""
        least, largest = self.ends(np.moveaxis(array, self.axes, (-2, -1)))
        return bool(np.all((least >= LEAST * largest / 2) & (largest > 0)))

    @staticmethod
    def ends(matrices: Array) -> tuple[Array, Array]:
        """The least eigenvalue of each symmetric matrix, and the largest absolute value of one."""
        values = np.linalg.eigvalsh(matrices)
        return values.min(axis=-1), np.abs(values).max(axis=-1)


Constraint = SumConstraint | Symmetry | Definite


def constraints_of(program: Program) -> tuple[Constraint, ...]:
    """The assumptions about inputs that random entries are made to satisfy; those of other forms are left out.

    Raises:
        UnsupportedError: if symmetries leave an input nothing but zeros, or give it too many orders of slots.
    """
    sums = (sum_constraint(program, identity) for identity in program.assumptions)
    return (*(found for found in sums if found is not None), *symmetries_of(program), *definite_of(program))


def sum_constraint(program: Program, identity: Identity) -> SumConstraint | None:
    """The assumption as ``sum over slots of one input = constant``, or None if it has another form."""
    if len(identity.left) != 1 or any(term.powers or term.summed for term in identity.right):
        return None
    (term,) = identity.left
    base = input_entry(program, term)
    if base is None:
        return None
    axes = tuple(base.slots.index(index) for index in term.summed)
    return SumConstraint(base.tensor, axes, sp.Add(*(part.coeff for part in identity.right)) / term.coeff)


def input_entry(program: Program, term: Term) -> Access | None:
    """The entry of an input, with distinct slots, of which the term is a multiple."""
    if len(term.powers) != 1 or term.powers[0][1] != 1 or term.coeff == 0:
        return None
    base = term.powers[0][0]
    inputs = {tensor.name for tensor in program.inputs}
    if not isinstance(base, Access) or base.tensor not in inputs or len(set(base.slots)) != len(base.slots):
        return None
    return base


def symmetries_of(program: Program) -> Iterator[Symmetry]:
    """All that is assumed of the slots of each input, at once."""
    found: dict[str, dict[Order, int]] = {}
    for identity in program.assumptions:
        exchange = exchanged(program, identity)
        if exchange is not None:
            tensor, order, sign = exchange
            generators = found.setdefault(tensor, {})
            if generators.setdefault(order, sign) != sign:
                raise UnsupportedError(f"the assumptions about {tensor} leave it nothing but zeros")
    for tensor, generators in found.items():
        yield Symmetry(tensor, closed(tensor, generators))


def definite_of(program: Program) -> Iterator[Definite]:
    """The inputs with positive definite matrices."""
    for identity in program.assumptions:
        exchange = exchanged(program, identity) if identity.definite else None
        if exchange is not None:
            tensor, order, _ = exchange
            row, column = (place for place, other in enumerate(order) if place != other)
            yield Definite(tensor, (row, column))


def exchanged(program: Program, identity: Identity) -> tuple[str, Order, int] | None:
    """``(tensor, order, sign)`` of ``A_ij = sign * A_ji``, on whichever side its terms stand; None for other forms."""
    negative = (Term(-term.coeff, term.powers, term.summed) for term in identity.right)
    terms = (*identity.left, *negative)
    if len(terms) != 2 or any(term.summed for term in terms):
        return None
    one, other = (input_entry(program, term) for term in terms)
    ratio = -terms[1].coeff / terms[0].coeff
    if one is None or other is None or one.tensor != other.tensor or ratio not in (1, -1):
        return None
    if set(one.slots) != set(other.slots):
        return None
    return one.tensor, tuple(one.slots.index(slot) for slot in other.slots), int(ratio)


def closed(tensor: str, generators: Mapping[Order, int]) -> dict[Order, int]:
    """All compositions of the orders, with their signs."""
    plain = tuple(range(len(next(iter(generators)))))
    signs = {plain: 1}
    pending = [plain]
    while pending:
        first = pending.pop()
        for second, sign in generators.items():
            both = tuple(first[position] for position in second)
            if both not in signs:
                signs[both] = signs[first] * sign
                pending.append(both)
            elif signs[both] != signs[first] * sign:
                raise UnsupportedError(f"the assumptions about {tensor} leave it nothing but zeros")
        if len(signs) > GROUP_LIMIT:
            raise UnsupportedError(f"the assumptions about {tensor} allow more than {GROUP_LIMIT} orders of its slots")
    return signs


def imposed(array: Array, constraints: Sequence[Constraint], numbers: Numbers) -> Array:
    """The array with one constraint imposed, or several in turn until nothing changes."""
    for _ in range(ROUNDS if len(constraints) > 1 else 1):
        before = array
        for constraint in constraints:
            array = constraint.imposed(array, numbers)
        if np.max(np.abs(array - before), initial=0.0) < TOLERANCE:
            break
    return array
