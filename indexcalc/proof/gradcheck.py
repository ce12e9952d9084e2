"""Does a forward and backward pass compute what the program says? Checked against the oracles.

Every forward tensor is compared with the naive evaluator, every gradient with complex step (or
central differences), at several sizes, with random inputs and a random upstream gradient.
"""

from __future__ import annotations

import copy
import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import numpy as np

from indexcalc.errors import UnsupportedError
from indexcalc.problem import Problem, Result
from indexcalc.program import Program
from indexcalc.proof.evaluate import run_program
from indexcalc.proof.extents import Sizes, left_out
from indexcalc.proof.numeric import Array
from indexcalc.proof.oracles import (
    BOUNDS,
    DIRECTIONS,
    Point,
    along_directions,
    gradients_by_entry,
    method_for,
    relative_error,
)
from indexcalc.proof.orders import along, bound_of, closest, directions_for, fixed_inputs
from indexcalc.proof.report import FORWARD_METHOD, Comparison, Report
from indexcalc.proof.rounding import judged_again
from indexcalc.proof.sampling import sample_point, size_sets, weights_for

FORWARD_BOUND = 1e-9
"""The relative error at which a forward tensor counts as wrong."""

FLOOR = 1e-4
"""The least scale an error is divided by; inputs and upstream gradients are of order 1."""

TIMES = "{} times a vector"
"""What the product with a derivative that is kept in parts is called in a report."""

Candidate = Callable[[Point, Mapping[str, Array]], Mapping[str, Array]]
"""What is checked: from a point and the upstream gradients by name, arrays by tensor and gradient name."""


def check_candidate(
    problem: Problem, candidate: Candidate, *, seed: int = 0, sizes: Iterable[Sizes] | None = None
) -> Report:
    """Compare all that a candidate returns with the evaluator and the gradient oracles.

    Args:
        problem: the forward program and the gradients asked for.
        candidate: what is checked; it must return every output and every gradient asked for.
        seed: of the random inputs and upstream gradients.
        sizes: the extents to try; by default several sets, all extents different, and sets with 1s.

    Raises:
        UnsupportedError: if no random inputs satisfy the program's assumptions and domains.
    """
    rng = np.random.default_rng(seed)
    sets = tuple(sizes) if sizes is not None else size_sets(problem.program, rng)
    worst: dict[str, Comparison] = {}
    tried: list[Mapping[str, int]] = []
    skipped: list[tuple[Mapping[str, int], str]] = []
    for chosen in sets:
        named = {str(extent): size for extent, size in chosen.items()}
        try:
            point = sample_point(problem.program, chosen, rng, margin=closest(problem), held=fixed_inputs(problem))
        except UnsupportedError as error:
            if 1 not in chosen.values():
                raise
            skipped.append((named, error.message))
            continue
        tried.append(named)
        for comparison in compare_at(problem, candidate, point, rng):
            known = worst.get(comparison.tensor)
            if known is None or comparison.error > known.error:
                worst[comparison.tensor] = comparison
    others = left_out(problem.program, sets)
    skipped.extend(({str(extent): size for extent, size in values.items()}, why) for values, why in others)
    return Report(problem.slug, seed, tuple(tried), tuple(skipped), tuple(worst.values()))


def compare_at(problem: Problem, candidate: Candidate, point: Point, rng: np.random.Generator) -> list[Comparison]:
    """Every forward tensor that the candidate returns, and every gradient asked for, at one point."""
    weights = weights_for(problem, point, rng)
    directions = {one.name: rng.normal(size=np.shape(point.values[one.of])) for one in problem.directions}
    given = {**{up.name: weights[up.of] for up in problem.upstream}, **directions}
    drawn = copy.deepcopy(rng)
    found, note = ran(candidate, point, given)

    def oracles(at: Point, source: np.random.Generator) -> list[Reference]:
        return [
            *references(problem, at, weights, found, source),
            *order_references(problem, at, weights, directions, found=found, rng=source),
        ]

    def differences(at: Point) -> list[Array]:
        near, _ = ran(candidate, at, given)
        return [difference(reference, near) for reference in oracles(at, copy.deepcopy(drawn))]

    sizes = {str(extent): size for extent, size in point.sizes.items()}
    every = oracles(point, rng)
    compared = [compare(reference, found, sizes, note) for reference in every]
    if all(comparison.ok or math.isinf(comparison.error) for comparison in compared):
        return compared
    here, right = [difference(one, found) for one in every], [one.array for one in every]
    return judged_again(compared, here, right, differences, (problem.program, point))


