"""Pairs: an exponential over a bound of it is the exponential of a difference, as soon as the bound is known."""

import pytest
import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.terms import Access, Index
from indexcalc.codegen import numpy_module
from indexcalc.codegen.stable import fronts
from indexcalc.codegen.stable.bounds import Bound, Bounds, Part
from indexcalc.codegen.stable.exponents import exponential, exponents_of
from indexcalc.codegen.stable.pairs import paired, pairs
from indexcalc.language import read_problem
from indexcalc.rewrite.derive import derive
from tests.codegen.stable.test_programs import PROGRAMS

N = sp.Symbol("N", integer=True, positive=True)
ROW, COLUMN, OTHER = Index("i", N), Index("j", N), Index("k", N)
ONE = sp.S.One
SCORE = exponential(Access("S", (ROW, COLUMN)))
LARGEST = Bound("m", (ROW,), (Part("m", (COLUMN,), ((SCORE, ONE),)),))


def over_bound(index):
    """``exp(S[index,k]) / exp(m[index])``."""
    return product(ONE, ((exponential(Access("S", (index, OTHER))), ONE), (exponential(Access("m", (index,))), -ONE)))


def test_a_bound_that_joins_counts_for_terms_that_were_asked_before():
    bounds = Bounds()
    term = over_bound(ROW)
    assert paired(term, bounds) == term
    bounds["m"] = LARGEST
    assert not exponents_of(paired(term, bounds).powers)
    assert not exponents_of(paired(over_bound(OTHER), bounds).powers)


def test_whether_ones_count_is_asked_apart():
    bare = Bound("m", (ROW,), (*LARGEST.parts, Part("", (), ())))
    bounds = Bounds({"m": bare})
    alone = product(ONE, ((exponential(Access("m", (ROW,))), -ONE),))
    assert exponents_of(paired(alone, bounds, ones=False).powers)
    assert not exponents_of(paired(alone, bounds, ones=True).powers)
    assert exponents_of(paired(alone, bounds, ones=False).powers)


ASKING = ("forward_algorithm_in_probabilities", "overlap_of_probabilities", "product_of_experts", "sinkhorn")
"""Programs in which it is asked whether a factor is the exponential of a bound."""


@pytest.mark.parametrize("name", ASKING)
def test_the_pairs_of_one_factor_are_those_among_all(name, monkeypatch):
    asked = []

    def compared(base, term, bounds):
        own = list(pairs(term, bounds, of=base))
        assert own == [pair for pair in pairs(term, bounds) if pair.factor == base]
        asked.append(base)
        return bool(own)

    monkeypatch.setattr(fronts, "is_met", compared)
    numpy_module(derive(read_problem(PROGRAMS[name])))
    assert asked


def test_some_factors_have_pairs_and_others_none():
    bounds = Bounds({"m": LARGEST})
    term = over_bound(ROW)
    below = exponential(Access("m", (ROW,)))
    assert next(pairs(term, bounds, of=below)).factor == below
    assert not list(pairs(term, bounds, of=SCORE))
