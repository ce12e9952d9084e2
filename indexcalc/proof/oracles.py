"""Gradients by numbers alone: complex step and central differences through the naive evaluator.

Nothing here knows the rules of differentiation. A derivative by a tensor perturbs its entries one at
a time (one lane an entry) and evaluates the rest of the program again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import sympy as sp

from indexcalc.algebra.terms import Fn, Index, Terms, walk
from indexcalc.program import Program
from indexcalc.proof.evaluate import Environment, Numbers, evaluate_lanes, numbers_of, run_lanes, size_of
from indexcalc.proof.numeric import Array, numeric_of

COMPLEX_STEP = 1e-30
"""The imaginary step: so small that the second order vanishes in double precision."""

CENTRAL_STEP = 2e-4
"""The real step, in units of max(1, |x|): with one Richardson extrapolation the error is near 1e-11."""

LANE_POINTS = 2_000_000
"""Grid points evaluated at once; more entries are taken in several batches."""

BOUNDS: Mapping[str, float] = {"complex step": 1e-9, "central differences": 1e-6}
"""The relative error at which a gradient counts as refuted, by method."""


@dataclass(frozen=True)
class Point:
    """A program's tensors at one point of its domain: every tensor by name, sizes, parameters."""

    values: Mapping[str, Array]
    sizes: Mapping[sp.Symbol, int]
    parameters: Mapping[sp.Symbol, float] = field(default_factory=dict)

    @property
    def numbers(self) -> Numbers:
        """Extents and parameters in one table."""
        return numbers_of(self.sizes, self.parameters)


def method_for(program: Program) -> str:
    """The most exact method that every function of the program allows."""
    functions = {base.name for eq in program.equations for base in walk(eq.terms) if isinstance(base, Fn)}
    analytic = all(numeric_of(name).analytic for name in sorted(functions))
    return "complex step" if analytic else "central differences"


def total_gradient(
    program: Program, point: Point, weights: Mapping[str, Array], wrt: str, *, method: str | None = None
) -> Array:
    """dL/d(`wrt`) for L = sum over the tensors in `weights` of sum(weight * tensor).

    Args:
        program: the forward program.
        point: the value of every tensor.
        weights: the upstream gradient of each output; for a loss tensor, 1.
        wrt: an input or an intermediate; it is perturbed, and all that follows is computed again.
        method: `complex step` or `central differences`; by default what the program allows.
    """

    def loss(perturbed: Array) -> Array:
        given = {tensor.name: lane(point.values[tensor.name]) for tensor in program.inputs}
        values = run_lanes(program, {**given, wrt: perturbed}, point.numbers)
        parts = [per_lane(values[name] * lane(weight)) for name, weight in weights.items()]
        return np.asarray(sum(parts))[:, np.newaxis]

    gradient = differentiate(loss, point.values[wrt], method or method_for(program), largest_grid(program, point))
    return gradient.reshape(np.shape(point.values[wrt]))


def local_jacobian(
    program: Program, point: Point, of: str, wrt: str, through: frozenset[str], *, method: str | None = None
) -> Array:
    """d(`of`)/d(`wrt`) through the equations of `of` and of the tensors in `through` alone.

    Every other tensor is held at its value. The array has the slots of `of`, then those of `wrt`.
    """
    equation = program.definitions.get(of)
    if equation is None or of == wrt:
        size, shape = np.size(point.values[of]), np.shape(point.values[of])
        return np.eye(size).reshape(shape + shape) if of == wrt else np.zeros(shape + np.shape(point.values[wrt]))
    return expression_jacobian(program, point, equation.terms, equation.lhs.slots, wrt, through=through, method=method)


