from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp

from indexcalc.algebra.terms import Delta, Partial
from indexcalc.calculus.steps import Proof, Rule, Step, ThroughConsumer
from indexcalc.language import read_problem
from indexcalc.program import Identity
from indexcalc.proof.sampling import size_sets
from indexcalc.proof.steps import STEP_BOUND, check_derivation, check_step, context_of
from indexcalc.rewrite.derive import derive
from tests.support.build import at, attention, ell, i, j, p, term

DERIVATION = derive(attention())
a, b, c = (index.__class__(name, index.extent) for name, index in (("a", i), ("b", p), ("c", j)))


@pytest.fixture(scope="module")
def context():
    rng = np.random.default_rng(11)
    return context_of(DERIVATION, size_sets(attention().program, rng)[0], rng)


def step(subject, before, after):
    return Step(Rule.INSERT, subject, before, after)


def test_attention_keeps_the_value_throughout():
    assert check_derivation(DERIVATION) == []


def test_each_step_with_a_sign_changed_is_caught(context):
    for right in (step for section in DERIVATION.sections for step in section.all_steps()):
        first = right.after[0]
        wrong = replace(right, after=(replace(first, coeff=-first.coeff), *right.after[1:]))
        assert check_step(right, context) < STEP_BOUND
        assert check_step(wrong, context) > 1e-3, wrong


def test_a_partial_goes_through_its_own_equation(context):
    subject = Partial(at("O", a, b), at("V", j, p))
    before = (term(subject),)
    assert check_step(step(subject, before, (term(at("A", a, j), Delta(b, p)),)), context) < STEP_BOUND
    assert check_step(step(subject, before, (term(at("A", j, a), Delta(b, p)),)), context) > 1e-3


def test_a_partial_goes_through_statistics(context):
    subject = Partial(at("A", a, c), at("S", i, j))
    before = (term(subject),)
    right = (term(Delta(a, i), at("A", a, c), Delta(c, j)), term(Delta(a, i), at("A", a, c), at("A", a, j), coeff=-1))
    assert check_step(step(subject, before, right), context) < STEP_BOUND
    assert check_step(step(subject, before, right[:1]), context) > 1e-3


def test_a_subject_that_is_not_what_stands_before_is_caught(context):
    before = (term(at("S", i, j), coeff=2),)
    assert check_step(step(at("S", i, j), before, before), context) > 0.4


def test_a_contribution_through_one_consumer(context):
    subject = ThroughConsumer(at("dV", j, p), at("V", j, p), "O")
    right = (term(at("A", i, j), at("G", i, p), over=(i,)),)
    assert check_step(step(subject, right, right), context) < STEP_BOUND


def test_an_identity_is_its_left_side(context):
    rows = Identity((term(at("A", i, j), over=(j,)),), (term(),))
    assert check_step(step(rows, rows.left, rows.right), context) < STEP_BOUND
    columns = Identity((term(at("A", i, j), over=(i,)),), (term(),))
    assert check_step(step(columns, columns.left, columns.right), context) > 1e-3


def test_wrong_equations_and_identities_are_named():
    section = DERIVATION.sections[0]
    doubled = tuple(replace(t, coeff=2 * t.coeff) for t in section.equation.terms)
    wrong = replace(section, equation=replace(section.equation, terms=doubled))
    false = Proof(Identity((term(at("S", i, ell), over=(ell,)),), ()), ())
    derivation = replace(DERIVATION, sections=(wrong, *DERIVATION.sections[1:]), proofs=(false,))
    found = [failure.what for failure in check_derivation(derivation)]
    assert any("the equation of dV is wrong" in what for what in found)
    assert any("identity" in what for what in found)


def test_rounding_of_terms_that_cancel_is_not_held_against_a_step(context):
    """1e12 S - 1e12 S + S is S to four digits only, yet the step is right; dropping a large term is not."""
    large = tuple(term(at("S", i, j), coeff=coeff) for coeff in (10**12, -(10**12), 1))
    assert check_step(step(at("S", i, j), large, large[2:]), context) < STEP_BOUND
    assert check_step(step(at("S", i, j), large, large[1:]), context) > 0.1


def test_what_a_step_leaves_of_the_second_order_takes_no_side_of_a_kink():
    text = """index t : T
index m : T
input e[t,m]
x[t] = sum[m]([m != t] * e[t,m])
f[t] = abs(log(exp(x[t]/2)))
ell = sum[t](f[t])
derive x
"""
    # Of one row, x is zero.
    assert not check_derivation(derive(read_problem(text)), sizes=[{sp.Symbol("T", integer=True, positive=True): 1}])
