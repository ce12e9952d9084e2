"""Random sizes and random inputs inside a program's domain, away from kinks and singularities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import sympy as sp

from indexcalc.algebra.terms import Access
from indexcalc.errors import UnsupportedError
from indexcalc.problem import Problem
from indexcalc.program import Identity, Program
from indexcalc.proof.domain import alone_in_positive, feeding_positive, first_violation
from indexcalc.proof.evaluate import Numbers, number, numbers_of, run_program, size_of
from indexcalc.proof.numeric import Array
from indexcalc.proof.oracles import Point

ATTEMPTS = 60
"""Draws before giving up; from a third of them on, all that feeds a bounded domain is positive."""

ROOM = 6
"""The most sizes that extents are drawn from, unless there are more extents."""

MANY = 8
"""From so many extents on, sizes are 2 or 3: arrays over indices of different sizes would be too large."""

SINGLE_SETS = 6
"""The most size sets in which just one extent is 1."""

Sizes = dict[sp.Symbol, int]


def size_sets(program: Program, rng: np.random.Generator, count: int = 3) -> tuple[Sizes, ...]:
    """Values for the symbolic extents: `count` sets all different and above 1, then one extent 1 each, then all 1.

    Literal extents stay as they are and are avoided, so that no two extents agree by accident.
    """
    extents = program.extents
    slots = [slot for tensor in program.tensors.values() for slot in tensor.slots]
    literal = {int(slot.extent) for slot in slots if slot.extent.is_Integer}
    # Few extents have room to vary; many take the smallest sizes that differ, for the work grows with their product.
    room = max(len(extents), min(len(extents) + 2, ROOM))
    pool = [size for size in range(2, 2 + room + len(literal)) if size not in literal][:room]
    sets = [distinct(extents, pool, rng) for _ in range(count if extents else 1)]
    sets.extend({**distinct(extents, pool, rng), extent: 1} for extent in extents[:SINGLE_SETS])
    if len(extents) > 1:
        sets.append(dict.fromkeys(extents, 1))
    return tuple(sets)


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
) -> Point:
    """Random inputs that respect the assumptions and the domain of every function, with all tensors computed.

    Args:
        program: the forward program.
        sizes: the value of each symbolic extent.
        rng: the source of randomness.
        parameters: values of the scalar parameters; drawn from [0.5, 1.5] by default.

    Raises:
        UnsupportedError: if no draw satisfies the assumptions and domains; the message says which one failed.
    """
    scalars = {p.symbol: float(rng.uniform(0.5, 1.5)) for p in program.parameters} | dict(parameters or {})
    numbers = numbers_of(sizes, scalars)
    alone, feeding = alone_in_positive(program, numbers), feeding_positive(program, numbers)
    violation = ""
    for attempt in range(ATTEMPTS):
        positive = alone if attempt < ATTEMPTS // 3 else feeding
        inputs = draw_inputs(program, numbers, rng, positive, spread=(1.0, 0.5)[attempt % 2])
        with np.errstate(all="ignore"):
            values = run_program(program, inputs, sizes, scalars)
            violation = first_violation(program, values, numbers)
        if not violation:
            return Point(values, dict(sizes), scalars)
    where = ", ".join(f"{extent} = {size}" for extent, size in sizes.items()) or "no extents"
    raise UnsupportedError(f"no random inputs were found at which the program is defined ({where}): {violation}")


def draw_inputs(
    program: Program, numbers: Numbers, rng: np.random.Generator, positive: frozenset[str], *, spread: float
) -> dict[str, Array]:
    """Normal entries, or entries from [0.3, 2] where they must be positive; assumptions imposed on inputs."""
    constraints = [c for c in (constraint_of(program, identity) for identity in program.assumptions) if c]
    made_positive = positive | {c.tensor for c in constraints if number(c.total, numbers) != 0}
    inputs: dict[str, Array] = {}
    for tensor in program.inputs:
        shape = tuple(size_of(slot, numbers) for slot in tensor.slots)
        drawn = rng.uniform(0.3, 2.0, shape) if tensor.name in made_positive else rng.normal(0.0, spread, shape)
        inputs[tensor.name] = np.asarray(drawn)
    for constraint in constraints:
        total = number(constraint.total, numbers)
        inputs[constraint.tensor] = imposed(inputs[constraint.tensor], constraint.axes, total)
    return inputs


def weights_for(problem: Problem, point: Point, rng: np.random.Generator) -> dict[str, Array]:
    """A random upstream gradient for every output that has one, and 1 for the loss."""
    weights = {up.of: rng.normal(size=np.shape(point.values[up.of])) for up in problem.upstream}
    if problem.loss is not None:
        weights[problem.loss] = np.ones(())
    return weights


@dataclass(frozen=True, slots=True)
class SumConstraint:
    """The sum of an input over some of its axes equals a scalar."""

    tensor: str
    axes: tuple[int, ...]
    total: sp.Expr


def constraint_of(program: Program, identity: Identity) -> SumConstraint | None:
    """The assumption as ``sum over slots of one input = constant``, or None if it has another form."""
    if len(identity.left) != 1 or any(term.powers or term.summed for term in identity.right):
        return None
    (term,) = identity.left
    if len(term.powers) != 1 or term.powers[0][1] != 1 or term.coeff == 0:
        return None
    base = term.powers[0][0]
    inputs = {tensor.name for tensor in program.inputs}
    if not isinstance(base, Access) or base.tensor not in inputs or len(set(base.slots)) != len(base.slots):
        return None
    axes = tuple(base.slots.index(index) for index in term.summed)
    return SumConstraint(base.tensor, axes, sp.Add(*(part.coeff for part in identity.right)) / term.coeff)


def imposed(array: Array, axes: tuple[int, ...], total: float) -> Array:
    """The array scaled (or, for a total of zero, shifted) so that its sum over the axes is `total`."""
    if total == 0:
        return np.asarray(array - array.mean(axis=axes, keepdims=True))
    return np.asarray(array * (total / array.sum(axis=axes, keepdims=True)))
