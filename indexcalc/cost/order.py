"""In which order a sum over a product of several factors is computed: pair by pair, cheapest in all.

A pair is multiplied over all indices of both, and summed over those that nothing else carries: one
operation each for every point. Which order is cheapest depends on the sizes; here they are nominal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from indexcalc.algebra.terms import Index
from indexcalc.rewrite.cost import Sizes, size_of

EXACT_LIMIT = 7
"""The most factors for which all orders are compared; beyond it, the cheapest pair goes first."""

PLAN_CACHE = 5_000
"""The number of products whose orders are remembered."""

Indices = tuple[Index, ...]


@dataclass(frozen=True, slots=True)
class Factor:
    """An array that is multiplied, or divided by, over these indices."""

    indices: Indices
    inverse: bool = False


@dataclass(frozen=True, slots=True)
class Work:
    """Operations: so many for every point of these indices."""

    indices: Indices
    times: int = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """How a product is computed: every operation in order, the array that comes out, and the nominal cost."""

    works: tuple[Work, ...]
    result: Factor
    cost: int


def contraction(factors: Sequence[Factor], bound: Sequence[Index], sizes: Sizes) -> Plan:
    """The cheapest pairwise order of ``sum[bound] prod(factors)``.

    Args:
        factors: at least one.
        bound: the summed indices; each occurs in some factor.
        sizes: by which orders are compared.
    """
    return ordered(tuple(factors), tuple(bound), sizes)


@lru_cache(maxsize=PLAN_CACHE)
def ordered(factors: tuple[Factor, ...], bound: Indices, sizes: Sizes) -> Plan:
    """What `contraction` gives: the terms of an equation are products over the same few sets of indices."""
    summed = frozenset(bound)
    plans = [presummed(n, factors, summed, sizes) for n in range(len(factors))]
    if len(plans) == 1:
        return plans[0]
    if len(plans) <= EXACT_LIMIT:
        return cheapest(plans, summed, sizes)
    return greedy(plans, summed, sizes)


def presummed(number: int, factors: Sequence[Factor], summed: frozenset[Index], sizes: Sizes) -> Plan:
    """One factor summed over the indices that no other factor carries."""
    own = factors[number]
    others = {index for n, factor in enumerate(factors) if n != number for index in factor.indices}
    kept = tuple(index for index in own.indices if index not in summed or index in others)
    if kept == own.indices:
        return Plan((), own, 0)
    # A sum of reciprocals is not the reciprocal of a sum: they are taken first.
    times = 2 if own.inverse else 1
    return Plan((Work(own.indices, times),), Factor(kept), times * size_of(own.indices, sizes))


def joined(left: Plan, right: Plan, needed: frozenset[Index], summed: frozenset[Index], sizes: Sizes) -> Plan:
    """The product of two results, summed over what nothing else needs."""
    union = union_of((left.result, right.result))
    kept = tuple(index for index in union if index not in summed or index in needed)
    both = left.result.inverse and right.result.inverse
    sums = kept != union
    times = 1 + sums + (both and sums)
    result = Factor(kept, both and not sums)
    cost = left.cost + right.cost + times * size_of(union, sizes)
    return Plan((*left.works, *right.works, Work(union, times)), result, cost)


def cheapest(plans: Sequence[Plan], summed: frozenset[Index], sizes: Sizes) -> Plan:
    """The best of all orders: of every set of factors, by how it splits into two."""
    count = len(plans)
    best: dict[int, Plan] = {1 << n: plan for n, plan in enumerate(plans)}
    for chosen in range(1, 1 << count):
        if chosen in best:
            continue
        needed = frozenset(union_of(plan.result for n, plan in enumerate(plans) if not chosen >> n & 1))
        options = (
            joined(best[part], best[chosen ^ part], needed, summed, sizes)
            for part in range(chosen & -chosen, chosen)
            # Each split once: the part with the first factor comes first.
            if part & chosen == part and part & (chosen & -chosen)
        )
        best[chosen] = min(options, key=lambda plan: plan.cost)
    return best[(1 << count) - 1]


def greedy(plans: Sequence[Plan], summed: frozenset[Index], sizes: Sizes) -> Plan:
    """The cheapest pair first, then the cheapest of what is left."""
    left = list(plans)
    while len(left) > 1:
        pairs = [(a, b) for a in range(len(left)) for b in range(a + 1, len(left))]
        a, b = min(pairs, key=lambda pair: size_of(union_of(left[n].result for n in pair), sizes))
        rest = [plan for n, plan in enumerate(left) if n not in (a, b)]
        needed = frozenset(union_of(plan.result for plan in rest))
        left = [*rest, joined(left[a], left[b], needed, summed, sizes)]
    return left[0]


def union_of(factors: Iterable[Factor]) -> Indices:
    """All indices of some factors, in order of first occurrence."""
    return tuple(dict.fromkeys(index for factor in factors for index in factor.indices))
