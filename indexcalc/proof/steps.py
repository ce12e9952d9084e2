"""Does every step keep the value? Each `before` and `after` is evaluated at a random point.

Forward tensors come from the naive evaluator, gradients and unevaluated derivatives from the
oracles, named parts from their equations. A wrong rule is then named by its step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import sympy as sp

from indexcalc.algebra.build import is_negative
from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    Partial,
    Term,
    Terms,
    free_indices,
    tensors_of,
    walk,
)
from indexcalc.calculus.steps import Derivation, Step, Subject, ThroughConsumer
from indexcalc.errors import UnsupportedError
from indexcalc.problem import Problem
from indexcalc.program import Identity, Program, Tensor
from indexcalc.proof.evaluate import Environment, evaluate_lanes, run_program, size_of
from indexcalc.proof.extents import Sizes
from indexcalc.proof.numeric import Array
from indexcalc.proof.oracles import (
    Point,
    expression_jacobian,
    gradients_by_entry,
    lane,
    local_jacobian,
    relative_error,
    total_gradient,
)
from indexcalc.proof.orders import fixed_inputs
from indexcalc.proof.sampling import sample_point, size_sets, weights_for
from indexcalc.rewrite.backward import in_steps

STEP_BOUND = 1e-8
"""The relative error at which a step counts as wrong."""

FLOOR = 1e-4
"""The least scale an error is divided by; inputs and upstream gradients are of order 1."""


@dataclass(frozen=True)
class Context:
    """A random point, with the value of everything a step may name.

    Attributes:
        problem: the forward program and what is asked.
        point: the forward tensors.
        weights: the upstream gradient by forward tensor; 1 for the loss.
        named: every tensor a step may read: forward tensors, upstream and other gradients, named parts.
        statistics: the tensors that are differentiated through.
        totals: the derivative of the loss by tensors, where it is known.
    """

    problem: Problem
    point: Point
    weights: Mapping[str, Array]
    named: Mapping[str, Array]
    statistics: frozenset[str]
    totals: Mapping[str, Array]


@dataclass(frozen=True)
class Failure:
    """A step, an equation or an identity whose two sides differ.

    Attributes:
        what: what is wrong, in words, with the rule or the equation's name.
        error: the relative error (infinite for a wrong shape or a NaN).
        sizes: the extents at which it was seen.
        step: the step, if it is one.
    """

    what: str
    error: float
    sizes: Mapping[str, int]
    step: Step | None = None


def context_of(derivation: Derivation, sizes: Sizes, rng: np.random.Generator) -> Context:
    """Everything the steps of a derivation may name, at one random point, however long it takes."""
    problem = derivation.problem
    point = sample_point(problem.program, sizes, rng, held=fixed_inputs(problem))
    weights = weights_for(problem, point, rng)
    tensors = gradients_read(derivation)
    totals = gradients_by_entry(problem.program, point, weights, tensors)
    if totals is None:
        totals = {tensor: total_gradient(problem.program, point, weights, tensor) for tensor in tensors}
    return context_at(derivation, point, weights, totals)


def gradients_read(derivation: Derivation) -> tuple[str, ...]:
    """The tensors whose gradients a step may name."""
    problem, read = derivation.problem, set(names_in(derivation))
    given = {up.name for up in problem.upstream}
    return tuple(tensor for tensor, name in problem.gradient_names.items() if name in read - given)


def context_at(
    derivation: Derivation, point: Point, weights: Mapping[str, Array], totals: Mapping[str, Array]
) -> Context:
    """The same at a point that is given.

    Args:
        derivation: whose steps they are.
        point: the forward tensors.
        weights: the upstream gradients.
        totals: the derivative of the loss by each tensor of `gradients_read`, and by others.
    """
    problem = derivation.problem
    named: dict[str, Array] = dict(point.values)
    named.update({up.name: weights[up.of] for up in problem.upstream})
    for tensor in gradients_read(derivation):
        named.setdefault(problem.gradient_names[tensor], totals[tensor])
    for tensor, name in problem.stationary.items():
        # What adjoint variables make zero.
        named[name] = np.zeros(np.shape(point.values[tensor]))
    named.update(made_of(derivation, named, point))
    return Context(problem, point, weights, named, derivation.statistics, totals)


def made_of(derivation: Derivation, named: Mapping[str, Array], point: Point) -> dict[str, Array]:
    """What sections define besides gradients, from their equations: parts, and derivatives along directions."""
    equations = tuple(one.equation for one in derivation.sections if one.equation.name not in named)
    made = {equation.name for equation in equations}
    forward = derivation.problem.program
    # Systems of these are solved; a recurrence among them goes from step to step.
    unknowns = tuple(unknown for unknown in derivation.backward.unknowns if unknown.residual in made)
    given = tuple(forward.tensors.get(name, Tensor(name)) for name in named)
    program = Program(
        "", given, in_steps(equations, {one.name: one.residual for one in unknowns}), (), unknowns=unknowns
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        values = run_program(program, named, point.sizes, point.parameters)
    shapes = {equation.name: equation.slots for equation in equations}
    shapes |= {unknown.name: unknown.tensor.slots for unknown in unknowns}
    return {
        name: np.broadcast_to(values[name], tuple(size_of(slot, point.numbers) for slot in slots))
        for name, slots in shapes.items()
    }


def names_in(derivation: Derivation) -> Iterator[str]:
    """Every tensor that a step, an equation or an identity reads or defines."""
    for step in derivation.all_steps():
        yield from tensors_of((*step.before, *step.after))
        yield from tensors_of(subject_terms(step.subject))
    for section in derivation.sections:
        yield from (section.equation.name, *tensors_of(section.equation.terms))
    for identity in identities_of(derivation):
        yield from tensors_of((*identity.left, *identity.right))


def subject_terms(subject: Subject) -> Terms:
    """The subject as terms: itself, the left side of an identity; nothing for a consumer's contribution."""
    if isinstance(subject, ThroughConsumer):
        return ()
    return subject.left if isinstance(subject, Identity) else (Term(sp.S.One, ((subject, sp.S.One),)),)


