"""Gradients by numbers alone: complex step and central differences through the naive evaluator.

Nothing here knows the rules of differentiation. A derivative by a tensor perturbs its entries one at
a time (one lane an entry) and evaluates the rest of the program again. In a long program that would
grow with the square of its length; there each equation is perturbed by itself, and the gradients of what
it defines are carried on. Where a program is too large for either, it is perturbed along random
directions: a wrong gradient agrees with none of them, wherever its error is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import sympy as sp

from indexcalc.algebra.terms import Fn, Index, Term, Terms, tensors_of, walk
from indexcalc.program import Equation, Program
from indexcalc.proof.evaluate import Environment, Numbers, evaluate_lanes, numbers_of, run_lanes, size_of
from indexcalc.proof.numeric import Array, numeric_of

COMPLEX_STEP = 1e-30
"""The imaginary step: so small that the second order vanishes in double precision."""

CENTRAL_STEP = 2e-4
"""The real step, in units of max(1, |x|): with one Richardson extrapolation the error is near 1e-11."""

LANE_POINTS = 250_000
"""Grid points evaluated at once, so that they fit in a cache; more entries are taken in several batches."""

WORK_LIMIT = 6_000_000
"""The most grid points, lanes included, for gradients entry by entry; beyond it they are taken along directions."""

DIRECTIONS = 4
"""The number of random directions along which a gradient is compared."""

BOUNDS: Mapping[str, float] = {"complex step": 1e-9, "central differences": 1e-6}
"""The relative error at which a gradient counts as refuted, by method."""


@dataclass(frozen=True)
class Point:
    """A program's tensors at one point of its domain: every tensor by name, sizes, parameters.

    `outside` says whether indices may run over a part of a slot, or beyond it where brackets hide that.
    """

    values: Mapping[str, Array]
    sizes: Mapping[sp.Symbol, int]
    parameters: Mapping[sp.Symbol, float] = field(default_factory=dict)
    outside: bool = False

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

    Returns:
        An array of the shape of `wrt`; zeros where nothing that has a weight depends on it.
    """
    if depending_on(program, {wrt}).isdisjoint(weights):
        return np.zeros(np.shape(point.values[wrt]))
    loss = loss_of(program, point, weights, wrt)
    gradient = differentiate(loss, point.values[wrt], method or method_for(program), largest_grid(program, point))
    return gradient.reshape(np.shape(point.values[wrt]))


def loss_of(program: Program, point: Point, weights: Mapping[str, Array], wrt: str) -> Callable[[Array], Array]:
    """The loss, one column, as a function of one tensor; what does not depend on the tensor keeps its value."""
    after = depending_on(program, frozenset({wrt}))
    held = {name: lane(array) for name, array in point.values.items() if name not in after}
    # What later steps compute from an entry follows from it: it is moved where it is computed, and not given.
    # So does what a system computes from its unknown, and the unknown from the residual.
    steps = wrt in program.recurrence_by_name or wrt in in_systems(program)

    def loss(perturbed: Array) -> Array:
        given = held if steps else {**held, wrt: perturbed}
        bumps = {wrt: perturbed - point.values[wrt]} if steps else None
        values = run_lanes(program, given, point.numbers, bumps)
        parts = [per_lane(values[name] * lane(weight)) for name, weight in weights.items()]
        return np.asarray(sum(parts))[:, np.newaxis]

    return loss


def in_systems(program: Program) -> frozenset[str]:
    """The unknowns of systems, and what systems compute from them."""
    inside = (equation.name for block in program.systems.values() for equation in block)
    return frozenset((*program.systems, *inside))


def along_directions(
    program: Program, point: Point, weights: Mapping[str, Array], wrt: str, directions: Array
) -> Array:
    """The inner products of dL/d(`wrt`) with some directions, each an array of the shape of `wrt`."""
    loss, at = loss_of(program, point, weights, wrt), np.asarray(point.values[wrt], dtype=float)
    flat = directions.reshape(len(directions), *at.shape)

    def of_steps(steps: Array) -> Array:
        return loss(at + np.tensordot(steps, flat, axes=1))

    points = largest_grid(program, point)
    return differentiate(of_steps, np.zeros(len(directions)), method_for(program), points)[:, 0]


def chained_gradients(
    program: Program, point: Point, weights: Mapping[str, Array], targets: Collection[str]
) -> dict[str, Array]:
    """dL/d of each target, by the chain rule from equation to equation, each local derivative by numbers.

    ``dL/dX = weight of X + sum over the equations Y = f(X, ...) of d/dX sum(dL/dY * f)``, last tensors first.
    """
    method, shares = method_for(program), shares_of(program)
    found: dict[str, Array] = {}
    for name in reversed(passed_through(program, weights, targets)):
        readers = [share for share in shares.get(name, ()) if share.name in found]
        at = np.asarray(point.values[name], dtype=float)
        total = np.array(weights.get(name, np.zeros(at.shape)), dtype=float)
        for equation in readers:
            read = {other: lane(point.values[other]) for other in tensors_of(equation.terms)}

            def share(perturbed: Array, equation: Equation = equation, read: dict[str, Array] = read) -> Array:
                values = {**read, name: perturbed}  # noqa: B023 - called in this round only
                env = Environment(values, point.numbers, outside=point.outside)
                value = evaluate_lanes(equation.terms, equation.slots, env)
                return per_lane(value * lane(found[equation.name]))[:, np.newaxis]

            total += differentiate(share, at, method, grid_points(equation, point)).reshape(at.shape)
        found[name] = total
    return {name: found.get(name, np.zeros(np.shape(point.values[name]))) for name in targets}


