"""What a program's values and gradients are, and how far rounding may move them: by PyTorch, or by complex step."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

import numpy as np

from tests.campaign.arithmetic import Arithmetic, Complex, Torch, Wide
from tests.campaign.evaluation import run, shape_of
from tests.campaign.formulas import Program

NOISE = 1e-7
"""How far the operations are moved to see what rounding may do."""

RUNS = 2
"""How often."""

FAR = 0.01
"""How far they are moved once more: the slope of the variance of one entry is twice nothing times nothing, and moves by
the square of the noise."""

TRIALS = 8
"""How often more the values alone are moved, to see what is decided: of two equal entries, rounding decides."""


Arrays = dict[str, np.ndarray]
Evaluated = tuple[Arrays, Arrays, Sequence[np.ndarray]]
"""All values, the gradients of the targets, and what was decided at kinks."""


@dataclass(frozen=True)
class Point:
    """Where a program is evaluated.

    Attributes:
        sizes: of the named extents.
        inputs: as they are stored.
        upstream: the given gradients by the name of the output.
    """

    sizes: Mapping[str, int]
    inputs: Mapping[str, np.ndarray]
    upstream: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Truth:
    """What is right at a point.

    Attributes:
        values: every tensor.
        gradients: by the name of the tensor.
        spread: for each value and gradient (the gradient of X under ``d X``), how far its largest entry moves for
            relative moves of every operation, small or larger, divided by these moves.
        steady: whether every decision at a kink stayed what it was when the operations moved.
    """

    values: Mapping[str, np.ndarray]
    gradients: Mapping[str, np.ndarray]
    spread: Mapping[str, float]
    steady: bool


Evaluate = Callable[[Program, Point, float, int], Evaluated]
"""Evaluates a program at a point with noise of a size and a seed."""


def evaluator() -> Evaluate:
    """PyTorch, if it is installed, else complex step."""
    return by_torch if find_spec("torch") else by_complex_step


def sample(program: Program, sizes: Mapping[str, int], rng: np.random.Generator) -> Point:
    """Random inputs as their kinds want them, and random upstream gradients."""
    inputs = {}
    for tensor in program.inputs:
        shape = shape_of(tensor.axes, program.extents, sizes)
        drawn = rng.uniform(0.3, 1.4, shape)
        match tensor.kind:
            case "any":
                drawn = drawn * rng.choice([-1.0, 1.0], shape)
            case "mask":
                drawn = rng.integers(0, 2, shape).astype(float)
            case "shares":
                drawn = drawn / drawn.sum(axis=-1, keepdims=True)
        inputs[tensor.name] = drawn
    axes = program.axes
    upstream = {
        of: rng.uniform(0.3, 1.4, shape_of(axes[of], program.extents, sizes)) * rng.choice([-1.0, 1.0])
        for _, of in program.upstream
    }
    return Point(sizes, inputs, upstream)


def truth(program: Program, point: Point, evaluate: Evaluate) -> Truth | None:
    """Values, gradients and their conditioning; None where a value is not finite."""
    with np.errstate(all="ignore"):
        values, gradients, decided = evaluate(program, point, 0.0, 0)
        if not finite(values) or not finite(gradients):
            return None
        right = named(values, gradients)
        spread = dict.fromkeys(right, 0.0)
        steady = is_steady(program, point)
        for seed in range(1, RUNS + 1):
            moved, slopes, again = evaluate(program, point, NOISE, seed)
            if not finite(moved) or not finite(slopes):
                return None
            steady = steady and all(np.array_equal(one, other) for one, other in zip(decided, again, strict=True))
            for name, array in named(moved, slopes).items():
                spread[name] = max(spread[name], distance(array, right[name]) / NOISE)
        moved, slopes, _ = evaluate(program, point, FAR, RUNS + 1)
        for name, array in named(moved, slopes).items():
            # Moved so far, a logarithm may leave its domain, and an exponential overflow.
            if np.all(np.isfinite(array)):
                spread[name] = max(spread[name], distance(array, right[name]) / FAR)
    return Truth(values, gradients, spread, steady)


def named(values: Arrays, gradients: Arrays) -> Arrays:
    """Values and gradients together, the gradient of X as ``d X``."""
    return {**values, **{f"d {name}": array for name, array in gradients.items()}}


def is_steady(program: Program, point: Point) -> bool:
    """Whether every decision at a kink stays what it is when the operations move, and none of them overflows.

    A variance of equal entries is 0 or, after rounding, a little more, however the operations move. So what is compared
    must not move by much of its distance from the kink either. A product of tiny numbers is 0 by its exponent alone: so
    decisions must be the same with a wider range of exponents.
    """

    def decided(arithmetic: Arithmetic) -> Arithmetic:
        with np.errstate(over="raise"):
            run(program, point.inputs, point.sizes, arithmetic)
        return arithmetic

    try:
        first = decided(Arithmetic())
        if not first.decisions:
            return True
        moved = [decided(Arithmetic(NOISE, seed)) for seed in range(RUNS + 1, RUNS + TRIALS + 1)]
        wide = decided(Wide())
    except FloatingPointError:
        return False
    return all(map(np.array_equal, first.decisions, wide.decisions)) and all(
        all(map(np.array_equal, first.decisions, again.decisions)) and all(map(stays, first.margins, again.margins))
        for again in moved
    )


def stays(margin: np.ndarray, moved: np.ndarray) -> bool:
    """Whether no distance from a kink moved by half of itself."""
    return bool(np.all((margin == moved) | (np.abs(moved - margin) < np.abs(margin) / 2)))


def finite(arrays: Mapping[str, np.ndarray]) -> bool:
    """Whether all entries are numbers."""
    return all(bool(np.all(np.isfinite(array))) for array in arrays.values())


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """The largest difference of two entries."""
    return float(np.max(np.abs(one - other), initial=0.0))


def by_torch(program: Program, point: Point, noise: float, seed: int) -> Evaluated:
    """PyTorch differentiates by a zero that is added to each target."""
    torch = import_module("torch")
    arithmetic, axes = Torch(torch, noise, seed), program.axes
    moves = {
        name: torch.zeros(shape_of(axes[name], program.extents, point.sizes), dtype=torch.float64, requires_grad=True)
        for name in program.targets
    }
    values = run(program, point.inputs, point.sizes, arithmetic, moves)
    total = sum((values[of] * arithmetic.array(given)).sum() for of, given in weights(program, point).items())
    # What nothing depends on has a gradient too.
    total = total + sum(0 * move.sum() for move in moves.values())
    found = torch.autograd.grad(total, list(moves.values()), allow_unused=True)
    gradients = {
        name: np.zeros(tuple(move.shape)) if slope is None else arithmetic.plain(slope)
        for (name, move), slope in zip(moves.items(), found, strict=True)
    }
    plain = {name: arithmetic.plain(array) for name, array in values.items()}
    return plain, gradients, arithmetic.decisions


def weights(program: Program, point: Point) -> Mapping[str, np.ndarray]:
    """The gradient of the loss by each output that it has directly."""
    return {program.loss: np.asarray(1.0)} if program.loss is not None else point.upstream


def by_complex_step(program: Program, point: Point, noise: float, seed: int) -> Evaluated:
    """All entries of a target at once, each moved a little along the imaginary axis in an array of its own."""
    return stepped(program, point, lambda given: Complex(noise, seed, given))


def stepped(program: Program, point: Point, kind: Callable[[Sequence[np.ndarray]], Complex]) -> Evaluated:
    """Values and gradients in complex numbers of a kind, to which decisions may be given."""
    arithmetic = kind(())
    values = run(program, point.inputs, point.sizes, arithmetic)
    gradients = {}
    for name in program.targets:
        shape = shape_of(program.axes[name], program.extents, point.sizes)
        count = math.prod(shape)
        move = arithmetic.step * np.eye(count).reshape(count, *shape)
        moved = run(program, point.inputs, point.sizes, kind(arithmetic.decisions), {name: move})
        gradient = np.zeros(count)
        for of, given in weights(program, point).items():
            # What does not depend on the target has no axis for its moves.
            slopes = arithmetic.slope(moved[of]).reshape(-1, given.size) * arithmetic.weight(given.reshape(-1))
            gradient = gradient + slopes.sum(axis=1)
        gradients[name] = arithmetic.plain(gradient).reshape(shape)
    plain = {name: arithmetic.plain(array) for name, array in values.items()}
    return plain, gradients, arithmetic.decisions
