"""The campaign of slots, recurrences, systems and choices: programs of four draws, each against an oracle of its own.

A draw has a representation of its own, prints it as a spec, and knows what is right at some points without the engine.
The seeds go through the draws in turn; `benchmarks/campaign.py draws` runs many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from tests.campaign import choices, recurrences, systems
from tests.campaign.case import COUNTED, Case
from tests.campaign.judge import difference, tried_at, written_out
from tests.campaign.oracle import Point
from tests.campaign.pipeline import Module, Results

STYLES = ("note", "numpy", "fast", "memory", "checkpoints", "torch", "torch fast", "jax", "mesh")

STEPS = ((5, 2, 3), (3, 1, 1), (2, 3, 2))
"""The steps, samples and width at which recurrences are compared."""

EXTENTS = ({"B": 3, "M": 2, "N": 4}, {"B": 1, "M": 1, "N": 1}, {"B": 2, "M": 3, "N": 2})
"""The sizes at which systems are compared."""

SAMPLES = 3
"""At how many sizes programs with expressions in their slots are compared."""

DRAWN = {"recurrence": 0.8, "system": 0.5}
"""The spread of inputs: the unknown of a system, times 4, then mostly outweighs what else stands on the left."""


@dataclass(frozen=True)
class Right:
    """A point, with the results and the gradients of inputs that are right there."""

    point: Point
    values: Mapping[str, np.ndarray]
    gradients: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Draw:
    """A program with its oracle.

    Attributes:
        text: the spec.
        features: what is in it.
        points: what is right where.
        bound: how far off a result may be, as a part of the largest entry, if that is above 1.
    """

    text: str
    features: frozenset[str]
    points: Callable[[], Iterator[Right]]
    bound: float = 1e-10


def cases(seed: int, count: int) -> Iterator[Case]:
    """So many programs, one of each draw in turn."""
    for own in range(seed, seed + count):
        draw = DRAWS[own % len(DRAWS)](own // len(DRAWS))
        yield Case(own, draw.text, draw.features, draw)


def verdict(case: Case, styles: Sequence[str] = STYLES) -> str:
    """What is wrong with the engine on this program; nothing if all is right."""
    found: list[str] = []
    modules, done, points = written_out(case.text, styles, found), set[str](), 0
    for right in case.subject.points() if modules else ():
        points += 1
        for module in modules:
            for label, way in module.ways:
                wrong = "" if label in done else judged(label, way, module, right, case.subject.bound)
                if wrong:
                    done.add(label)
                    found.append(f"{wrong} at {', '.join(f'{k}={n}' for k, n in right.point.sizes.items())}")
    return "\n".join([*found, f"{COUNTED}points: {points}"])


def judged(label: str, way: Any, module: Module, right: Right, bound: float) -> str:
    """The finding of one way to run a module at a point, or nothing."""
    return tried_at(label, way, right.point, lambda results: mistakes(module, results, right, bound))


def mistakes(module: Module, results: Results, right: Right, bound: float) -> Iterator[str]:
    """What is missing, has another shape, or is off."""
    for name, expected in right.values.items():
        yield from compared(name, results.values.get(name), expected, bound)
    for name in module.derivation.problem.targets:
        yield from compared(f"d{name}", results.gradients.get(name), right.gradients[name], bound)


def compared(name: str, array: np.ndarray | None, expected: np.ndarray, bound: float) -> Iterator[str]:
    """What is wrong with one array."""
    if array is None:
        yield f"{name} is not returned"
    else:
        limit = bound * max(1.0, float(np.max(np.abs(expected), initial=0.0)))
        yield from difference(name, np.asarray(array), expected, limit)


def with_slots(seed: int) -> Draw:
    """A program whose slots hold expressions."""
    slots = import_module("tests.campaign.slots")
    spec = slots.program_of(seed)

    def points() -> Iterator[Right]:
        for number in range(SAMPLES):
            sample = slots.sample_of(spec, SAMPLES * seed + number)
            upstream, values, gradients = slots.gradients_of(spec, sample, seed)
            yield Right(Point(sample.sizes, {**sample.arrays, **sample.ids}, upstream), values, gradients)

    return Draw(spec.text(), frozenset({"slots", *slots.features(spec)}), points)


def with_steps(seed: int) -> Draw:
    """A recurrence."""
    system = recurrences.drawn(seed)

    def points() -> Iterator[Right]:
        for steps, samples, width in STEPS:
            shapes = recurrences.shapes_of(system, steps, samples, width)
            sizes = {"T": steps, "B": samples, "N": width}
            arrays = inputs(seed, shapes, DRAWN["recurrence"])
            yield by_loss(sizes, arrays, lambda given: recurrences.loss_of(system, given, torch()))

    return Draw(
        recurrences.spec_of(system), frozenset({"recurrence", *recurrences.features(system)}), points, bound=1e-11
    )


def with_solves(seed: int) -> Draw:
    """One or two systems of equations."""
    draw = systems.drawn(seed)

    def points() -> Iterator[Right]:
        for sizes in EXTENTS:
            shapes = systems.shapes_of(draw, sizes)
            arrays = systems.with_one_root(draw, inputs(seed, shapes, DRAWN["system"]), torch())
            yield by_loss(sizes, arrays, lambda given: systems.loss_of(draw, given, torch()))

    return Draw(systems.spec_of(draw), frozenset({"system", *systems.features(draw)}), points)


def with_choices(seed: int) -> Draw:
    """Functions of several tensors."""
    program = choices.drawn(seed)

    def points() -> Iterator[Right]:
        for sizes, arrays in choices.points(program, seed):
            with suppress(OverflowError):
                yield by_loss(sizes, arrays, lambda given: program.loss(given, torch()))

    return Draw(program.text(), frozenset({"choice", *program.features()}), points)


DRAWS = (with_slots, with_steps, with_solves, with_choices)


def inputs(seed: int, shapes: Mapping[str, tuple[int, ...]], spread: float) -> dict[str, np.ndarray]:
    """Random inputs."""
    rng = np.random.default_rng(seed)
    return {name: np.asarray(spread * rng.normal(size=shape)) for name, shape in shapes.items()}


def by_loss(
    sizes: Mapping[str, int], arrays: Mapping[str, np.ndarray], loss_of: Callable[[dict[str, Any]], Any]
) -> Right:
    """The loss at some inputs, with its gradients as PyTorch has them."""
    tensors = {name: torch().tensor(array, requires_grad=True) for name, array in arrays.items()}
    loss = loss_of(tensors)
    if loss.requires_grad:  # what reads nothing but itself, from zeros, is constant
        loss.backward()
    gradients = {
        name: np.zeros(tensor.shape) if tensor.grad is None else tensor.grad.numpy() for name, tensor in tensors.items()
    }
    return Right(Point(sizes, arrays, {}), {"L": loss.detach().numpy()}, gradients)


def torch() -> Any:
    """PyTorch, of which the oracles are made."""
    return import_module("torch")