def ran(candidate: Candidate, point: Point, given: Mapping[str, Array]) -> tuple[Mapping[str, Array], str]:
    """What a candidate returns; if it fails, nothing and why."""
    try:
        with np.errstate(all="ignore"):
            return candidate(point, given), ""
    except Exception as error:  # the code under test may fail in any way, and that is a finding
        return {}, f"it raised {type(error).__name__}: {error}"


@dataclass(frozen=True, slots=True)
class Reference:
    """What an oracle says of one tensor, by which method, and the relative error it allows.

    Attributes:
        tensor: of the forward pass, or a gradient.
        array: its entries; its inner products with the `directions` where there are any.
        method: of the oracle.
        bound: the relative error that is allowed.
        directions: arrays of the tensor's shape, one after the other.
        columns: arrays of the shape of a derivative's columns, whose products with it `array` holds.
    """

    tensor: str
    array: Array
    method: str
    bound: float
    directions: Array | None = None
    columns: Array | None = None


def references(
    problem: Problem, point: Point, weights: Mapping[str, Array], found: Mapping[str, Array], rng: np.random.Generator
) -> Iterator[Reference]:
    """The outputs, the intermediates that the candidate returns, and every gradient asked for.

    A gradient that would take too long entry by entry is given along random directions.
    """
    program = problem.program
    inputs = {tensor.name for tensor in program.inputs}
    for name, array in point.values.items():
        if name in program.outputs or (name in found and name not in inputs):
            yield Reference(name, array, FORWARD_METHOD, FORWARD_BOUND)
    method = method_for(program)
    gradients = gradients_by_entry(program, point, weights, problem.targets)
    for target in problem.targets:
        name = problem.gradient_names[target]
        if gradients is not None:
            yield Reference(name, gradients[target], method, BOUNDS[method])
        else:
            directions = rng.normal(size=(DIRECTIONS, *np.shape(point.values[target])))
            products = along_directions(program, point, weights, target, directions)
            yield Reference(name, products, method, BOUNDS[method], directions)


def order_references(
    problem: Problem,
    point: Point,
    weights: Mapping[str, Array],
    given: Mapping[str, Array],
    *,
    found: Mapping[str, Array],
    rng: np.random.Generator,
) -> Iterator[Reference]:
    """Every derivative of another kind: products with the directions `given`, or with random ones.

    What is kept in parts has products of its own, where `found` holds them.
    """
    for result in problem.results:
        method, bound = bound_of(problem, result)
        if result.along:
            moves = {one.of: given[one.name] for one in result.along}
            yield Reference(result.name, along(problem, result, point, weights, moves), method, bound)
            continue
        (by,) = result.by
        columns = directions_for(result, point, rng)
        products = [along(problem, result, point, weights, {by: column}) for column in columns]
        yield Reference(result.name, np.array(products), method, bound, columns=columns)
        if TIMES.format(result.name) in found:
            vector = vector_for(np.shape(point.values[by]))
            product = along(problem, result, point, weights, {by: vector})
            yield Reference(TIMES.format(result.name), product, method, bound)


