"""A tensor with several consumers gets one contribution from each: every path is checked on its own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from indexcalc.calculus.steps import Derivation, Section, ThroughConsumer
from indexcalc.proof.oracles import BOUNDS, method_for, relative_error
from indexcalc.proof.report import Comparison
from indexcalc.proof.sampling import size_sets
from indexcalc.proof.steps import Context, context_of, contribution, largest_term, scale_of_contribution, value_of

PATH = "one path"
"""What the method of a comparison says of a share of a gradient, which nobody asked for by itself."""


def check_paths(derivation: Derivation, *, seed: int = 0) -> tuple[Comparison, ...]:
    """What each consumer adds to a gradient, as derived, against the oracles; nothing where all have one path.

    Args:
        derivation: whose paths to check.
        seed: of the random inputs and upstream gradients.
    """
    sections = [section for section in derivation.sections if section.target is not None and len(section.paths) > 1]
    if not sections:
        return ()
    rng = np.random.default_rng(seed)
    sizes = size_sets(derivation.problem.program, rng, count=1)[0]
    context = context_of(derivation.stages[0], sizes, rng)
    return tuple(comparison for section in sections for comparison in path_comparisons(section, context))


def path_comparisons(section: Section, context: Context) -> Iterator[Comparison]:
    """One comparison for each path of a section."""
    program = context.problem.program
    assert section.target is not None
    method = method_for(program)
    sizes = {str(extent): size for extent, size in context.point.sizes.items()}
    for path in section.paths:
        gradient = section.equation.lhs
        subject = ThroughConsumer(gradient, program.tensors[section.target].entry, path.consumer.tensor)
        derived = value_of(path.result, gradient.indices, context.named, context.point)
        terms = largest_term(path.result, gradient.indices, context, {})
        scale = max(terms, scale_of_contribution(subject, context))
        error = relative_error(derived, contribution(subject, context), scale)
        name = f"{gradient.tensor} through {path.consumer.tensor}"
        yield Comparison(name, f"{method}, {PATH}", error, BOUNDS[method], sizes)
