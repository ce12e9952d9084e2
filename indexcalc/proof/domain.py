"""Where a program is defined and smooth: what its functions and powers ask of their arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import sympy as sp

from indexcalc.algebra.build import power, scale
from indexcalc.algebra.terms import (
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    Power,
    Term,
    Terms,
    free_indices,
    inner_terms,
    tensors_of,
)
from indexcalc.errors import Place
from indexcalc.program import Equation, Program, Unknown
from indexcalc.proof.evaluate import Environment, Numbers, evaluate_lanes, run_blocks
from indexcalc.proof.extents import has_parts
from indexcalc.proof.numeric import Array, Kink, numeric_of
from indexcalc.proof.systems import STEP, flat, joint, parted, slopes_at

MARGIN = 1e-3
"""The least distance of an argument from a kink, a singularity or the end of a domain."""

HAIR = 1e-6
"""The least distance from a kink for an oracle that moves nothing by more than rounding does.

Among thousands of arguments of a relu there is nearly always one within `MARGIN` of zero. Where the two sides of a clip
are one and the same, an argument is exactly zero; such an oracle then takes the side that is agreed on.
"""

STEADY = 1e-9
"""By which part of itself rounding may move a number that must not be zero, where it is below `MARGIN`."""

SHAKEN = 1e-12
"""By which part of itself an entry is moved to see what rests on its last digits."""

DYADIC = 2.0**10
"""What is a whole number of such parts of one is computed without rounding."""

WORST_CONDITION = 1e4
"""The largest condition number of a system's matrix at which a comparison of gradients is meaningful."""

LARGEST = 1e8
"""The largest magnitude of a tensor's entry at which a comparison of gradients is meaningful."""

STEEPEST = 300
"""The largest exponent: beyond, products of exponentials are no numbers, though they stand in a denominator alone."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What an equation asks of one expression in it.

    Attributes:
        tensor: the tensor whose equation it is.
        meaning: for the message, such as ``the argument of log must be positive``.
        terms: the sum-free expression.
        holds: whether an array of its values is admissible.
        positive: whether it is a demand for positive values.
        place: where the equation stands.
        still: whether a value may be exactly zero, as long as it is not for rounding alone.
        small: whether values may be small of which rounding moves but small parts: sums of small exponentials, say.
        guards: the brackets of expressions around it: where they are zero nothing is asked, as at the first step of a
            recurrence of what the others compute.
    """

    tensor: str
    meaning: str
    terms: Terms
    holds: Callable[[Array], bool]
    positive: bool
    place: Place | None = None
    still: bool = False
    small: bool = False
    guards: tuple[Power, ...] = ()


@dataclass(frozen=True, slots=True)
class Violation:
    """What does not hold at a point, in words, and where it is asked for."""

    meaning: str
    place: Place | None = None


def powers_at_any_depth(
    terms: Terms, around: tuple[Power, ...] = ()
) -> Iterator[tuple[Base, sp.Expr, tuple[Power, ...]]]:
    """Every factor with its exponent, also inside functions and sums, and the brackets of expressions around it."""
    for term in terms:
        own = (power for power in term.powers if isinstance(power[0], Delta | Iverson) and not power[0].is_plain)
        guards = (*around, *own)
        for base, exponent in term.powers:
            yield base, exponent, guards
            yield from powers_at_any_depth(inner_terms(base), guards)


def above_margin(array: Array) -> bool:
    """Whether all entries are positive, and not nearly zero."""
    return bool(np.all(array > MARGIN))


def not_too_steep(array: Array) -> bool:
    """Whether no entry exceeds the largest exponent."""
    return bool(np.all(array <= STEEPEST))


def off_zero(array: Array) -> bool:
    """Whether no entry is nearly zero."""
    return bool(np.all(np.abs(array) > MARGIN))


def away_from_kink(margin: float) -> Callable[[Array], bool]:
    """The test that no entry is near zero; exactly there it may be, as ``x_j - x_j`` is for every x.

    Around such a point the argument is zero too, and what the function makes of it has the derivative of both sides.
    """
    return lambda array: bool(np.all((np.abs(array) > margin) | (array == 0)))


def at_kink(kink: Kink, args: Sequence[Terms]) -> Terms:
    """What of the arguments of a function is zero where it has no derivative."""
    match kink:
        case Kink.FIRST:
            return args[0]
        case Kink.DIFFERENCE:
            return (*args[0], *scale(args[1], -sp.S.One))
        case Kink.SQUARES:
            return tuple(power(arg, sp.Integer(2)) for arg in args if arg)


