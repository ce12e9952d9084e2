"""Signs written in several ways: indicators, and a capital Sigma that sums."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check
from indexcalc.language.latex.signs import unified
from indexcalc.language.latex.tokens import tokenize

INDICATORS = (
    "\\mathbb{1}[i=k]",
    "\\mathbb{1}_{\\{i=k\\}}",
    "\\mathbf{1}_{i=k}",
    "\\mathbb 1 (i = k)",
    "1_{i = k}",
    "1\\{i=k\\}",
    "\\mathbb{I}(i=k)",
    "\\bold{1}_{[i=k]}",
)

SOFTMAX = "$$p_i = \\frac{e^{u_i}}{\\sum_l e^{u_l}}$$\n\n"


def texts(mathematics: str) -> str:
    """The tokens as one text."""
    return "".join(token.text for token in unified(tokenize(mathematics)))


@pytest.mark.parametrize("indicator", INDICATORS)
def test_every_indicator_is_one_bracket(indicator):
    assert texts(indicator) == "[i=k]"


@pytest.mark.parametrize("indicator", INDICATORS)
def test_a_slope_with_an_indicator_is_judged(indicator):
    slope = "$$\\frac{\\partial p_i}{\\partial u_k} = p_i (" + indicator + " SIGN p_k)$$"
    assert check(SOFTMAX + slope.replace("SIGN", "-")).claims[-1].verdict is Verdict.PROVED
    assert check(SOFTMAX + slope.replace("SIGN", "+")).claims[-1].verdict is Verdict.REFUTED


@pytest.mark.parametrize("plain", ["1_n", "\\mathbf{1}_n", "1 (x + y)", "1 - x", "I_{n}", "I (a)"])
def test_what_has_no_relation_stays(plain):
    assert "[" not in texts(plain)


def test_an_unfinished_bracket_stays():
    assert texts("1 (i = k") == "1(i=k"


def test_ones_in_a_bold_brace_keep_their_subscript():
    assert [token.kind for token in tokenize("\\bold{1_m}")] == ["ONE", "SUB", "NAME"]


def test_a_capital_sigma_with_a_first_value_sums():
    start = "$$m = \\frac{1}{N} \\Sigma^N_{i=1} x_i$$\n\n"
    assert check(start + "$$\\frac{\\partial m}{\\partial x_i} = \\frac{1}{N}$$").claims[-1].verdict is Verdict.PROVED
    assert check(start + "$$\\frac{\\partial m}{\\partial x_i} = N$$").claims[-1].verdict is Verdict.REFUTED
    assert "sum" not in texts("\\Sigma_{ij} x_j")


@pytest.mark.parametrize(
    "slope", ["\\frac{\\partial}{o_k} p_k", "\\frac{\\partial p_k}{o_k}", "\\dfrac{\\partial p_k}{o_k}"]
)
def test_one_sign_of_a_derivative_asks_for_the_other(slope):
    start = "$$p_k = \\sigma(o_k)$$\n\n"
    assert check(f"{start}$${slope} = p_k (1 - p_k)$$").claims[-1].verdict is Verdict.PROVED
    assert check(f"{start}$${slope} = p_k (1 + p_k)$$").claims[-1].verdict is Verdict.REFUTED


@pytest.mark.parametrize("plain", ["\\frac{\\partial p}{\\partial x}", "\\frac{p}{x}", "\\frac{\\partial p}{2x}"])
def test_other_fractions_keep_their_denominators(plain):
    assert texts(plain) == "".join(token.text for token in tokenize(plain))
