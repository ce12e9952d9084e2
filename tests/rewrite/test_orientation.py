"""Entries of symmetric tensors in one order of slots: the value stays, and once is enough."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexcalc.program import Tensor
from indexcalc.rewrite.orientation import oriented
from indexcalc.rewrite.symmetry import NONE
from tests.support.build import at, ell, fn, i, j, term
from tests.support.values import assert_same_value, random_tensors

slow = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=slow)
@given(st.lists(st.permutations((i, j, ell)), min_size=1, max_size=3), st.booleans())
def test_one_order_of_slots_keeps_the_value(triples, nested):
    tensors = (Tensor("S", (i, j)), Tensor("x", (i,)))
    known = NONE.extended(at("S", i, j), ((1, 0),))
    factors = [at("S", a, b) for a, b, _ in triples]
    if nested:
        factors = [fn("tanh", *(term(factor) for factor in factors))]
    terms = (term(*factors, at("x", ell), over=(ell,)),)
    values = random_tensors(tensors)
    values["S"] = values["S"] + values["S"].T
    steps = oriented(at("Y", i, j), terms, known)
    for step in steps:
        assert_same_value(step.before, step.after, (i, j), values)
    final = steps[-1].after if steps else terms
    assert oriented(at("Y", i, j), final, known) == ()
