"""Is what a spec asks to prove true at all? Both sides are evaluated, whether a proof was found or not.

That no proof was found says nothing; that the sides differ at a random point refutes the claim.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from indexcalc.algebra.terms import Terms, free_indices, tensors_of
from indexcalc.errors import UnsupportedError
from indexcalc.notes.text import Spelling, terms_text
from indexcalc.problem import Problem
from indexcalc.program import Identity
from indexcalc.proof.evaluate import evaluate, numbers_of, size_of
from indexcalc.proof.extents import Sizes
from indexcalc.proof.numeric import Array
from indexcalc.proof.oracles import BOUNDS, Point, method_for, total_gradient
from indexcalc.proof.orders import closest, fixed_inputs
from indexcalc.proof.report import Comparison
from indexcalc.proof.sampling import sample_point, size_sets, weights_for

CLAIM_METHOD = "both sides evaluated"
"""How a claim is checked; gradients in it come from the oracles."""

ENTRIES = 500
"""How many entries of gradients are found beyond those at one set of sizes."""

FLOOR = 1e-4
"""The least scale an error is divided by; inputs and upstream gradients are of order 1."""


def check_claims(problem: Problem, *, seed: int = 0) -> tuple[Comparison, ...]:
    """For each claim of a problem, the worst error over several sets of sizes, in the order of the claims.

    Args:
        problem: the forward program and the claims.
        seed: of the random inputs and upstream gradients.

    Raises:
        UnsupportedError: if no random inputs satisfy the program's assumptions and domains.
    """
    if not problem.claims:
        return ()
    rng = np.random.default_rng(seed)
    worst: dict[int, Comparison] = {}
    for sizes in affordable(problem, size_sets(problem.program, rng)):
        try:
            point = sample_point(problem.program, sizes, rng, margin=closest(problem), held=fixed_inputs(problem))
        except UnsupportedError:
            if 1 not in sizes.values():
                raise
            continue
        named = named_values(problem, point, rng)
        for number, claim in enumerate(problem.claims):
            found = compare_sides(problem, claim, named, point)
            if number not in worst or found.error > worst[number].error:
                worst[number] = found
    return tuple(worst.values())


def affordable(problem: Problem, sets: Sequence[Sizes]) -> Sequence[Sizes]:
    """The set of different sizes with the fewest entries, and of the others the small ones, up to `ENTRIES` in all.

    The oracles move every entry of a gradient that is read.
    """
    read = gradients_read(problem)
    slots = [problem.program.tensors[tensor].slots for tensor in problem.gradient_names if tensor in read]

    def entries(sizes: Sizes) -> int:
        numbers = numbers_of(sizes)
        return sum(math.prod(size_of(slot, numbers) for slot in one) for one in slots)

    first, *others = sorted(sets, key=lambda sizes: (1 in sizes.values(), entries(sizes)))
    others.sort(key=entries)
    totals = accumulate(map(entries, others))
    return [first, *(sizes for sizes, total in zip(others, totals, strict=True) if total <= ENTRIES)]


def gradients_read(problem: Problem) -> frozenset[str]:
    """The tensors whose gradients claims read, without those that are given."""
    read = {name for claim in problem.claims for name in tensors_of((*claim.left, *claim.right))}
    given = {up.name for up in problem.upstream}
    return frozenset(tensor for tensor, name in problem.gradient_names.items() if name in read - given)


def named_values(problem: Problem, point: Point, rng: np.random.Generator) -> dict[str, Array]:
    """Every tensor that a claim reads: forward tensors, upstream gradients, gradients by the oracles."""
    weights = weights_for(problem, point, rng)
    named = {**point.values, **{up.name: weights[up.of] for up in problem.upstream}}
    wanted = gradients_read(problem)
    for tensor, name in problem.gradient_names.items():
        if tensor in wanted and name not in named:
            named[name] = total_gradient(problem.program, point, weights, tensor)
    return named


def compare_sides(problem: Problem, claim: Identity, named: dict[str, Array], point: Point) -> Comparison:
    """The two sides at one point; the scale of the error is the largest number that either side is made of."""
    free = free_indices((*claim.left, *claim.right))
    sides = [evaluate(terms, free, named, point.sizes, point.parameters) for terms in (claim.left, claim.right)]
    read = [named[name] for name in tensors_of((*claim.left, *claim.right))]
    scale = max([FLOOR, *(float(np.max(np.abs(array), initial=0.0)) for array in (*sides, *read))])
    error = float(np.max(np.abs(sides[0] - sides[1]), initial=0.0)) / scale
    sizes = {str(extent): size for extent, size in point.sizes.items()}
    bound = BOUNDS[method_for(problem.program)]
    return Comparison(
        claim_text(claim, problem), CLAIM_METHOD, error if np.isfinite(error) else float("inf"), bound, sizes
    )


def claim_text(claim: Identity, problem: Problem) -> str:
    """A claim in one line of text."""
    authored = {*problem.names.values(), *problem.given.values()}
    spelled = {name: f"d{problem.loss or 'L'}/d{tensor}" for tensor, name in problem.gradient_names.items()}
    unnamed = {name: text for name, text in spelled.items() if name not in authored}

    def side(terms: Terms) -> str:
        return terms_text(terms, Spelling(unnamed, problem.program.layouts))

    return f"{side(claim.left)} = {side(claim.right)}"
