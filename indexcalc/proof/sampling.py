"""Random sizes and random inputs inside a program's domain, away from kinks and singularities."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
import sympy as sp

from indexcalc.errors import LimitError, UnsupportedError
from indexcalc.problem import Problem
from indexcalc.program import Program, Tensor
from indexcalc.proof.constraints import Constraint, SumConstraint, constraints_of, imposed
from indexcalc.proof.domain import (
    LARGEST,
    MARGIN,
    Violation,
    alone_in_positive,
    demands_by_equation,
    feeding_positive,
    run_where_defined,
)
from indexcalc.proof.evaluate import GRID_LIMIT, Numbers, number, numbers_of, size_of
from indexcalc.proof.extents import Sizes, has_parts, index_extents, undefined_at
from indexcalc.proof.numeric import Array
from indexcalc.proof.oracles import Point

ATTEMPTS = 20
"""Draws of one kind before another is tried."""

DRAWS = 40
"""Draws of extents before giving up on finding some at which all scalars have values."""

EDGE = 0.05
"""How far from the ends of its domain an entry is drawn, as a part of the length of the domain."""

ROOM = 6
"""The most sizes that extents are drawn from, unless there are more extents."""

MANY = 8
"""From so many extents on, sizes are 2 or 3: arrays over indices of different sizes would be too large."""

SINGLE_SETS = 6
"""The most size sets in which just one extent is 1."""


def size_sets(program: Program, rng: np.random.Generator, count: int = 3) -> tuple[Sizes, ...]:
    """Values for the symbolic extents: `count` sets all different and above 1, then one extent 1 each, then all 1.

    Literal extents stay as they are and are avoided, so that no two extents agree by accident. Where a
    scalar of the program has no value at small extents, the sets without 1s are drawn among larger ones.
    """
    extents = program.extents
    slots = [slot for tensor in program.tensors.values() for slot in tensor.slots]
    literal = {int(slot.extent) for slot in slots if slot.extent.is_Integer}
    # Few extents have room to vary; many take the smallest sizes that differ, for the work grows with their product.
    room = max(len(extents), min(len(extents) + 2, ROOM))
    pool = [size for size in range(2, 2 + room + len(literal)) if size not in literal][:room]
    sets = [defined(program, pool, rng) for _ in range(count if extents else 1)]
    sets.extend({**defined(program, pool, rng), extent: 1} for extent in extents[:SINGLE_SETS])
    if len(extents) > 1:
        sets.append(dict.fromkeys(extents, 1))
    if not index_extents(program):
        return tuple(sets)
    # Extents such as N - K + 1 leave no room for some sizes.
    return tuple(sizes for n, sizes in enumerate(sets) if n == 0 or runs(program, sizes))


def runs(program: Program, sizes: Mapping[sp.Symbol, int]) -> bool:
    """Whether every index has a value at these sizes."""
    return all(number(extent, numbers_of(sizes)) >= 1 for extent in index_extents(program))


def defined(program: Program, pool: list[int], rng: np.random.Generator) -> Sizes:
    """A different size for each extent at which the program's scalars have values, as small as a few draws find it."""
    extents = program.extents
    first = sizes = distinct(extents, pool, rng)
    for attempt in range(DRAWS):
        if not undefined_at(program, sizes):
            return sizes
        wider = [size for size in range(2, pool[-1] + 2 + attempt) if size in pool or size > pool[-1]]
        sizes = distinct(extents, wider, rng)
    return first


def distinct(extents: tuple[sp.Symbol, ...], pool: list[int], rng: np.random.Generator) -> Sizes:
    """A different size from the pool for each extent; 2 or 3 for `MANY` extents."""
    if len(extents) >= MANY:
        return {extent: int(rng.integers(2, 4)) for extent in extents}
    chosen = rng.permutation(len(pool))[: len(extents)]
    return {extent: pool[int(n)] for extent, n in zip(extents, chosen, strict=True)}


