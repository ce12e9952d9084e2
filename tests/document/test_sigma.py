"""Sigma of an array: the logistic function of each entry, or a softmax of each row."""

from __future__ import annotations

from indexcalc.document import Verdict, check
from tests.support.verdicts import judged

VECTOR = r"$$p = \sigma(z)$$ "

SOFTMAX = r"$$\frac{\partial p_i}{\partial z_j} = p_i (\delta_{ij} - p_j)$$"
LOGISTIC = r"$$\frac{\partial p_i}{\partial z_j} = \delta_{ij} p_i (1 - p_i)$$"
NEITHER = r"$$\frac{\partial p_i}{\partial z_j} = p_i (\delta_{ij} - 2 p_j)$$"


def test_without_more_it_is_logistic_and_may_be_a_softmax():
    assert judged(check(VECTOR + LOGISTIC).claims[-1]) is Verdict.CONFIRMED
    assert check(VECTOR + SOFTMAX).claims[-1].verdict is Verdict.UNCLEAR
    assert check(VECTOR + NEITHER).claims[-1].verdict is Verdict.UNCLEAR


def test_what_a_context_says_it_is_holds():
    page, said = r"$$P = \sigma(Z)$$ ", "function sigma = softmax"
    right = r"$$\frac{\partial P_{ij}}{\partial Z_{kl}} = \delta_{ik} P_{ij} (\delta_{jl} - P_{il})$$"
    columns = r"$$\frac{\partial P_{ij}}{\partial Z_{kl}} = \delta_{jl} P_{ij} (\delta_{ik} - P_{kj})$$"
    assert judged(check(page + right, context=said).claims[-1]) is Verdict.CONFIRMED
    assert check(page + columns, context=said).claims[-1].verdict is Verdict.REFUTED


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
