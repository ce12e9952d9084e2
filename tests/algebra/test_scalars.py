"""Scalars as a textbook writes them."""

from __future__ import annotations

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from indexcalc.algebra.scalars import as_fraction, ratio, scalar_str
from indexcalc.notes.scalars import scalar_in_latex

N, K, D = sp.symbols("N K d", positive=True, integer=True)
WRITTEN = {
    sp.sqrt(2) / 2: ("1/sqrt(2)", r"\frac{1}{\sqrt{2}}"),
    -sp.sqrt(3) / 3: ("-1/sqrt(3)", r"- \frac{1}{\sqrt{3}}"),
    sp.sqrt(2) / (2 * sp.sqrt(sp.pi)): ("1/sqrt(2*pi)", r"\frac{1}{\sqrt{2 \pi}}"),
    sp.sqrt(2) / (2 * D): ("1/(sqrt(2)*d)", r"\frac{1}{\sqrt{2} d}"),
    sp.sqrt(6) / 4: ("sqrt(6)/4", r"\frac{\sqrt{6}}{4}"),
    sp.sqrt(2) / sp.sqrt(D): ("sqrt(2)/sqrt(d)", r"\frac{\sqrt{2}}{\sqrt{d}}"),
    N - K + 1: ("N - K + 1", "N - K + 1"),
    -N - K: ("-K - N", "-K - N"),
    sp.floor((N - K) / 2) + 1: ("(N - K)//2 + 1", r"\lfloor (N - K)/2 \rfloor + 1"),
    sp.floor(N / 2) ** 2: ("(N//2)^2", r"\lfloor N/2 \rfloor^{2}"),
    N - sp.floor((N - K) / 3): ("N - ((N - K)//3)", r"N - \lfloor (N - K)/3 \rfloor"),
    3 * sp.floor(N / 2): ("3*(N//2)", r"3 \lfloor N/2 \rfloor"),
    (N - K) ** 2 / 2: ("(N - K)^2/2", r"\frac{\left(N - K\right)^{2}}{2}"),
}


@pytest.mark.parametrize("value", WRITTEN, ids=str)
def test_scalars_are_written_as_in_a_textbook(value):
    assert (scalar_str(value), scalar_in_latex(value, {})) == WRITTEN[value]


factors = st.sampled_from((sp.sqrt(2), sp.sqrt(3), sp.sqrt(sp.pi), sp.Integer(3), N, sp.sqrt(D), N + K, sp.pi))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(factors, max_size=3), st.lists(factors, max_size=3), st.sampled_from((1, -1, sp.Rational(1, 2))))
def test_fractions_keep_their_value(above, below, number):
    value = number * sp.Mul(*above) / sp.Mul(*below)
    top, bottom = as_fraction(value)
    point = {N: 3, K: 5, D: 7}
    assert float((top / bottom).subs(point)) == pytest.approx(float(value.subs(point)), rel=1e-12)
    # One line of Python has the same value.
    text = scalar_str(value).replace("^", "**")
    tree = sp.parse_expr(text, {"N": N, "K": K, "d": D})
    assert float(tree.subs(point)) == pytest.approx(float(value.subs(point)), rel=1e-12)


sums = st.sampled_from((1 - 1 / sp.sqrt(N), N - K, N + K, 1 - sp.sqrt(D) / 3, sp.Rational(1, 9) - 1 / (9 * sp.sqrt(N))))
numbers = st.builds(sp.Rational, st.sampled_from((-7, -2, -1, 1, 3)), st.integers(1, 9))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(factors | sums, max_size=3), numbers, numbers)
def test_multiples_of_a_scalar_have_a_number_as_their_ratio(parts, one, other):
    scalar = sp.Mul(*parts)
    assert ratio(one * scalar, other * scalar) == one / other


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(factors | sums, max_size=3), st.lists(factors | sums, max_size=3), numbers)
def test_a_ratio_has_the_value_of_the_quotient(above, below, number):
    one, other = number * sp.Mul(*above), sp.Mul(*below)
    point = {N: 3, K: 5, D: 7}
    assert float(ratio(one, other).subs(point)) == pytest.approx(float((one / other).subs(point)), rel=1e-12)