def sample_point(
    program: Program,
    sizes: Mapping[sp.Symbol, int],
    rng: np.random.Generator,
    parameters: Mapping[sp.Symbol, float] | None = None,
    margin: float = MARGIN,
    *,
    held: Collection[str] = (),
) -> Point:
    """Random inputs that respect the assumptions and the domain of every function, with all tensors computed.

    Args:
        program: the forward program.
        sizes: the value of each symbolic extent.
        rng: the source of randomness.
        parameters: values of the scalar parameters; drawn from [0.5, 1.5] by default.
        margin: how near a kink an argument may be where none farther away is found.
        held: the inputs that nothing is differentiated by; those with entries in a closed interval may be masks.

    Raises:
        UnsupportedError: if no draw satisfies the assumptions and domains; the message says which one failed.
        LimitError: if an input has more entries than the evaluator takes.
    """
    if index_extents(program) and (why := undefined_at(program, sizes)):
        raise UnsupportedError(f"no random inputs were found: {why}")
    scalars = {p.symbol: float(rng.uniform(0.5, 1.5)) for p in program.parameters} | dict(parameters or {})
    numbers = numbers_of(sizes, scalars)
    alone, feeding = alone_in_positive(program, numbers), feeding_positive(program, numbers)
    violation: Violation | None = None
    # Among many arguments one is near a kink by chance; what feeds a bounded domain may have to be positive itself.
    closer = [Kind(alone, margin), Kind(feeding, margin)] if margin < MARGIN else []
    closed = frozenset(tensor.name for tensor in program.inputs if is_closed(tensor))
    masks = [Kind(alone, margin, closed.intersection(held))] if closed.intersection(held) else []
    kinds = [Kind(alone, MARGIN), *closer[:1], *[Kind(feeding, MARGIN)] * 2, *closer[1:], *masks]
    asked = {margin: demands_by_equation(program, numbers, margin) for margin in {kind.margin for kind in kinds}}
    for kind, attempt in product(kinds, range(ATTEMPTS)):
        with np.errstate(all="ignore"):
            inputs = draw_inputs(program, numbers, rng, kind, spread=(1.0, 0.5)[attempt % 2])
            # What a mask adds to hide a score is as large as its author likes.
            largest = np.inf if kind.masks else LARGEST
            found = run_where_defined(program, inputs, numbers, asked[kind.margin], largest=largest)
        if not isinstance(found, Violation):
            return Point(found, dict(sizes), scalars, has_parts(program))
        # The first kind says what fails of inputs that are like any others.
        violation = violation or found
    assert violation is not None
    where = ", ".join(f"{extent} = {size}" for extent, size in sizes.items()) or "no extents"
    said = f"no random inputs were found at which the program is defined ({where}): {violation.meaning}"
    if free := sorted(closed.difference(held)):
        said += f"; if {free[0]} is a mask, leave it out of what is derived, and zeros and ones are tried"
    raise UnsupportedError(said, violation.place)


@dataclass(frozen=True, slots=True)
class Kind:
    """A way to draw inputs.

    Attributes:
        positive: the inputs of which entries must be positive.
        margin: how near a kink an argument may be.
        masks: the inputs whose entries are one of the two ends of their interval, as those of a mask of zeros and ones.
    """

    positive: frozenset[str]
    margin: float
    masks: frozenset[str] = frozenset()


def is_closed(tensor: Tensor) -> bool:
    """Whether the entries of an input lie in an interval to which both of its ends belong."""
    ends = tensor.domain
    return ends is not None and bool(
        ends.start.is_finite and ends.end.is_finite and not (ends.left_open or ends.right_open)
    )


def draw_inputs(
    program: Program, numbers: Numbers, rng: np.random.Generator, kind: Kind, *, spread: float
) -> dict[str, Array]:
    """Random entries in the domain of each input, positive where they must be; assumptions imposed on inputs."""
    by_tensor: dict[str, list[Constraint]] = {}
    for constraint in constraints_of(program):
        by_tensor.setdefault(constraint.tensor, []).append(constraint)
    inputs: dict[str, Array] = {}
    for tensor in program.inputs:
        shape = tuple(size_of(slot, numbers) for slot in tensor.slots)
        if math.prod(shape) > GRID_LIMIT:
            raise LimitError(
                f"{tensor.name} has {math.prod(shape)} entries; the check takes at most {GRID_LIMIT}: "
                "declare an extent by a name instead of a number, and it is checked at small sizes"
            )
        if tensor.values is not None:
            inputs[tensor.name] = np.asarray(rng.integers(0, round(number(tensor.values, numbers)), shape))
            continue
        constraints = by_tensor.get(tensor.name, [])
        scaled = any(isinstance(c, SumConstraint) and number(c.total, numbers) != 0 for c in constraints)
        low, high = ends_of(tensor, positive=scaled or tensor.name in kind.positive)
        if tensor.name in kind.masks:
            entries = np.where(rng.random(shape) < 0.5, low, high)
        else:
            entries = drawn(low, high, shape, rng, spread)
        inputs[tensor.name] = imposed(entries, constraints, numbers)
    return inputs


def ends_of(tensor: Tensor, *, positive: bool) -> tuple[float, float]:
    """The ends of the interval from which entries are drawn: positive entries where the domain has any."""
    if tensor.domain is None:
        return (0.0 if positive else -np.inf), np.inf
    low, high = float(tensor.domain.start), float(tensor.domain.end)
    return (max(low, 0.0) if positive and high > 0 else low), high


def drawn(low: float, high: float, shape: tuple[int, ...], rng: np.random.Generator, spread: float) -> Array:
    """Entries inside an interval: normal on the whole line, else uniform and off its ends."""
    if np.isinf(low) and np.isinf(high):
        return np.asarray(rng.normal(0.0, spread, shape))
    if np.isinf(high):
        return np.asarray(low + rng.uniform(0.3, 2.0, shape))
    if np.isinf(low):
        return np.asarray(high - rng.uniform(0.3, 2.0, shape))
    margin = EDGE * (high - low)
    return np.asarray(rng.uniform(low + margin, high - margin, shape))


def weights_for(problem: Problem, point: Point, rng: np.random.Generator) -> dict[str, Array]:
    """A random upstream gradient for every output that has one, and 1 for the loss."""
    weights = {up.of: rng.normal(size=np.shape(point.values[up.of])) for up in problem.upstream}
    if problem.loss is not None:
        weights[problem.loss] = np.ones(())
    return weights
