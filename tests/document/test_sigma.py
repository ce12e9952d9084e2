"""Sigma of an array: the logistic function of each entry, or a softmax of each row."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check
from indexcalc.document.statements.sigmas import is_said_to_be_softmax
from tests.support.verdicts import judged

VECTOR = r"$$p = \sigma(z)$$ "

SOFTMAX = r"$$\frac{\partial p_i}{\partial z_j} = p_i (\delta_{ij} - p_j)$$"
LOGISTIC = r"$$\frac{\partial p_i}{\partial z_j} = \delta_{ij} p_i (1 - p_i)$$"
NEITHER = r"$$\frac{\partial p_i}{\partial z_j} = p_i (\delta_{ij} - 2 p_j)$$"

ROWS = r"$\sigma$ is a softmax over rows. $$P = \sigma(Z)$$ "


SAID = [
    r"Let $\sigma$ be the softmax function.",
    r"Here $\sigma$ is softmax over rows.",
    r"where $\sigma(\cdot)$ denotes the row-wise softmax, and $V$ the values",
    "σ is a softmax",
]

UNSAID = [
    r"The softmax, $\sigma$ and $\exp$ all map to positive numbers.",
    r"$\sigma$ is not the softmax",
    r"Unlike the softmax, $\sigma$ acts on each entry.",
    r"We use $\sigma$ instead of a softmax.",
    r"If $\sigma$ is the softmax, this is another matrix.",
    r"$\sigma$ is the softmax over columns.",
    r"$\sigma$ is the softmax, so that each column sums to one.",
    r"$\sigma$ is the softmax with temperature 2.",
    r"$\sigma$ is the log-softmax.",
    r"$\sigma$ is an activation. The last layer is a softmax.",
    r"$\sigma$ is a sigmoid here. Later $\sigma$ is a softmax.",
]


@pytest.mark.parametrize("words", SAID)
def test_what_is_said_to_be_a_softmax_is_one(words):
    page = f"{words} {VECTOR}"
    assert judged(check(page + SOFTMAX).claims[-1]) is Verdict.CONFIRMED
    assert check(page + LOGISTIC).claims[-1].verdict is Verdict.REFUTED
    assert check(page + NEITHER).claims[-1].verdict is Verdict.REFUTED


@pytest.mark.parametrize("words", [*UNSAID, ""])
def test_what_is_said_otherwise_is_none_and_may_be_one(words):
    page = f"{words} {VECTOR}"
    assert not is_said_to_be_softmax(page)
    assert judged(check(page + LOGISTIC).claims[-1]) is Verdict.CONFIRMED
    assert check(page + SOFTMAX).claims[-1].verdict is Verdict.UNCLEAR
    assert check(page + NEITHER).claims[-1].verdict is Verdict.UNCLEAR


def test_a_softmax_of_a_matrix_is_one_of_each_row():
    right = r"$$\frac{\partial P_{ij}}{\partial Z_{kl}} = \delta_{ik} P_{ij} (\delta_{jl} - P_{il})$$"
    columns = r"$$\frac{\partial P_{ij}}{\partial Z_{kl}} = \delta_{jl} P_{ij} (\delta_{ik} - P_{kj})$$"
    assert judged(check(ROWS + right).claims[-1]) is Verdict.CONFIRMED
    assert check(ROWS + columns).claims[-1].verdict is Verdict.REFUTED


def test_other_claims_show_that_it_is_a_softmax():
    own, mean = r"\frac{\partial L}{\partial p_j}", r"\sum_i p_i \frac{\partial L}{\partial p_i}"
    gradient = rf"$$\frac{{\partial L}}{{\partial z_j}} = p_j ({own} - {mean})$$"
    shifted = r"$$\sum_j \frac{\partial p_i}{\partial z_j} = 0$$"
    claims = check(VECTOR + SOFTMAX + gradient + shifted + NEITHER).claims
    assert [judged(claim) for claim in claims[1:4]] == [Verdict.CONFIRMED] * 3
    assert claims[-1].verdict is Verdict.REFUTED


def test_sigma_with_a_prime_works_entry_by_entry():
    forward, claim = r"$$h = \sigma(W x)$$", r"W^\top (\frac{\partial L}{\partial h} \odot \sigma'(W x))"
    page = rf"The softmax comes last. {forward} $$\frac{{\partial L}}{{\partial x}} = {claim}$$"
    assert judged(check(page).claims[-1]) is Verdict.CONFIRMED
