"""Entries in brackets: arrays that a page writes as functions of their indices."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check

TRUE = (Verdict.PROVED, Verdict.CONFIRMED)

PRODUCT = r"""$$Y(m,n) = \sum_{k=0}^{K-1} X(m,k) W(k,n)$$

$$\frac{\partial L}{\partial X(m,k)} = \sum_{n} \frac{\partial L}{\partial Y(m,n)} W(k,n)$$

$$\frac{\partial L}{\partial W(k,n)} = \sum_{m} \frac{\partial L}{\partial Y(m,n)} X(m,k)$$
"""


def test_what_sums_run_over_is_an_index():
    definition, *gradients = check(PRODUCT).claims
    assert definition.verdict is Verdict.DEFINITION
    assert all(claim.verdict in TRUE for claim in gradients)


def test_the_same_verdicts_with_indices_below():
    below = PRODUCT.replace("(", "_{").replace(")", "}")
    assert [one.verdict for one in check(below).claims] == [one.verdict for one in check(PRODUCT).claims]


@pytest.mark.parametrize(
    ("right", "wrong"), [("X(m,k)$$", "X(k,m)$$"), ("W(k,n)$$\n\n$$\\frac{\\partial L}{\\partial W", None)]
)
def test_exchanged_indices_are_refuted_and_corrected_as_the_page_writes_them(right, wrong):
    wrong = wrong or right.replace("W(k,n)$$", "W(n,k)$$", 1)
    broken = PRODUCT.replace(right, wrong)
    assert broken != PRODUCT
    refuted = [claim for claim in check(broken).claims if claim.verdict is Verdict.REFUTED]
    assert len(refuted) == 1
    assert refuted[0].correction in (
        r"\sum_{m} \frac{\partial L}{\partial Y(m,n)} X(m,k)",
        r"\sum_{n} \frac{\partial L}{\partial Y(m,n)} W(k,n)",
    )


@pytest.mark.parametrize(
    "page",
    [
        # no sum runs over an argument
        r"$$f(x, y) = x y$$" + "\n\n" + r"$$\frac{\partial f(x,y)}{\partial x} = y$$",
        # what is differentiated by is no index
        r"$$g(x, k) = x \sum_k a_k$$" + "\n\n" + r"$$\frac{\partial g(x, k)}{\partial x} = \sum_k a_k$$",
    ],
)
def test_functions_stay_functions(page):
    assert check(page).claims[-1].verdict in TRUE


def test_one_argument_that_is_no_index_says_that_it_is_a_function():
    page = r"$$s = \sum_i K(i, j)$$" + "\n\n" + r"$$\kappa = K(u + v^2 \exp(w), j)$$"
    assert all("2 axes" not in claim.reason for claim in check(page).claims)
