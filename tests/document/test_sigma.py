"""Sigma of an array: the logistic function of each entry, or a softmax of each row."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check
from indexcalc.document.statements.sigmas import said_of_sigma
from tests.support.verdicts import judged

VECTOR = r"$$p = \sigma(z)$$ "

SOFTMAX = r"$$\frac{\partial p_i}{\partial z_j} = p_i (\delta_{ij} - p_j)$$"
LOGISTIC = r"$$\frac{\partial p_i}{\partial z_j} = \delta_{ij} p_i (1 - p_i)$$"
NEITHER = r"$$\frac{\partial p_i}{\partial z_j} = p_i (\delta_{ij} - 2 p_j)$$"

ROWS = r"$\sigma$ is a softmax over rows. $$P = \sigma(Z)$$ "


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (r"Let $\sigma$ be the softmax function.", "softmax"),
        (r"Here $\sigma$ is softmax over rows.", "softmax"),
        (r"where $\sigma(\cdot)$ denotes the row-wise softmax", "softmax"),
        (r"the softmax $\sigma$ turns scores to weights", "softmax"),
        (r"the logistic sigmoid function $\sigma(\cdot)$", "logistic"),
        (r"σ is the sigmoid", "logistic"),
        (r"$\sigma$ is not the softmax", ""),
        (r"$\sigma$ is an activation. The last layer is a softmax.", ""),
        (r"The softmax is scaled. $\sigma^2$ is a variance.", ""),
        (r"$\sigma$ is a sigmoid here, and later $\sigma$ is a softmax", ""),
    ],
)
def test_words_say_what_sigma_is(words, said):
    assert said_of_sigma(words) == said


@pytest.mark.parametrize("words", [r"Let $\sigma$ be the softmax. ", r"The softmax $\sigma(z)$ has this derivative: "])
def test_what_is_said_to_be_a_softmax_is_one(words):
    assert judged(check(words + VECTOR + SOFTMAX).claims[-1]) is Verdict.CONFIRMED
    assert check(words + VECTOR + LOGISTIC).claims[-1].verdict is Verdict.REFUTED
    assert check(words + VECTOR + NEITHER).claims[-1].verdict is Verdict.REFUTED


def test_a_softmax_of_a_matrix_is_one_of_each_row():
    right = r"$$\frac{\partial P_{ij}}{\partial Z_{kl}} = \delta_{ik} P_{ij} (\delta_{jl} - P_{il})$$"
    columns = r"$$\frac{\partial P_{ij}}{\partial Z_{kl}} = \delta_{jl} P_{ij} (\delta_{ik} - P_{kj})$$"
    assert judged(check(ROWS + right).claims[-1]) is Verdict.CONFIRMED
    assert check(ROWS + columns).claims[-1].verdict is Verdict.REFUTED


def test_what_is_said_to_be_logistic_is_no_softmax():
    words = r"where $\sigma$ is the logistic function "
    assert judged(check(words + VECTOR + LOGISTIC).claims[-1]) is Verdict.CONFIRMED
    assert check(words + VECTOR + SOFTMAX).claims[-1].verdict is Verdict.REFUTED


def test_one_claim_alone_does_not_make_it_a_softmax():
    assert judged(check(VECTOR + LOGISTIC).claims[-1]) is Verdict.CONFIRMED
    assert check(VECTOR + SOFTMAX).claims[-1].verdict is Verdict.UNCLEAR
    assert check(VECTOR + NEITHER).claims[-1].verdict is Verdict.UNCLEAR


def test_where_words_speak_of_a_softmax_alone_it_is_likely_one():
    assert judged(check("For a softmax: " + VECTOR + SOFTMAX).claims[-1]) is Verdict.CONFIRMED
    assert check("For a softmax: " + VECTOR + LOGISTIC).claims[-1].verdict is Verdict.UNCLEAR
    assert check("After the activation, a softmax: " + VECTOR + NEITHER).claims[-1].verdict is Verdict.UNCLEAR


def test_sigma_with_a_prime_works_entry_by_entry():
    claim = (
        r"$$h = \sigma(W x)$$ "
        r"$$\frac{\partial L}{\partial x} = W^\top (\frac{\partial L}{\partial h} \odot \sigma'(W x))$$"
    )
    assert judged(check("The softmax comes last. " + claim).claims[-1]) is Verdict.CONFIRMED