def identities_of(derivation: Derivation) -> tuple[Identity, ...]:
    """The identities that the derivation says are proved."""
    return tuple(proof.identity for proof in (*derivation.lemmas, *derivation.proofs))


def value_of(
    terms: Terms,
    free: tuple[Index, ...],
    named: Mapping[str, Array],
    point: Point,
    partials: Mapping[Partial, Array] | None = None,
) -> Array:
    """The value of terms that read named tensors and unevaluated derivatives."""
    lanes = {name: lane(array) for name, array in named.items()}
    derivatives = {partial: lane(array) for partial, array in (partials or {}).items()}
    with np.errstate(divide="ignore", invalid="ignore"):
        result = evaluate_lanes(terms, free, Environment(lanes, point.numbers, derivatives, point.outside))[0]
    return np.broadcast_to(result, tuple(size_of(index, point.numbers) for index in free))


def check_step(step: Step, context: Context) -> float:
    """The worst relative error among ``before = after`` and ``subject = before``."""
    subject = step.subject
    here = subject_terms(subject)
    through = context.statistics | consumer_of(subject)
    partials = {
        base: partial_value(base, context, through)
        for base in walk((*here, *step.before, *step.after))
        if isinstance(base, Partial)
    }
    of_subject = subject.gradient.indices if isinstance(subject, ThroughConsumer) else free_indices(here)
    free = tuple(dict.fromkeys((*of_subject, *free_indices((*step.before, *step.after)))))
    before = value_of(step.before, free, context.named, context.point, partials)
    after = value_of(step.after, free, context.named, context.point, partials)
    if isinstance(subject, ThroughConsumer):
        own = contribution(subject, context)
        own = np.broadcast_to(own.reshape(own.shape + (1,) * (before.ndim - own.ndim)), before.shape)
    else:
        own = value_of(here, free, context.named, context.point, partials)
    scale = largest_term((*step.before, *step.after), free, context, partials)
    if context.problem.program.is_recurrent:
        # What no line defines, as the logarithm of a sum at the first step, has no value that could be kept.
        after, before, own = at_values(after, before, own)
    return max(relative_error(after, before, scale), relative_error(before, own, scale))


def at_values(after: Array, before: Array, own: Array) -> tuple[Array, Array, Array]:
    """The entries at which what a step starts from has a value; what it gives must have one there."""
    known = np.isfinite(before) & np.isfinite(own)
    return after[known], before[known], own[known]


def largest_term(terms: Terms, free: tuple[Index, ...], context: Context, partials: Mapping[Partial, Array]) -> float:
    """The largest sum of absolute values in any term: where they cancel, what is left is only as exact as they are."""
    values = (value_of(absolute((term,)), free, context.named, context.point, partials) for term in terms)
    return max([FLOOR, *(float(np.max(np.abs(value[np.isfinite(value)]), initial=0.0)) for value in values)])


def absolute(terms: Terms) -> Terms:
    """The sum of the absolute values of all that is added up, sums within products included."""
    return tuple(
        Term(
            -term.coeff if is_negative(term.coeff) else term.coeff,
            tuple((magnitude(base, in_parts=not exponent.is_negative), exponent) for base, exponent in term.powers),
            term.summed,
        )
        for term in terms
    )


