"""Equations at every step, and sums and products that run over steps."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check
from indexcalc.document.report import TRUE
from tests.support.verdicts import last

REFLECTIONS = r"""
$$Q^{n} = I - \sum_{i=1}^{n} a^i c^{i\top}$$
$$c^n = \tau^n \left(a^n - \sum_{i=1}^{n-1} (a^{n\top} a^i) c^i\right)$$
"""
"""A product of reflections as a sum over steps."""

NETWORK = r"""
For states $h_t \in \mathbb{R}^{m}$ and inputs $x_t \in \mathbb{R}^{k}$ of a network:
$$h_t = \tanh(W h_{t-1} + U x_t)$$
"""

FILTER = r"""
For numbers $a_t \in \mathbb{R}$, $b_t \in \mathbb{R}$ and $y_t \in \mathbb{R}$:
$$y_t = a_t y_{t-1} + b_t, \qquad \bar{a}_t := \prod_{i=1}^t a_i$$
"""
"""A filter of numbers, and the product of its factors."""

HERE, LATER = r"\frac{\partial L}{\partial h_t}", r"\frac{\partial L}{\partial h_{t+1}}"

GIVEN = {"reflections": REFLECTIONS, "network": NETWORK, "filter": FILTER}

RIGHT = [
    ("reflections", r"Q^n = (I - \tau^n a^n a^{n\top}) Q^{n-1}"),
    ("reflections", r"Q^n = \prod_{i=1}^n (I - \tau^i a^i a^{i\top})"),
    ("reflections", r"Q^n = \prod_{i=1}^n I - \tau^i a^i a^{i\top}"),
    ("reflections", r"Q^n = Q^{n-1} - a^n c^{n\top}"),
    ("network", rf"{HERE} = W^\top \left({LATER} \odot (1 - h_{{t+1}}^2)\right)"),
    ("network", rf"\frac{{\partial L}}{{\partial W}} = \left({HERE} \odot (1 - h_t^2)\right) h_{{t-1}}^\top"),
    ("filter", r"\bar{a}_t = a_t \bar{a}_{t-1}"),
    ("filter", r"\bar{a}_t = a_t a_{t-1} \cdots a_1"),
    ("filter", r"\bar{a}_t y_0 + \sum_{i=1}^{t} a_t a_{t-1} \cdots a_{i+1} b_i = a_t y_{t-1} + b_t"),
]
"""What is given, and what is true of it."""

WRONG = [
    ("reflections", r"Q^n = (I + \tau^n a^n a^{n\top}) Q^{n-1}"),
    ("reflections", r"Q^n = (I - \tau^n a^n a^{n\top}) Q^{n}"),
    ("reflections", r"Q^n = Q^{n-1} (I - \tau^n a^n a^{n\top})"),
    ("reflections", r"Q^n = (I - \tau^n a^n c^{n\top}) Q^{n-1}"),
    ("reflections", r"Q^n = Q^{n-1} - a^{n-1} c^{n\top}"),
    ("reflections", r"Q^n = Q^{n-1} + a^n c^{n\top}"),
    ("reflections", r"Q^n = Q^{n-1} - c^n a^{n\top}"),
    ("network", rf"{HERE} = W^\top \left({LATER} \odot (1 - h_t^2)\right)"),
    ("network", rf"{HERE} = W \left({LATER} \odot (1 - h_{{t+1}}^2)\right)"),
    ("network", rf"{HERE} = U^\top \left({LATER} \odot (1 - h_{{t+1}}^2)\right)"),
    ("filter", r"\bar{a}_t = a_{t-1} \bar{a}_{t-1}"),
    ("filter", r"\bar{a}_t = a_t \bar{a}_{t}"),
    ("filter", r"\bar{a}_t = 2 a_t \bar{a}_{t-1}"),
    ("filter", r"\bar{a}_t = a_t a_{t-1} \cdots a_2"),
    ("filter", r"\bar{a}_t y_0 + \sum_{i=1}^{t} a_t a_{t-1} \cdots a_{i} b_i = a_t y_{t-1} + b_t"),
]

OPEN = [
    # Only this relation asks for the order of the factors.
    ("reflections", r"Q^n = \prod_{i=2}^n (I - \tau^i a^i a^{i\top})"),
    ("reflections", r"Q^n = \prod_{i=1}^n I + \tau^i a^i a^{i\top}"),
    # These hold for one number of steps alone.
    ("reflections", r"\sum_{i=1}^n c^i = c^1 + c^2 + c^3"),
    ("reflections", r"\sum_{i=1}^n c^i = c^1 + c^2"),
    # W stands in the equations of all steps, and the derivative may be that at one.
    ("network", rf"\frac{{\partial L}}{{\partial W}} = \left({LATER} \odot (1 - h_{{t+1}}^2)\right) h_t^\top"),
]


def verdict_of(given: str, claim: str) -> Verdict:
    return check(f"{GIVEN[given]}\nSo it follows that\n$${claim}$$\n").claims[-1].verdict


@pytest.mark.parametrize(("given", "claim"), RIGHT)
def test_what_is_true_of_steps_is_found_so(given, claim):
    assert verdict_of(given, claim) in TRUE


@pytest.mark.parametrize(("given", "claim"), WRONG)
def test_what_is_wrong_of_steps_is_refuted(given, claim):
    assert verdict_of(given, claim) is Verdict.REFUTED


@pytest.mark.parametrize(("given", "claim"), OPEN)
def test_what_is_open_is_neither_true_nor_false(given, claim):
    assert verdict_of(given, claim) not in (*TRUE, Verdict.REFUTED)


def test_what_holds_for_a_few_steps_is_not_called_proved():
    assert verdict_of("reflections", r"Q^n = Q^{n-1} - a^n c^{n\top}") is Verdict.CONFIRMED


def test_an_underscore_that_markdown_escapes_is_one():
    report = check("$$h_t = A h_{t-1} + x_t$$\n\nThen $u\\_t = A h\\_{t-1}$, so $h\\_t = u\\_t + x\\_t$.\n")
    assert report.claims[-1].verdict in TRUE
    wrong = check("$$h_t = A h_{t-1} + x_t$$\n\nThen $u\\_t = A h\\_{t-1}$, and so $h\\_t = u\\_t + 2 x\\_t$.\n")
    assert wrong.claims[-1].verdict not in TRUE


def test_a_new_value_made_from_the_old_one_is_not_called_true():
    given = r"$$E = \frac{1}{2} (z - y)^2$$"
    claims = check(f"{given}\n\n" + r"$$w = w - \eta \frac{\partial E}{\partial w}$$").claims
    assert claims[-1].verdict is Verdict.DEFINITION


LOGISTIC = r"""
$$p_i = \frac{1}{1 + e^{-z_i}}$$
$$L = -\frac{1}{n} \sum_{i=1}^n y_i \log p_i + (1 - y_i) \log(1 - p_i)$$
"""
"""A loss with no bracket behind the sign of its sum."""


def verdict_on(page: str, equation: str) -> Verdict:
    return check(f"{page}\n$${equation}$$").claims[-1].verdict


def test_a_sum_reaches_over_the_terms_behind_it_that_bear_its_letter():
    slope = r"\frac{\partial L}{\partial z_i} = "
    assert verdict_on(LOGISTIC, slope + r"\frac{p_i - y_i}{n}") in TRUE
    assert verdict_on(LOGISTIC, slope + "p_i - y_i") is Verdict.REFUTED
    bracket = r"L = -\frac{1}{n} \sum_{i=1}^n [y_i \log p_i SIGN (1 - y_i) \log(1 - p_i)]"
    assert verdict_on(LOGISTIC, bracket.replace("SIGN", "+")) in TRUE
    assert verdict_on(LOGISTIC, bracket.replace("SIGN", "-")) is Verdict.REFUTED


def test_a_sum_ends_before_a_term_without_its_letter_or_with_one_that_is_known():
    given = r"Let $x, b \in \mathbb{R}^n$ and $c \in \mathbb{R}$."
    page = given + r" $$L = \sum_i x_i^2 + c$$ $$g_i = 2 \sum_i x_i + b_i$$"
    assert verdict_on(page, r"\frac{\partial L}{\partial c} = 1") in TRUE
    assert verdict_on(page, r"g_k = 2 \sum_i x_i + b_k") in TRUE
    assert verdict_on(page, r"g_k = 2 \sum_i (x_i + b_i)") not in TRUE
    assert verdict_on(given, r"-\sum_i x_i + \sum_{k, i} b_k b_i = \sum_{k, i} b_i b_k - \sum_i x_i") in TRUE


def test_a_sum_does_not_reach_over_a_sum_that_begins_behind_it():
    page = (r"Let $D, A \in \mathbb{R}^{n \times n}$.", r"O_{cm} = \sum_b D_{cb} A_{bm}")
    right = r"\sum_m O_{cm} - \sum_b D_{cb} \sum_m A_{bm} = 0"
    wrong = r"\sum_m O_{cm} - \sum_b D_{cb} \sum_n A_{bm} = 0"
    assert last(*page, right) not in (Verdict.REFUTED,)
    assert last(*page, wrong) not in TRUE