def shares_of(program: Program) -> dict[str, list[Equation]]:
    """For each tensor, the equations that read it, with the terms that do: no other has a share in a derivative."""
    found: dict[str, list[Equation]] = {}
    for equation in program.equations:
        reading: dict[str, list[Term]] = {}
        for term in equation.terms:
            for name in tensors_of((term,)):
                reading.setdefault(name, []).append(term)
        for name, terms in reading.items():
            found.setdefault(name, []).append(replace(equation, terms=tuple(terms)))
    return found


def gradients_by_entry(
    program: Program, point: Point, weights: Mapping[str, Array], targets: Collection[str]
) -> dict[str, Array] | None:
    """dL/d of each target, in the way that takes least work; None if either takes more than `WORK_LIMIT`."""
    whole, chained = whole_work(program, point, targets), chained_work(program, point, weights, targets)
    # An equation that reads itself at other steps, or determines what it reads, can't be perturbed by itself.
    alone = not (program.is_recurrent or program.unknowns)
    if (min(whole, chained) if alone else whole) > WORK_LIMIT:
        return None
    # Of one equation both are the same, and a chain reads no more of it than holds the target.
    if alone and chained <= whole:
        return chained_gradients(program, point, weights, targets)
    return {name: total_gradient(program, point, weights, name) for name in targets}


def whole_work(program: Program, point: Point, targets: Collection[str]) -> int:
    """Grid points, lanes included, to evaluate the program again for every entry of the targets."""
    points = {equation.name: grid_points(equation, point) for equation in program.equations}
    for block in program.systems.values():
        # Slopes take the system once for each entry, in two rounds at least.
        entries = sum(np.size(point.values[one.name]) for one in program.determined_by(block))
        points.update({eq.name: 2 * (1 + entries) * grid_points(eq, point) for eq in block})
    return sum(
        max(1, np.size(point.values[name])) * sum(points.get(other, 0) for other in depending_on(program, {name}))
        for name in targets
    )


def chained_work(program: Program, point: Point, weights: Mapping[str, Array], targets: Collection[str]) -> int:
    """Grid points, lanes included, to perturb each equation by itself."""
    names = passed_through(program, weights, targets)
    shares = shares_of(program)
    return sum(
        max(1, np.size(point.values[name])) * sum(grid_points(share, point) for share in shares.get(name, ()))
        for name in names
    )


def passed_through(program: Program, weights: Mapping[str, Array], targets: Collection[str]) -> list[str]:
    """The tensors between the targets and what the loss is made of, in program order."""
    after, before = depending_on(program, frozenset(targets)), set(weights)
    for block in reversed(program.blocks):
        if any(unknown.name in before for unknown in program.determined_by(block)):
            before.update(equation.name for equation in block)
        if any(equation.name in before for equation in block):
            for equation in block:
                before.update(tensors_of(equation.terms))
    return [name for name in program.tensors if name in before and name in after]


def depending_on(program: Program, start: Collection[str]) -> frozenset[str]:
    """The tensors that depend on any of `start`, with `start` itself."""
    found, pending = set(start), list(start)
    determined = {
        residual.name: tuple(unknown.name for unknown in program.determined_by(block))
        for block in program.systems.values()
        for residual in program.residuals_in(block)
    }
    while pending:
        current = pending.pop()
        after = (*program.consumers[current], *determined.get(current, ()))
        fresh = [name for name in after if name not in found]
        found.update(fresh)
        pending.extend(fresh)
    return frozenset(found)


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
    return expression_jacobian(program, point, equation.terms, equation.slots, wrt, through=through, method=method)


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
        result = evaluate_lanes(terms, free, Environment(values, point.numbers, outside=point.outside))
        return result.reshape(result.shape[0], -1)

    jacobian = differentiate(value, point.values[wrt], method or method_for(program), largest_grid(program, point))
    shape = tuple(size_of(index, point.numbers) for index in free)
    return np.moveaxis(jacobian, 0, -1).reshape(shape + np.shape(point.values[wrt]))


def differentiate(function: Callable[[Array], Array], at: Array, method: str, grid: int) -> Array:
    """The derivative of each component by each entry: an array (entries, components).

    `function` maps a batch of arrays, the lane axis first, to (lanes, components).
    """
    at = np.asarray(at, dtype=float)
    # Every lane holds the whole array, of which an equation may read a diagonal only.
    batch = max(1, LANE_POINTS // max(1, grid, at.size))
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
    return max((grid_points(equation, point) for equation in program.equations), default=1)


def program_points(program: Program, sizes: Mapping[sp.Symbol, int]) -> int:
    """The number of grid points of the largest terms of all equations."""
    return sum(grid_points(equation, Point({}, sizes)) for equation in program.equations)


def grid_points(equation: Equation, point: Point) -> int:
    """The number of grid points of the largest term of an equation."""
    sizes = {index: size_of(index, point.numbers) for index in equation.slots}
    every = math.prod(sizes.values())
    sums = {term.summed: math.prod(size_of(index, point.numbers) for index in term.summed) for term in equation.terms}
    return every * max(sums.values(), default=1)


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