def magnitude(base: Base, *, in_parts: bool) -> Base:
    """The absolute value of a factor, or of a sum that of its parts."""
    match base:
        case Add(terms) if in_parts:
            return Add(absolute(terms))
        case Delta() | Iverson():
            return base
    return Fn("abs", ((Term(sp.S.One, ((base, sp.S.One),)),),))


def consumer_of(subject: Subject) -> frozenset[str]:
    """The tensor through whose own equation the subject is a derivative."""
    if isinstance(subject, ThroughConsumer):
        return frozenset({subject.consumer})
    if isinstance(subject, Partial) and isinstance(subject.base, Access):
        return frozenset({subject.base.tensor})
    return frozenset()


def partial_value(partial: Partial, context: Context, through: frozenset[str]) -> Array:
    """A derivative of one factor by the entries of a tensor, other tensors than `through` held."""
    base, wrt = partial.base, partial.wrt.tensor
    program, point = context.problem.program, context.point
    whole: Terms = (Term(sp.S.One, ((base, sp.S.One),)),)
    if isinstance(base, Access) and base.tensor in program.definitions and (partial.step or base.tensor != wrt):
        # Through its own equation alone: of a recurrence, one step.
        whole = one_step(context, base)
        through = through - {base.tensor}
    return expression_jacobian(program, point, whole, free_indices(base), wrt, through=through - {wrt})


def one_step(context: Context, entry: Access) -> Terms:
    """The right side of the equation of an entry, whose own tensor is held at other steps."""
    equation = context.problem.program.definitions[entry.tensor]
    return substitute(equation.terms, dict(zip(equation.slots, entry.slots, strict=True)))


def contribution(subject: ThroughConsumer, context: Context) -> Array:
    """What the paths through one consumer add to a gradient, by the oracles."""
    program, point = context.problem.program, context.point
    above, wrt = context.totals.get(subject.consumer), subject.wrt.tensor
    if above is None:
        above = total_gradient(program, point, context.weights, subject.consumer)
    if subject.consumer == wrt:
        slots = program.tensors[wrt].slots
        terms = program.definitions[wrt].terms
        jacobian = expression_jacobian(program, point, terms, slots, wrt, through=context.statistics)
    else:
        jacobian = local_jacobian(program, point, subject.consumer, wrt, context.statistics)
    return np.asarray(np.tensordot(above, jacobian, axes=above.ndim))


def check_derivation(derivation: Derivation, seed: int = 0, sizes: Iterable[Sizes] | None = None) -> list[Failure]:
    """Every step, equation and identity of a derivation whose value is not kept, at random points.

    Args:
        derivation: what to check.
        seed: of the random numbers.
        sizes: the extents to try; by default one set with all extents different, and one with a 1.
    """
    return [failure for stage in derivation.stages for failure in check_stage(stage, seed, sizes)]


def check_stage(derivation: Derivation, seed: int, sizes: Iterable[Sizes] | None) -> list[Failure]:
    """The same for steps that are all about the tensors of one program."""
    rng = np.random.default_rng(seed)
    sets = tuple(sizes) if sizes is not None else size_sets(derivation.problem.program, rng, count=1)[:2]
    failures: list[Failure] = []
    for number, chosen in enumerate(sets):
        try:
            context = context_of(derivation, chosen, rng)
        except UnsupportedError:
            # With an extent of 1, a sum over pairs of different points is empty, and a program may divide by it.
            if number == 0 or sizes is not None:
                raise
            continue
        failures.extend(check_at(derivation, context))
    return failures


def check_at(derivation: Derivation, context: Context) -> Iterator[Failure]:
    """The failures at one point."""
    sizes = {str(extent): size for extent, size in context.point.sizes.items()}
    for step in derivation.all_steps():
        error = check_step(step, context)
        if error > STEP_BOUND:
            yield Failure(f"the step {step.rule.name} changes the value of {step.subject}", error, sizes, step)
    for section in derivation.sections:
        equation = section.equation
        found = value_of(equation.terms, equation.slots, context.named, context.point)
        scale = FLOOR
        if equation.name in derivation.problem.stationary.values():
            # It is zero because its terms cancel.
            scale = largest_term(equation.terms, equation.slots, context, {})
        error = relative_error(found, context.named[equation.name], scale)
        if error > STEP_BOUND:
            yield Failure(f"the equation of {equation.name} is wrong", error, sizes)
    for identity in identities_of(derivation):
        free = free_indices((*identity.left, *identity.right))
        left = value_of(identity.left, free, context.named, context.point)
        error = relative_error(left, value_of(identity.right, free, context.named, context.point), FLOOR)
        if error > STEP_BOUND:
            yield Failure(f"the identity {identity} does not hold", error, sizes)