def compare(reference: Reference, found: Mapping[str, Array], sizes: Mapping[str, int], note: str) -> Comparison:
    """One array against its reference; a missing one is infinitely wrong."""
    name, directions, columns = reference.tensor, reference.directions, reference.columns
    expected = np.shape(reference.array) if directions is None else directions.shape[1:]
    if columns is not None:
        expected = (*np.shape(reference.array)[1:], *columns.shape[1:])
    error = math.inf
    if name not in found:
        note = note or "it is not returned"
    else:
        array = np.asarray(found[name])
        if array.shape != expected:
            note = f"it has shape {array.shape}, expected {expected}"
        elif not np.all(np.isfinite(array)):
            note = "it has entries that are not finite"
        else:
            # Along directions: over the length of the array, which such a product has on average.
            length = 0.0 if directions is None else float(np.linalg.norm(array))
            error = relative_error(shown(reference, array), reference.array, max(FLOOR, length))
    return Comparison(name, reference.method, error, reference.bound, sizes, note)


def shown(reference: Reference, array: Array) -> Array:
    """What a reference sees of an array: the array, or its products with directions or columns."""
    if reference.columns is not None:
        return np.array([np.tensordot(array, column, axes=column.ndim) for column in reference.columns])
    if reference.directions is not None:
        return np.asarray(np.tensordot(reference.directions, array, axes=array.ndim))
    return array


def difference(reference: Reference, found: Mapping[str, Array]) -> Array:
    """What a reference sees of an array, less what it says; NaN where the array is missing or misshapen."""
    if reference.tensor in found:
        with suppress(ValueError, IndexError):
            return shown(reference, np.asarray(found[reference.tensor])) - reference.array
    return np.full_like(reference.array, np.nan)


def backward_candidate(backward: Program) -> Candidate:
    """A backward program as what is checked: the naive evaluator runs it."""

    def candidate(point: Point, upstream: Mapping[str, Array]) -> Mapping[str, Array]:
        known = {**point.values, **upstream}
        inputs = {tensor.name: known[tensor.name] for tensor in backward.inputs}
        return run_program(backward, inputs, point.sizes, point.parameters)

    return candidate


def check_backward(
    problem: Problem, backward: Program, *, seed: int = 0, sizes: Iterable[Sizes] | None = None
) -> Report:
    """Check a backward program, run by the naive evaluator, against the gradient oracles."""
    report = check_candidate(problem, backward_candidate(backward), seed=seed, sizes=sizes)
    return replace(report, comparisons=tuple(c for c in report.comparisons if c.method != FORWARD_METHOD))


def check_module(
    problem: Problem,
    module: ModuleType,
    *,
    names: Mapping[str, str] | None = None,
    symbols: Mapping[str, str] | None = None,
    seed: int = 0,
    sizes: Iterable[Sizes] | None = None,
) -> Report:
    """Check generated code: ``forward(inputs, ...) -> Values`` and ``backward(values, upstream) -> Gradients``.

    Args:
        problem: the forward program and the gradients asked for.
        module: the generated module, imported.
        names: the Python name of each tensor, upstream gradient and gradient; by default the same.
        symbols: the Python name of each parameter and extent that is a keyword argument; by default the same.
        seed: of the random inputs and upstream gradients.
        sizes: the extents to try; see `check_candidate`.

    Raises:
        UnsupportedError: if no random inputs satisfy the program's assumptions and domains.
    """
    candidate = module_candidate(problem, module, names or {}, symbols or {})
    return check_candidate(problem, candidate, seed=seed, sizes=sizes)


def module_candidate(
    problem: Problem, module: ModuleType, names: Mapping[str, str], symbols: Mapping[str, str]
) -> Candidate:
    """The two functions of a generated module as one candidate; the module sees arrays as they are stored."""
    program = problem.program

    def candidate(point: Point, upstream: Mapping[str, Array]) -> Mapping[str, Array]:
        scalars = {symbols.get(str(s), str(s)): value for s, value in (*point.sizes.items(), *point.parameters.items())}
        inputs = [stored(program, tensor.name, point.values[tensor.name]) for tensor in program.inputs]
        values = module.forward(*inputs, **keywords(module.forward, scalars))
        given = [stored(program, up.of, upstream[up.name]) for up in problem.handed]
        gradients = module.backward(values, *given, **keywords(module.backward, scalars))
        found: dict[str, Array] = {}
        for name in program.tensors:
            array = held(values, names.get(name, name))
            if array is not None:
                found[name] = in_slots(program, name, array, point)
        return {**found, **derivatives_in(gradients, problem, module, names, point)}

    return candidate


