"""Deltas of expressions: which sums they collapse, what is left, and that each collapse keeps the value."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from indexcalc.algebra.build import product
from indexcalc.algebra.slots import Index, Lookup
from indexcalc.algebra.terms import Access, Delta, Iverson
from indexcalc.calculus.contract import contract
from indexcalc.calculus.steps import Collapse
from indexcalc.language import load_problem
from indexcalc.library import shipped_paths
from indexcalc.proof.evaluate import evaluate
from indexcalc.rewrite.derive import derive

N, K, M = sp.symbols("N K M", positive=True, integer=True)
a, i, k = Index("a", N), Index("i", M), Index("k", K)
ONE = sp.S.One
SUBJECT = Access("dx", (a,))


def collapsed(delta, summed=(i, k)):
    term = product(1, [(Access("g", (i,)), ONE), (Access("w", (k,)), ONE), (delta, ONE)], summed)
    steps = contract(SUBJECT, (term,))
    return term, (steps[-1].after if steps else (term,))


def test_the_first_sum_goes_and_leaves_its_range():
    _, (found,) = collapsed(Delta(a, i + k))
    assert found.summed == (k,)
    assert Access("g", (a - k,)) in found.bases
    assert sum(isinstance(base, Iverson) for base in found.bases) == 2


def test_a_stride_keeps_the_delta_and_a_dilation_does_not():
    assert collapsed(Delta(a, 2 * i + k))[1][0].summed == (i, k)
    assert collapsed(Delta(a, i + 3 * k))[1][0].summed == (k,)


def test_a_lookup_keeps_its_delta_unless_its_value_is_summed_over():
    tok = Lookup("tok", (i,), N)
    assert collapsed(Delta(a, tok))[1][0].summed == (i, k)
    term = product(1, [(Access("E", (a,)), ONE), (Delta(a, tok), ONE)], (a,))
    (step,) = contract(SUBJECT, (term,))
    assert step.after == (product(1, [(Access("E", (tok,)), ONE)]),)


def test_sums_ahead_are_waited_for():
    term = product(1, [(Access("w", (k,)), ONE), (Delta(a, i + k), ONE)], (k,))
    assert contract(SUBJECT, (term,), (i,)) == ()
    assert contract(SUBJECT, (term,))[-1].after[0].summed == ()


@settings(deadline=None, max_examples=80)
@given(st.integers(-3, 3), st.integers(-3, 3), st.integers(-3, 3), st.integers(0, 10_000))
def test_every_collapse_keeps_the_value(one, two, constant, seed):
    rng = np.random.default_rng(seed)
    sizes = {N: int(rng.integers(1, 6)), K: int(rng.integers(1, 4)), M: int(rng.integers(1, 5))}
    term, after = collapsed(Delta(a, one * i + two * k + constant))
    arrays = {"g": rng.normal(size=sizes[M]), "w": rng.normal(size=sizes[K])}
    after = tuple(part for part in after if part.coeff != 0)
    whole = (term,) if term.coeff != 0 else ()
    np.testing.assert_allclose(evaluate(after, (a,), arrays, sizes), evaluate(whole, (a,), arrays, sizes), atol=1e-12)


def test_an_index_that_is_looked_up_as_well_is_killed_by_no_delta():
    tok = Lookup("tok", (i,), M)
    assert collapsed(Delta(a, i + 2 * tok))[1][0].summed == (i, k)
    assert collapsed(Delta(i, tok))[1][0].summed == (i, k)
    assert collapsed(Delta(a, k + 2 * tok))[1][0].summed == (i,)


@settings(deadline=None, max_examples=80)
@given(st.integers(-2, 2), st.integers(-2, 2), st.integers(-2, 2), st.booleans(), st.integers(0, 10_000))
def test_every_collapse_beside_lookups_keeps_the_value(one, two, three, of_i, seed):
    rng = np.random.default_rng(seed)
    sizes = {N: int(rng.integers(1, 6)), K: int(rng.integers(1, 4)), M: int(rng.integers(1, 5))}
    read = i if of_i else k
    tok = Lookup("tok", (read,), M)
    whole, after = collapsed(Delta(tok, i)) if three == 0 else collapsed(Delta(a, one * i + two * k + three * tok))
    arrays = {"g": rng.normal(size=sizes[M]), "w": rng.normal(size=sizes[K])}
    arrays["tok"] = rng.integers(0, sizes[M], size=sizes[read.extent])
    np.testing.assert_allclose(
        evaluate(after, (a,), arrays, sizes), evaluate((whole,), (a,), arrays, sizes), atol=1e-12
    )


@pytest.mark.parametrize("name", ["conv1d", "embedding"])
def test_the_steps_of_a_derivation_say_which_deltas_stay(name):
    section = derive(load_problem(shipped_paths()[name])).sections[0]
    kept = [base for term in section.equation.terms for base in term.bases if isinstance(base, Delta)]
    collapses = [step.detail for step in section.all_steps() if isinstance(step.detail, Collapse)]
    assert len(kept) == (1 if name == "embedding" else 0)
    assert collapses
