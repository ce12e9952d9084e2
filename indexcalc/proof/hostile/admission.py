"""What is assumed and declared of inputs, brought about exactly, in numbers of float32.

Mild inputs satisfy assumptions up to a rounding of float64. Here every format must see the same numbers, and a
gradient that was derived from an assumption is judged by a function that knows of none: so it holds to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from indexcalc.program import Program
from indexcalc.proof.constraints import Constraint, Definite, SumConstraint, constraints_of
from indexcalc.proof.evaluate import Numbers, number
from indexcalc.proof.numeric import Array

DEPTH = 18
"""Entries with a given sum are multiples of a power of two that lies so many bits below the largest: sums are exact."""

LEAST = 2.0**-20
"""How near to an end of its domain that does not belong to it an entry comes, if the end is zero."""


class InadmissibleError(Exception):
    """Inputs for which what is assumed or declared cannot hold exactly."""


@dataclass(frozen=True)
class Rule:
    """What holds for the entries of one input.

    Attributes:
        constraints: sums, symmetries and definite matrices.
        low: the least entry.
        high: the largest entry.
        numbers: the values of extents and parameters.
    """

    constraints: tuple[Constraint, ...]
    low: float
    high: float
    numbers: Numbers

    def cuts(self, array: Array) -> bool:
        """Whether some entries lie outside the domain."""
        return bool(np.any((array < self.low) | (array > self.high)))

    def admitted(self, array: Array) -> Array:
        """The array in float32, with the least change after which all holds.

        Raises:
            InadmissibleError: if not all can hold at once.
        """
        found = np.clip(array, self.low, self.high)
        # A symmetry last: the mean over orders of slots keeps a sum over all of them.
        for constraint in sorted(self.constraints, key=lambda c: not isinstance(c, SumConstraint)):
            if isinstance(constraint, SumConstraint):
                found = exactly_summing(found, constraint.axes, number(constraint.total, self.numbers))
            elif not isinstance(constraint, Definite):
                found = constraint.imposed(found, self.numbers)
        single = np.asarray(found, dtype=np.float32)
        if not all(self.holds(constraint, single.astype(float)) for constraint in self.constraints):
            raise InadmissibleError("what is assumed does not hold exactly")
        if not np.all((single >= self.low) & (single <= self.high)):
            raise InadmissibleError("what is assumed leaves the domain")
        return single

    def holds(self, constraint: Constraint, array: Array) -> bool:
        """Whether a constraint holds to the last bit."""
        if isinstance(constraint, SumConstraint):
            return bool(np.all(array.sum(axis=constraint.axes) == number(constraint.total, self.numbers)))
        if isinstance(constraint, Definite):
            # A point is said to be what its change makes of the input: so no multiple of the identity is added.
            return constraint.holds(array)
        return bool(np.array_equal(constraint.imposed(array, self.numbers), array))


def rules_of(program: Program, numbers: Numbers) -> Mapping[str, Rule]:
    """What holds for each input."""
    found: dict[str, list[Constraint]] = {tensor.name: [] for tensor in program.inputs}
    for constraint in constraints_of(program):
        found[constraint.tensor].append(constraint)
    rules = {}
    for tensor in program.inputs:
        low, high = -np.inf, np.inf
        if tensor.domain is not None:
            low = inner(float(tensor.domain.start), np.inf, is_open=bool(tensor.domain.left_open))
            high = inner(float(tensor.domain.end), -np.inf, is_open=bool(tensor.domain.right_open))
        rules[tensor.name] = Rule(tuple(found[tensor.name]), low, high, numbers)
    return rules


def inner(end: float, towards: float, *, is_open: bool) -> float:
    """The end of a domain, or the number of float32 next to it inside."""
    if not np.isfinite(end):
        return end
    single = np.float32(end)
    outside = single < end if towards > 0 else single > end
    if not (is_open or outside):
        return float(single)
    if end == 0:
        return float(np.copysign(LEAST, towards))
    return float(np.nextafter(single, np.float32(towards)))


def exactly_summing(array: Array, axes: tuple[int, ...], total: float) -> Array:
    """The array scaled (or, for a total of zero, shifted) so that its sums over the axes are `total` without rounding.

    Where the entries of a sum are all zero, they become alike.
    """
    sums = array.sum(axis=axes, keepdims=True)
    if total == 0:
        even = array - array.mean(axis=axes, keepdims=True)
    else:
        array = np.where(sums == 0, 1.0, array)
        even = array * (total / array.sum(axis=axes, keepdims=True))
    grid = 2.0 ** (np.frexp(np.max(np.abs(even), initial=1.0))[1] - DEPTH)
    even = np.round(even / grid) * grid
    # The largest entry takes what rounding left over: it can bear it, whatever its domain.
    front = np.moveaxis(even, axes, range(len(axes)))
    flat = front.reshape(-1, *front.shape[len(axes) :]).copy()
    rest = total - flat.sum(axis=0, keepdims=True)
    largest = np.abs(flat).argmax(axis=0)[np.newaxis]
    np.put_along_axis(flat, largest, np.take_along_axis(flat, largest, 0) + rest, 0)
    return np.asarray(np.moveaxis(flat.reshape(front.shape), range(len(axes)), axes))