def derivatives_in(
    gradients: object, problem: Problem, module: ModuleType, names: Mapping[str, str], point: Point
) -> dict[str, Array]:
    """The gradients that a module returned, and all entries of other derivatives, with products of those in parts."""
    program, made = problem.program, getattr(module, "array", np.asarray)
    found: dict[str, Array] = {}
    for target in problem.targets:
        name = problem.gradient_names[target]
        array = held(gradients, names.get(name, name))
        if array is not None:
            found[name] = in_slots(program, target, array, point)
    for result in problem.results:
        value = getattr(gradients, names.get(result.name, result.name), None)
        if value is not None:
            found[result.name] = entries_of(program, result, value, point)
            if hasattr(value, "dense"):
                found[TIMES.format(result.name)] = product_of(program, result, value, point, made)
    return found


def entries_of(program: Program, result: Result, value: Any, point: Point) -> Array:
    """All entries of a derivative, one axis a slot; not numbers where it has the wrong shape."""
    rows = np.shape(point.values[result.of])
    if result.along:
        return in_slots(program, result.of, value, point)
    (by,) = result.by
    columns = np.shape(point.values[by])
    entries = np.asarray(value.dense() if hasattr(value, "dense") else value)
    shape = (*stored(program, result.of, np.zeros(rows)).shape, *stored(program, by, np.zeros(columns)).shape)
    return entries.reshape((*rows, *columns)) if entries.shape == shape else np.full((*rows, *columns), np.nan)


def product_of(program: Program, result: Result, value: Any, point: Point, made: Callable[[Array], Any]) -> Array:
    """The product of a derivative with `vector_for`, as its parts give it."""
    (by,) = result.by
    vector = vector_for(np.shape(point.values[by])).astype(point.values[by].dtype)
    return in_slots(program, result.of, np.asarray(value @ made(stored(program, by, vector))), point)


def vector_for(shape: tuple[int, ...]) -> Array:
    """A vector that no structure is blind to."""
    return np.asarray(np.cos(np.arange(1.0, 1.0 + math.prod(shape))).reshape(shape))


def held(returned: object, name: str) -> Array | None:
    """The array that a function returned under a name; a method of every tuple, such as its index, is none."""
    value = getattr(returned, name, None)
    return None if callable(value) else value


def stored(program: Program, tensor: str, array: Array) -> Array:
    """A copy of an array with one axis a slot, in the shape in which the tensor is stored."""
    sizes = iter(array.shape)
    shape = [math.prod(next(sizes) for _ in axis) for axis in program.axes(tensor)]
    return np.asarray(array.reshape(shape).copy())


def in_slots(program: Program, tensor: str, array: object, point: Point) -> Array:
    """An array as it is stored with one axis a slot; in a wrong shape if it has not the shape of the tensor."""
    given, expected = np.asarray(array), np.shape(point.values[tensor])
    fits = given.shape == stored(program, tensor, point.values[tensor]).shape
    if fits:
        return np.asarray(given.reshape(expected))
    # One axis a slot is a wrong shape too where slots are fused, and must not pass for the right one.
    return given if given.shape != expected else np.ravel(given)


def keywords(function: Callable[..., Any], scalars: Mapping[str, float]) -> dict[str, float]:
    """The scalars that a function takes as keyword-only arguments."""
    wanted = inspect.signature(function).parameters.values()
    return {p.name: scalars[p.name] for p in wanted if p.kind is p.KEYWORD_ONLY and p.name in scalars}
