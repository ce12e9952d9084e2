"""Exponentials taken apart and put together keep their value, and cancel in between."""

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from indexcalc.algebra.build import product
from indexcalc.algebra.terms import Access, Fn, Index, Term
from indexcalc.codegen.stable.exponents import apart, argument_of, exponents_of, raised
from indexcalc.codegen.stable.gaps import together
from indexcalc.proof.evaluate import evaluate

N = sp.Symbol("N", integer=True, positive=True)
ROW, COLUMN = Index("i", N), Index("j", N)
ONE = sp.S.One
A, B, C = Access("A", (ROW, COLUMN)), Access("B", (ROW,)), Access("C", (COLUMN,))
VALUES = {name: np.linspace(-1.0, 1.5, 3**rank).reshape((3,) * rank) for name, rank in [("A", 2), ("B", 1), ("C", 1)]}
POSITIVE = {**VALUES, "B": np.array([0.5, 1.5, 2.0])}


def lone(entry, coeff=ONE):
    return Term(coeff, ((entry, ONE),))


def exp(*terms):
    return Fn("exp", (tuple(terms),))


coefficients = st.sampled_from([ONE, -ONE, sp.Rational(1, 2), sp.Integer(2), -sp.Rational(3, 2)])
arguments = st.lists(st.tuples(st.sampled_from([A, B, C]), coefficients), min_size=1, max_size=3)
powers = st.lists(st.tuples(arguments, st.sampled_from([1, 2, -1])), min_size=1, max_size=4)


def value(term):
    return evaluate((term,), (ROW, COLUMN), POSITIVE, {N: 3})


@settings(max_examples=60, deadline=None)
@given(powers)
def test_taking_apart_and_putting_together_keeps_the_value(drawn):
    factors = [(exp(*(lone(entry, coeff) for entry, coeff in arg)), sp.Integer(e)) for arg, e in drawn]
    term = product(ONE, [*factors, (B, ONE)])
    np.testing.assert_allclose(value(apart(term)), value(term), rtol=1e-9)
    np.testing.assert_allclose(value(together(apart(term), {})), value(term), rtol=1e-9)
    assert len(exponents_of(together(apart(term), {}).powers)) <= 1


def test_a_quotient_of_exponentials_cancels():
    term = product(ONE, [(exp(lone(A), lone(B)), ONE), (exp(lone(B), lone(A)), -ONE), (C, ONE)])
    assert apart(term) == lone(C)


def test_the_exponential_of_a_logarithm_is_a_power():
    log = Fn("log", ((lone(B),),))
    term = product(ONE, [(exp(lone(A), Term(-sp.Integer(2), ((log, ONE),))), ONE)])
    assert apart(term) == product(ONE, [(exp(lone(A)), ONE), (B, -sp.Integer(2))])


@pytest.mark.parametrize("coeff", [ONE, sp.Rational(1, 3)])
def test_the_argument_is_what_was_taken_apart(coeff):
    term = apart(product(ONE, [(exp(lone(A, coeff), lone(B, -coeff)), ONE)]))
    assert argument_of(exponents_of(term.powers)) == (lone(A, coeff), lone(B, -coeff))


@pytest.mark.parametrize("exponent", [sp.Rational(-3, 2), sp.Rational(1, 2), sp.Integer(2)])
@pytest.mark.parametrize("coeff", [sp.Integer(4), sp.Integer(-4)])
def test_what_is_positive_leaves_a_root(exponent, coeff):
    whole = Term(coeff, ((exp(lone(B)), ONE), (C, ONE)))
    found = raised(whole, exponent, lambda base: isinstance(base, Fn))
    assert dict(found.powers)[exp(lone(B))] == exponent
    values = {**VALUES, "C": float(coeff) * np.array([0.5, 1.0, 2.0])}
    expected = evaluate((whole,), (ROW, COLUMN), values, {N: 3}) ** float(exponent)
    np.testing.assert_allclose(evaluate((found,), (ROW, COLUMN), values, {N: 3}), expected, rtol=1e-9)