def demands(program: Program, numbers: Numbers, margin: float = MARGIN) -> Iterator[Demand]:
    """Everything that must hold at a point for the program to be defined there, and smooth `margin` around it."""
    for equation in program.equations:
        for base, exponent, guards in powers_at_any_depth(equation.terms):
            for demand in demands_of(equation, base, exponent, numbers, margin):
                yield replace(demand, place=equation.place, guards=guards)


def demands_of(equation: Equation, base: Base, exponent: sp.Expr, numbers: Numbers, margin: float) -> Iterator[Demand]:
    """What one factor of an equation asks."""
    whole, small = (Term(sp.S.One, ((base, sp.S.One),)),), margin < MARGIN
    if isinstance(base, Fn):
        row = numeric_of(base.name)
        if base.name == "exp":
            meaning = f"the argument of exp must not exceed {STEEPEST}"
            yield Demand(equation.name, meaning, base.arg, not_too_steep, positive=False)
        if row.positive:
            meaning = f"the argument of {base.name} must be positive"
            yield Demand(equation.name, meaning, base.args[0], above_margin, positive=True, small=small)
        # A constant is never moved, so that it may stand at a kink.
        if row.kink is not None and tensors_of(gap := at_kink(row.kink, base.args)):
            meaning = f"the arguments of {base.name} must not be near its kink"
            yield Demand(equation.name, meaning, gap, away_from_kink(margin), positive=False, still=True)
    if not exponent.is_integer:
        meaning = f"the base of a power {exponent} must be positive"
        yield Demand(equation.name, meaning, whole, above_margin, positive=True, small=small)
    elif exponent.is_negative:
        meaning = "a denominator must not be near zero"
        yield Demand(equation.name, meaning, whole, off_zero, positive=False, small=small)


def shown(terms: Terms, guards: tuple[Power, ...], env: Environment) -> Array:
    """The values of an expression where no bracket around it is zero."""
    beside = Term(sp.S.One, guards)
    axes: tuple[Index, ...] = free_indices((*terms, beside))
    found = evaluate_lanes(terms, axes, env)
    if not guards:
        return found
    holds = evaluate_lanes((beside,), axes, env)
    found, holds = np.broadcast_arrays(found, holds)
    return np.asarray(found[holds != 0])


def demands_by_equation(program: Program, numbers: Numbers, margin: float = MARGIN) -> dict[str, list[Demand]]:
    """What each equation asks, by its name."""
    found: dict[str, list[Demand]] = {}
    for demand in demands(program, numbers, margin):
        found.setdefault(demand.tensor, []).append(demand)
    return found


def run_where_defined(
    program: Program,
    inputs: Mapping[str, Array],
    numbers: Numbers,
    asked: Mapping[str, Sequence[Demand]],
    *,
    largest: float = LARGEST,
) -> dict[str, Array] | Violation:
    """Every tensor of the program, or the first demand that is not met; what comes after that is not computed.

    Args:
        program: the forward program.
        inputs: an array for each input.
        numbers: the values of extents and parameters.
        asked: what is asked, by equation.
        largest: what no entry may reach.
    """
    given = {name: np.asarray(array)[np.newaxis] for name, array in inputs.items()}
    values = dict(given)
    env = Environment(values, numbers, outside=has_parts(program))
    for block in run_blocks(program, given, numbers, values, {}):
        if (violation := violation_in(block, program, env, asked, largest)) is not None:
            return violation
    return violation_of_inputs(program, env, largest) or {name: array[0] for name, array in values.items()}


def violation_in(
    block: Sequence[Equation],
    program: Program,
    env: Environment,
    asked: Mapping[str, Sequence[Demand]],
    largest: float,
) -> Violation | None:
    """The first thing that a block which is computed does not meet."""
    unknowns = program.determined_by(block)
    if unknowns and condition(unknowns, block, env) > WORST_CONDITION:
        names = " and ".join(unknown.name for unknown in unknowns)
        meaning = f"the system for {names} must not be singular, nor nearly so, and must have a solution that is found"
        return Violation(meaning, program.definitions[unknowns[0].residual].place)
    for equation in block:
        for demand in asked.get(equation.name, ()):
            if (missing := unmet(demand, env, program)) is not None:
                return Violation(f"in the equation of {demand.tensor}, {missing}", demand.place)
    for name in (*(equation.name for equation in block), *(unknown.name for unknown in unknowns)):
        if not np.all(np.abs(env.tensors[name]) < largest):
            place = program.definitions[name].place if name in program.definitions else None
            return too_large(name, largest, place)
    return None


def too_large(name: str, largest: float, place: Place | None = None) -> Violation:
    """A tensor has an entry that no comparison of gradients can deal with."""
    return Violation(f"{name} has entries that are not finite or exceed {largest:.0e}", place)


