"""Jacobians and second derivatives by numbers alone, along directions, through the naive evaluator.

A Jacobian times a direction is one complex step. A Hessian times a direction is the central difference of gradients,
each of them by complex step: nothing here knows a backward pass. Random directions refute a wrong entry wherever it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from indexcalc.problem import Kind, Problem, Result
from indexcalc.program import Program
from indexcalc.proof.domain import HAIR, MARGIN
from indexcalc.proof.evaluate import run_lanes
from indexcalc.proof.numeric import Array
from indexcalc.proof.oracles import (
    BOUNDS,
    COMPLEX_STEP,
    Point,
    depending_on,
    lane,
    method_for,
    relative_error,
    total_gradient,
)

STEP = 1e-3
"""The first step of the central differences of gradients."""

HALVINGS = 8
"""The most steps that are tried, each half of the one before."""

SMOOTH = 1e-5
"""By which part the first extrapolation changes a difference, at most; its own error is near the square of that."""

NOTHING = 1e-4
"""The least number that a change is a part of: below it shorter steps only add rounding."""

AGREED = 1e-9
"""By which part the last extrapolation changes the one before, at most, so that no more are needed."""

SECOND_BOUNDS: Mapping[str, float] = {"complex step": 1e-6, "central differences": 1e-5}
"""The relative error at which a second derivative counts as refuted, by the method of its gradients."""

OF_GRADIENTS = "central differences of gradients by {}"
"""How a second derivative is checked, by the method of its gradients."""

METHODS = frozenset((*BOUNDS, *(OF_GRADIENTS.format(method) for method in SECOND_BOUNDS)))
"""How derivatives of any order are checked."""

COUNT = 5
"""The number of directions along which a derivative is compared."""

Moves = Mapping[str, Array]
"""A direction for each tensor that is differentiated by."""


def bound_of(problem: Problem, result: Result) -> tuple[str, float]:
    """How a derivative is checked, and the relative error that is allowed."""
    method = method_for(problem.program)
    if result.kind is Kind.JACOBIAN:
        return method, BOUNDS[method]
    return OF_GRADIENTS.format(method), SECOND_BOUNDS[method]


def closest(problem: Problem) -> float:
    """How near a kink the point of a check may be: as near as rounding allows where nothing is moved by a real step."""
    first = all(derivative.kind is Kind.JACOBIAN for derivative in problem.derivatives)
    still = first and method_for(problem.program) == "complex step"
    return HAIR if still else MARGIN


def fixed_inputs(problem: Problem) -> tuple[str, ...]:
    """The inputs that nothing is differentiated by."""
    by = {*problem.targets, *(name for derivative in problem.derivatives for name in derivative.by)}
    return tuple(tensor.name for tensor in problem.program.inputs if tensor.name not in by)


def along(problem: Problem, result: Result, point: Point, weights: Mapping[str, Array], moves: Moves) -> Array:
    """The product of a derivative with directions, in the shape of what is differentiated."""
    program = problem.program

    if result.kind is Kind.GAUSS_NEWTON:
        through = Result("", Kind.JACOBIAN, result.through, result.by)
        inner = Result("", Kind.HESSIAN, result.through, (result.through,))
        moved_through = along(problem, through, point, weights, moves)
        pulled = along(problem, inner, point, weights, {result.through: moved_through})
        return total_gradient(program, point, {result.through: pulled}, result.of)

    def gradient(step: complex) -> Array:
        return total_gradient(program, moved(program, point, moves, step.real), weights, result.of)

    def value(step: complex) -> Array:
        return np.asarray(moved(program, point, moves, step).values[result.of])

    if result.kind is not Kind.JACOBIAN:
        return richardson(gradient)
    if method_for(program) == "complex step":
        return np.asarray(value(1j * COMPLEX_STEP).imag / COMPLEX_STEP)
    return richardson(value)


def richardson(function: Callable[[complex], Array]) -> Array:
    """The derivative at 0 by central differences, extrapolated to a step of zero.

    Two steps are enough of a function that is nearly a polynomial of degree two within them. Of others, such as the
    inverse of a matrix that is nearly singular, steps are halved until extrapolations agree (Ridders, Accurate
    computation of F'(x) and F'(x) F''(x), 1982); those that agree best are taken.
    """

    def slope(step: float) -> Array:
        return np.asarray((function(step) - function(-step)) / (2 * step))

    before, found, least = [slope(STEP)], np.zeros(()), np.inf
    for halvings in range(1, HALVINGS):
        row = [slope(STEP / 2**halvings)]
        for order, other in enumerate(before, start=1):
            row.append(row[-1] + (row[-1] - other) / (4**order - 1))
        change = relative_error(row[-2], row[-1], NOTHING)
        if change < least or halvings == 1:
            found, least = row[-1], change
        if least <= (SMOOTH if halvings == 1 else AGREED):
            break
        before = row
    return found


def moved(program: Program, point: Point, moves: Moves, step: complex) -> Point:
    """The point with some tensors moved, and what depends on them computed again."""
    after = depending_on(program, frozenset(moves)) - set(moves)
    held = {name: lane(array) for name, array in point.values.items() if name not in after}
    held |= {name: lane(point.values[name] + step * move) for name, move in moves.items()}
    values = run_lanes(program, held, point.numbers)
    return Point({name: array[0] for name, array in values.items()}, point.sizes, point.parameters)


def directions_for(result: Result, point: Point, rng: np.random.Generator) -> Array:
    """Random arrays of the shape of what is differentiated by."""
    (by,) = result.by
    return rng.normal(size=(COUNT, *np.shape(point.values[by])))
