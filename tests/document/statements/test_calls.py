"""Values like ``p(u|y)`` are names of their own, and what stands in other brackets stays what it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexcalc.document import Verdict, check
from indexcalc.document.statements.calls import (
    covariance_of,
    indicated,
    is_call,
    is_expected,
    is_indicator,
    numbers_compared,
    with_calls,
    words_in,
)
from indexcalc.language.latex.tokens import tokenize


def texts(source):
    (tokens,) = with_calls([tokenize(source, {}, 0)])
    return [token.text for token in tokens]


CALLS = {
    "p(u|y)": "p(u|y)",
    r"p_\theta(x_t \mid x_{t-1})": "p_theta(x_t|x_t-1)",
    r"\mathcal{N}(x; \mu, \Sigma)": "mathcal N(x;mu,Sigma)",
    r"\mathbb{E}\left[\log y \middle| \eta\right]": "E[logy|eta]",
    r"\mathbb{E}_{x \sim p}[f(x)]": "E_x~p[f(x)]",
    "f(x, y)": "f(x,y)",
    r"\operatorname{Cov}[x, y]": "Cov[x,y]",
    r"D_{KL}(p \| q)": "D_KL(p||q)",
    "p(y = 1)": "p(y=1)",
    "P(Y = 1 | X = 0)": "P(Y=1|X=0)",
    r"P(X \leq a)": "P(X<=a)",
}

EXPECTATIONS = {
    r"\mathbb{E}\left[y \middle| \eta\right]": ["E|eta", "[", "y", "]"],
    r"\mathbb{E}_{x \sim p}[x]": ["E_x~p", "[", "x", "]"],
    r"\mathbb{E}_q[x y \mid \eta, z]": ["E_q|eta,z", "[", "x", "y", "]"],
}
"""Of sums of products they are linear, so what stands in the bracket is read."""

OTHERS = (
    "f(x)",
    "f(x, y) = x + y",
    "a(b + c)",
    r"\max(a, b)",
    "A[i, j]",
    "f(|x|)",
    r"\log(p)",
    "p(x",
    "W(|a| + |b|)",
    "E(w)",
)


@pytest.mark.parametrize("source", CALLS)
def test_such_a_value_is_one_name(source):
    assert texts(source) == [CALLS[source]]
    assert is_call(CALLS[source])


@pytest.mark.parametrize("source", EXPECTATIONS)
def test_the_sign_of_an_expectation_holds_its_law_and_its_condition(source):
    assert texts(source) == EXPECTATIONS[source]
    assert is_expected(texts(source)[0])


@pytest.mark.parametrize("source", OTHERS)
def test_other_brackets_stay(source):
    assert texts(source) == [token.text for token in tokenize(source, {}, 0)]


@pytest.mark.parametrize("name", ["x", "x^(·)", "a^(L)", "dZ^[l]", "W_h", "hat x_k^-"])
def test_indices_and_layers_in_brackets_are_no_such_values(name):
    assert not is_call(name)


def test_the_words_of_a_value_are_those_in_its_bracket():
    assert words_in("p_theta(x_t|x_t-1)") == {"x", "t"}
    assert words_in("E[y|eta]") == {"y", "eta"}


def test_a_value_stands_where_it_is_written():
    (tokens,) = with_calls([tokenize("a + p(u|y) b", {}, 0)])
    assert [(token.text, token.start, token.last) for token in tokens[2:]] == [("p(u|y)", 4, 9), ("b", 11, -1)]


def test_the_letters_of_sums_in_a_value_are_its_indices():
    given = r"$$V = \sum_{h=1}^H r(s_h, a_h)$$" + "\n\n"
    assert check(given + r"$$2 V = 2 \sum_{k=1}^H r(s_k, a_k)$$").claims[-1].verdict is Verdict.PROVED
    assert check(given + r"$$2 V = 2 \sum_{k=1}^H r(s_k, b_k)$$").claims[-1].verdict is Verdict.UNCLEAR


def test_the_letters_of_sums_elsewhere_are_indices_of_a_value():
    pieces = [tokenize(text, {}, 0) for text in (r"g_{ik} = p(x_i | m_k)", r"\sum_i \sum_k g_{ik}")]
    texts_of = [[token.text for token in tokens] for tokens in with_calls(pieces)]
    assert [text for text in texts_of[0] if text not in "_{}"] == ["g", "i", "k", "=", "p(x_@1|m_@2)", "i", "k"]


@pytest.mark.parametrize("law", [r"\mathcal{N}(m, C)", r"N(x; m, C)", r"\mathcal{N}(x | A m, C_k)", "N_p(0, C)"])
def test_a_name_alone_is_the_covariance_of_a_normal_distribution(law):
    (name,) = texts(law)
    assert "C" in set(covariance_of(name))


@pytest.mark.parametrize(
    "law", [r"\mathcal{N}(m, A C)", r"N(m, A_k C)", r"\mathcal{N}(C | m, \sigma^2 I)", "p(x, C)", "W(m, C)"]
)
def test_what_else_stands_in_a_distribution_is_no_covariance(law):
    (name,) = texts(law)
    assert {"A", "C", "I", "m"}.isdisjoint(covariance_of(name))


def test_what_bears_a_condition_somewhere_is_told_everywhere_what_it_is_the_probability_of():
    assert texts("p(x | y) p(y) + q(y)") == ["p(x|y)", "p(y)", "+", "q", "(", "y", ")"]
    assert texts("p_1(x | y) p(y)") == ["p_1(x|y)", "p", "(", "y", ")"]


@pytest.mark.parametrize(
    ("source", "name"), [("[y = 1]", "1[y=1]"), (r"[z_a \neq -1]", "1[z_a!=-1]"), ("[y^{(t)} = 0]", "1[y^(t)=0]")]
)
def test_an_indicator_of_a_number_is_a_name(source, name):
    assert texts(source) == [name]
    assert is_indicator(name)


@pytest.mark.parametrize("source", ["[i = j]", "[y_i = k]", "[x > 0]", "[x + 1 = 2]", "m [1 = y]", "x_i [i = 1]"])
def test_what_else_stands_in_an_indicator_stays(source):
    assert not any(is_indicator(text) for text in texts(source))


def test_what_an_indicator_compares():
    names = ["1[y_@1=1]", "1[y_@1!=0]", "1[z=2]", "y", "1[y_@1=0]"]
    assert indicated("1[y_@1!=-1]") == ("y_@1", "-1", False)
    assert numbers_compared("1[y_@1=1]", names) == ("0", "1")
    assert numbers_compared("y", names) == ()


SUM = r"\sum_{i=1}^m"
ONES = r"\mathbf{1}\{y_i = 1\}"
ZEROS = r"1\{y_i = 0\}"
OTHER = r"\mathbf{1}\{y_i \neq 1\}"

INDICATED = {
    rf"{SUM} {ONES} (x_i - \mu) = {SUM} {ONES} x_i - \mu {SUM} {ONES}": True,
    rf"{SUM} {ONES} (x_i - \mu) = {SUM} {ONES} x_i - \mu": False,
    rf"{SUM} {ONES}^2 x_i = {SUM} {ONES} x_i": True,
    rf"{SUM} {ONES}^2 x_i = 2 {SUM} {ONES} x_i": False,
    rf"{SUM} ({ONES} + {ZEROS})^2 x_i = {SUM} ({ONES} + {ZEROS}) x_i": True,
    rf"{SUM} ({ONES} + {OTHER}) x_i = {SUM} x_i": True,
    rf"{SUM} ({ONES} + {ZEROS}) x_i = {SUM} ({ONES} - {ZEROS}) x_i": False,
    rf"\frac{{\partial}}{{\partial \mu}} {SUM} {ONES} (x_i - \mu)^2 = -2 {SUM} {ONES} (x_i - \mu)": True,
    rf"\frac{{\partial}}{{\partial \mu}} {SUM} {ONES} (x_i - \mu)^2 = -2 {SUM} {ONES} x_i": False,
}


@pytest.mark.parametrize("formula", INDICATED)
def test_indicators_are_one_or_zero_and_only_one_of_them_is_one(formula):
    claims = check(
        f"Let $y_i$ be labels, $x \\in \\mathbb{{R}}^m$ and $\\mu \\in \\mathbb{{R}}$.\n\n$${formula}$$"
    ).claims
    assert claims[-1].verdict in ((Verdict.PROVED, Verdict.CONFIRMED) if INDICATED[formula] else (Verdict.REFUTED,))


def test_that_there_is_no_other_label_is_not_known():
    claims = check(f"$${SUM} ({ONES} + {ZEROS}) x_i = {SUM} x_i$$").claims
    assert claims[-1].verdict is Verdict.UNCLEAR
    assert "@" not in claims[-1].reason
    assert not claims[-1].suggestion


BAYES = r"p(y=1|x) = \frac{p(x|y=1) p(y=1)}{p(x|y=1) p(y=1) + p(x|y=0) p(y=0)}"


def test_probabilities_of_events_are_numbers():
    right = check(rf"$${BAYES} = \frac{{1}}{{1 + \frac{{p(x|y=0) p(y=0)}}{{p(x|y=1) p(y=1)}}}}$$").claims
    wrong = check(rf"$${BAYES} = \frac{{1}}{{1 + \frac{{p(x|y=0) p(y=0)}}{{p(y=1)}}}}$$").claims
    assert right[-1].verdict in (Verdict.PROVED, Verdict.CONFIRMED)
    assert wrong[-1].verdict not in (Verdict.PROVED, Verdict.CONFIRMED)


def test_a_name_that_looks_like_a_bracket_is_none():
    (first, *rest) = tokenize("[y = 1]", {}, 0)
    (tokens,) = with_calls([[replace(first, kind="NAME"), *rest]])
    assert not any(is_indicator(token.text) for token in tokens)