def violation_of_inputs(program: Program, env: Environment, largest: float) -> Violation | None:
    """The first thing that the inputs, and what is assumed of all tensors, do not meet."""
    for tensor in program.inputs:
        if not np.all(np.abs(env.tensors[tensor.name]) < largest):
            return too_large(tensor.name, largest)
        if tensor.domain is not None and not lies_in(env.tensors[tensor.name], tensor.domain):
            return Violation(
                f"{tensor.name} has entries outside its domain {tensor.domain}, by what is assumed of it", None
            )
    for identity in program.assumptions:
        axes = free_indices((*identity.left, *identity.right))
        gap = evaluate_lanes(identity.left, axes, env) - evaluate_lanes(identity.right, axes, env)
        if not np.all(np.abs(gap) < 1e-9):
            meaning = (
                "an assumption does not hold; random inputs are made to satisfy only "
                "assumptions of the form: the sum of one input over some of its slots is a constant, "
                "an input is the same, or its negative, with its slots in another order, or it is spd"
            )
            return Violation(meaning, identity.place)
    return None


def unmet(demand: Demand, env: Environment, program: Program) -> str | None:
    """What does not hold of a demand, in words."""
    found = shown(demand.terms, demand.guards, env)
    if not demand.holds(found):
        other = shown(demand.terms, demand.guards, moved(demand, env, program)) if demand.small else np.zeros(())
        if not demand.small or not steady(found, other, positive=demand.positive):
            return demand.meaning
    if demand.still and np.any(found == 0):
        other = shown(demand.terms, demand.guards, moved(demand, env, program))
        if np.any((found == 0) & (other != 0)):
            return "what is compared must not be equal but for rounding"
    return None


def moved(demand: Demand, env: Environment, program: Program) -> Environment:
    """The environment of a demand with all that is computed moved in its last digits."""
    read = tensors_of((*demand.terms, Term(sp.S.One, demand.guards)))
    near = {name: shaken(env.tensors[name]) for name in read if name in program.definitions}
    return replace(env, tensors={**env.tensors, **near})


def condition(unknowns: Sequence[Unknown], block: Sequence[Equation], env: Environment) -> float:
    """The condition number of a system at its solution; infinite where it has none."""
    shapes = {one.name: env.tensors[one.name].shape[1:] for one in unknowns}
    at = joint([env.tensors[one.name] for one in unknowns])
    if not np.all(np.isfinite(at)):
        return np.inf
    tensors = dict(env.tensors)

    def residual(found: Array) -> Array:
        tensors.update(parted(found, shapes))
        for equation in block:
            tensors[equation.name] = evaluate_lanes(equation.terms, equation.slots, replace(env, tensors=tensors))
        return joint([tensors[unknown.residual] for unknown in unknowns])

    size = max(1.0, float(np.max(np.abs(at), initial=0.0)))
    slopes = slopes_at(residual, at, flat(residual(at)), STEP * size)[0]
    return float(np.linalg.cond(slopes)) if np.all(np.isfinite(slopes)) and slopes.size else np.inf


def shaken(array: Array) -> Array:
    """The array with each entry that is rounded moved in its last digits, all by different parts of themselves."""
    parts = 1 + np.arange(array.size).reshape(array.shape) / max(array.size, 1)
    return np.where(array * DYADIC == np.round(array * DYADIC), array, array * (1 + SHAKEN * parts))


def steady(array: Array, other: Array, *, positive: bool) -> bool:
    """Whether no entry is zero, nor negative where all must be positive, nor what rounding leaves of larger numbers."""
    signed = array > 0 if positive else array != 0
    return bool(np.all(signed & (np.abs(other - array) <= STEADY * np.abs(array))))


def lies_in(array: Array, domain: sp.Interval) -> bool:
    """Whether all entries lie in an interval; ends that are rounded count as its own where it is closed."""
    low, high = float(domain.start), float(domain.end)
    above = array > low if domain.left_open else array >= low - MARGIN**4
    below = array < high if domain.right_open else array <= high + MARGIN**4
    return bool(np.all(above & below))


def feeding_positive(program: Program, numbers: Numbers) -> frozenset[str]:
    """Every tensor from which a place that must be positive is computed."""
    found: set[str] = set()
    for demand in demands(program, numbers):
        if demand.positive:
            found.update(tensors_of(demand.terms))
    for equation in reversed(program.equations):
        if equation.name in found:
            found.update(tensors_of(equation.terms))
    return frozenset(found)


def alone_in_positive(program: Program, numbers: Numbers) -> frozenset[str]:
    """The tensors that stand alone in a place that must be positive."""
    return frozenset(
        tensors_of(demand.terms)[0]
        for demand in demands(program, numbers)
        if demand.positive and len(demand.terms) == 1 and len(tensors_of(demand.terms)) == 1
    )
