"""A tensor with several consumers gets one contribution from each: every path is checked on its own."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np

from indexcalc.calculus.steps import Derivation, Path, Section, ThroughConsumer
from indexcalc.program import Program
from indexcalc.proof.numeric import Array
from indexcalc.proof.oracles import (
    BOUNDS,
    WORK_LIMIT,
    Point,
    gradients_by_entry,
    grid_points,
    method_for,
    relative_error,
)
from indexcalc.proof.orders import fixed_inputs
from indexcalc.proof.report import Comparison
from indexcalc.proof.rounding import judged_again
from indexcalc.proof.sampling import sample_point, size_sets, weights_for
from indexcalc.proof.steps import Context, context_at, contribution, gradients_read, largest_term, value_of

PATH = "one path"
"""What the method of a comparison says of a share of a gradient, which nobody asked for by itself."""


def check_paths(derivation: Derivation, *, seed: int = 0) -> tuple[Comparison, ...]:
    """What each consumer adds to a gradient, as derived, against the oracles; nothing where all have one path.

    Where the oracles would take too long, nothing is compared.

    Args:
        derivation: whose paths to check.
        seed: of the random inputs and upstream gradients.
    """
    sections = [section for section in derivation.sections if section.target is not None and len(section.paths) > 1]
    paths = [(section, path) for section in sections for path in section.paths]
    if not paths:
        return ()
    first = derivation.stages[0]
    problem, rng = first.problem, np.random.default_rng(seed)
    sizes = size_sets(problem.program, rng, count=1)[0]
    point = sample_point(problem.program, sizes, rng, held=fixed_inputs(problem))
    weights = weights_for(problem, point, rng)
    read, consumers = gradients_read(first), [path.consumer.tensor for _, path in paths]

    def totals(at: Point) -> Mapping[str, Array]:
        return totals_of(problem.program, at, weights, (*read, *consumers))

    def differences(at: Point) -> list[Array]:
        near = context_at(first, at, weights, totals(at))
        return [derived - own for derived, own in (both(section, path, near) for section, path in paths)]

    known = totals(point)
    if not known.keys() >= {*read}:
        return ()
    here = context_at(first, point, weights, known)
    paths = [(section, path) for section, path in paths if has_time(section, path, here)]
    pairs = [both(section, path, here) for section, path in paths]
    compared = [comparison(*one, pair, here) for one, pair in zip(paths, pairs, strict=True)]
    if all(one.ok or math.isinf(one.error) for one in compared):
        return tuple(compared)
    right = [own for _, own in pairs]
    return tuple(
        judged_again(compared, [derived - own for derived, own in pairs], right, differences, (problem.program, point))
    )


def totals_of(
    program: Program, point: Point, weights: Mapping[str, Array], tensors: Collection[str]
) -> Mapping[str, Array]:
    """The derivative of the loss by some tensors: all at once, or those for which there is time one by one."""
    together = gradients_by_entry(program, point, weights, tensors)
    if together is not None:
        return together
    apart = {name: gradients_by_entry(program, point, weights, (name,)) for name in dict.fromkeys(tensors)}
    return {name: found[name] for name, found in apart.items() if found is not None}


def has_time(section: Section, path: Path, context: Context) -> bool:
    """Whether the gradient of the consumer, and its derivative by every entry, are no more work than oracles do."""
    if path.consumer.tensor not in context.totals:
        return False
    equation = context.problem.program.definitions.get(path.consumer.tensor)
    entries = np.size(context.point.values[section.target]) if section.target is not None else 0
    return equation is None or entries * grid_points(equation, context.point) <= WORK_LIMIT


def comparison(section: Section, path: Path, pair: tuple[Array, Array], context: Context) -> Comparison:
    """What is derived of a path against the oracles, as `both` gives it."""
    method = method_for(context.problem.program)
    error = relative_error(*pair, largest_term(path.result, section.equation.lhs.indices, context, {}))
    name = f"{section.equation.lhs.tensor} through {path.consumer.tensor}"
    sizes = {str(extent): size for extent, size in context.point.sizes.items()}
    return Comparison(name, f"{method}, {PATH}", error, BOUNDS[method], sizes)


def both(section: Section, path: Path, context: Context) -> tuple[Array, Array]:
    """What a path adds to a gradient: as derived, and by the oracles."""
    program, gradient = context.problem.program, section.equation.lhs
    assert section.target is not None
    subject = ThroughConsumer(gradient, program.tensors[section.target].entry, path.consumer.tensor)
    return value_of(path.result, gradient.indices, context.named, context.point), contribution(subject, context)
