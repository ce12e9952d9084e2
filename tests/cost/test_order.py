"""The order of a product costs no more than any other order, tried one by one."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from indexcalc.algebra.terms import Index
from indexcalc.cost.order import EXACT_LIMIT, Factor, Work, contraction, greedy, presummed
from indexcalc.rewrite.cost import Sizes

A, B, C, D = sp.symbols("A B C D", positive=True, integer=True)
SIZES = Sizes({A: 3, B: 50, C: 7, D: 20})
a, b, c, d = (Index(extent.name.lower(), extent) for extent in SIZES)


def size(indices) -> int:
    return prod(SIZES[index.extent] for index in indices)


def every_cost(factors: tuple[frozenset[Index], ...], bound: frozenset[Index]) -> Iterator[int]:
    """The cost of every way to sum single factors and join pairs, in every order."""
    if len(factors) == 1 and not factors[0] & bound:
        yield 0
    for n, factor in enumerate(factors):
        rest = factors[:n] + factors[n + 1 :]
        alone = factor & bound - frozenset().union(*rest)
        if alone:
            for more in every_cost((*rest, factor - alone), bound):
                yield size(factor) + more
        for m, other in enumerate(rest[n:], n):
            left = rest[:m] + rest[m + 1 :]
            union = factor | other
            gone = union & bound - frozenset().union(*left)
            for more in every_cost((*left, union - gone), bound):
                yield size(union) * (2 if gone else 1) + more


@st.composite
def products(draw):
    sets = draw(st.lists(st.sets(st.sampled_from((a, b, c, d)), min_size=1, max_size=3), min_size=1, max_size=4))
    present = sorted(set().union(*sets), key=lambda index: index.name)
    bound = draw(st.sets(st.sampled_from(present)))
    return [tuple(sorted(one, key=lambda index: index.name)) for one in sets], tuple(bound)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(products())
def test_no_order_is_cheaper(drawn):
    sets, bound = drawn
    plan = contraction([Factor(indices) for indices in sets], bound, SIZES)
    assert plan.cost == min(every_cost(tuple(map(frozenset, sets)), frozenset(bound)))
    assert plan.cost == sum(work.times * size(work.indices) for work in plan.works)
    assert set(plan.result.indices) == set().union(*sets) - set(bound)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(products())
def test_pair_by_pair_costs_no_less_than_the_best(drawn):
    sets, bound = drawn
    factors = [Factor(indices) for indices in sets]
    plans = [presummed(n, factors, frozenset(bound), SIZES) for n in range(len(factors))]
    assert greedy(plans, frozenset(bound), SIZES).cost >= contraction(factors, bound, SIZES).cost


def test_a_chain_is_joined_at_its_cheap_end():
    plan = contraction([Factor((a, b)), Factor((b, c)), Factor((c,))], (b, c), SIZES)
    assert plan.works == (Work((b, c), 2), Work((a, b), 2))


def test_a_sum_over_one_factor_alone_comes_first():
    plan = contraction([Factor((a, b)), Factor((b, c))], (b, c), SIZES)
    assert plan.works == (Work((b, c)), Work((a, b), 2))


def test_a_sum_of_reciprocals_takes_them_first():
    assert contraction([Factor((a, b), inverse=True)], (b,), SIZES).works == (Work((a, b), 2),)
    pair = [Factor((a, b), inverse=True), Factor((b,), inverse=True)]
    assert contraction(pair, (b,), SIZES).works == (Work((a, b), 3),)
    kept = contraction(pair, (), SIZES)
    assert (kept.works, kept.result) == ((Work((a, b)),), Factor((a, b), inverse=True))


@pytest.mark.parametrize("count", [EXACT_LIMIT, EXACT_LIMIT + 1, 60])
def test_many_factors_take_short_time(count):
    plan = contraction([Factor((a, b))] * count, (b,), SIZES)
    assert plan.cost == size((a, b)) * count


def test_an_order_is_found_once_for_all_products_over_the_same_indices():
    factors = [Factor((a, b)), Factor((b, c)), Factor((c, d)), Factor((d,))]
    assert contraction(factors, (b, c), SIZES) is contraction(list(factors), [b, c], SIZES)