def expression_jacobian(
    program: Program,
    point: Point,
    terms: Terms,
    free: tuple[Index, ...],
    wrt: str,
    *,
    through: frozenset[str],
    method: str | None = None,
) -> Array:
    """The derivative of the value of `terms` by the entries of `wrt`; see `local_jacobian`.

    The array has the axes `free`, then the slots of `wrt`.
    """

    def value(perturbed: Array) -> Array:
        held = {name: lane(array) for name, array in point.values.items() if name not in through}
        held.update({tensor.name: lane(point.values[tensor.name]) for tensor in program.inputs})
        values = run_lanes(program, {**held, wrt: perturbed}, point.numbers)
        result = evaluate_lanes(terms, free, Environment(values, point.numbers))
        return result.reshape(result.shape[0], -1)

    jacobian = differentiate(value, point.values[wrt], method or method_for(program), largest_grid(program, point))
    shape = tuple(size_of(index, point.numbers) for index in free)
    return np.moveaxis(jacobian, 0, -1).reshape(shape + np.shape(point.values[wrt]))


def differentiate(function: Callable[[Array], Array], at: Array, method: str, grid: int) -> Array:
    """The derivative of each component by each entry: an array (entries, components).

    `function` maps a batch of arrays, the lane axis first, to (lanes, components).
    """
    at = np.asarray(at, dtype=float)
    batch = max(1, LANE_POINTS // max(1, grid))
    rows = [METHODS[method](function, at, range(s, min(s + batch, at.size))) for s in range(0, at.size, batch)]
    return np.concatenate(rows)


def complex_step(function: Callable[[Array], Array], at: Array, entries: range) -> Array:
    """Im f(x + ih) / h: exact to rounding where f is analytic (Squire and Trapp, 1998)."""
    steps = units(at, entries) * (1j * COMPLEX_STEP)
    result = function(at + steps)
    return np.broadcast_to(result.imag / COMPLEX_STEP, (len(entries), result.shape[1]))


def central_differences(function: Callable[[Array], Array], at: Array, entries: range) -> Array:
    """(f(x+h) - f(x-h)) / 2h at two step lengths, extrapolated (Richardson)."""
    scale = np.maximum(1.0, np.abs(at.reshape(-1)[entries.start : entries.stop]))[:, np.newaxis]
    unit = units(at, entries) * scale.reshape(-1, *(1,) * at.ndim)

    def slope(h: float) -> Array:
        rise = function(at + h * unit) - function(at - h * unit)
        return np.asarray(rise / (2 * h * scale))

    return (4 * slope(CENTRAL_STEP / 2) - slope(CENTRAL_STEP)) / 3


METHODS: Mapping[str, Callable[[Callable[[Array], Array], Array, range], Array]] = {
    "complex step": complex_step,
    "central differences": central_differences,
}


def units(at: Array, entries: range) -> Array:
    """One lane for each entry, holding 1 at that entry and 0 elsewhere."""
    lanes = np.zeros((len(entries), at.size))
    lanes[np.arange(len(entries)), list(entries)] = 1.0
    return lanes.reshape(len(entries), *at.shape)


def lane(array: Array) -> Array:
    """The same array for every lane."""
    return np.asarray(array)[np.newaxis]


def per_lane(array: Array) -> Array:
    """The sum of each lane."""
    return np.asarray(array.reshape(array.shape[0], -1).sum(axis=1))


def largest_grid(program: Program, point: Point) -> int:
    """The number of grid points of the program's largest term."""
    grids = (
        math.prod(size_of(index, point.numbers) for index in (*equation.lhs.slots, *term.summed))
        for equation in program.equations
        for term in equation.terms
    )
    return max(grids, default=1)


def relative_error(found: Array, reference: Array, floor: float = 0.0) -> float:
    """Worst difference over the largest magnitude of the reference; infinite for a wrong shape or a NaN.

    Args:
        found: the array to judge.
        reference: the array it should equal.
        floor: the least scale to divide by: below it a value is rounding noise of larger numbers.
    """
    found, reference = np.asarray(found), np.asarray(reference)
    if found.shape != reference.shape or not np.all(np.isfinite(found)) or not np.all(np.isfinite(reference)):
        return math.inf
    if reference.size == 0:
        return 0.0
    scale = max(float(np.max(np.abs(reference))), floor)
    return float(np.max(np.abs(found - reference))) / (scale or 1.0)
