r"""Means that no equation gives, ``\bar x``: identities of statistics, each with a wrong twin."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Verdict
from tests.support.verdicts import judged

CONFIRMED, REFUTED = Verdict.CONFIRMED, Verdict.REFUTED

CENTRED = r"$$\sum_{i=1}^n (x_i - \bar x) = 0$$" + "\n\n"

IDENTITIES = {
    r"\sum_{i=1}^n (x_i - \bar x)(y_i - \bar y)": (
        r"\sum_{i=1}^n x_i y_i - n \bar x \bar y",
        r"\sum_{i=1}^n x_i y_i - \bar x \bar y",
    ),
    r"\sum_{i=1}^n (x_i - \bar x)^2": (
        r"\sum_{i=1}^n x_i (x_i - \bar x)",
        r"\sum_{i=1}^n \bar x (x_i - \bar x)",
    ),
    r"\frac{1}{n} \sum_{i=1}^n (x_i - \bar x_n)^2": (
        r"\frac{1}{n} \sum_{i=1}^n x_i^2 - \bar x_n^2",
        r"\frac{1}{n} \sum_{i=1}^n x_i^2 - \bar x_n",
    ),
}


@pytest.mark.parametrize("left", IDENTITIES)
def test_a_bar_may_say_the_mean(left):
    right, wrong = IDENTITIES[left]
    assert judged(check(f"$${left} = {right}$$").claims[-1]) is CONFIRMED
    start = CENTRED + f"$${left} = {right}$$\n\n"
    assert judged(check(f"{start}$${left} = {wrong}$$").claims[-1]) is REFUTED


def test_the_mean_of_rows_is_a_row():
    centred = r"$$\sum_{i=1}^n (X_{ij} - \bar X_j) = 0$$"
    assert judged(check(centred).claims[-1]) is not CONFIRMED  # an array of its own, with an index
    page = r"Let $X \in \mathbb{R}^{n \times d}$, with entries $X_{ij}$." + "\n\n"
    assert judged(check(page + r"$$\mathbf{1}^\top X = n \bar X^\top$$").claims[-1]) is CONFIRMED


def test_what_an_equation_gives_is_no_mean():
    page = r"$$\bar x = \sum_{i=1}^n x_i^2$$" + "\n\n"
    assert judged(check(page + r"$$\sum_{i=1}^n (x_i - \bar x) = 0$$").claims[-1]) is not CONFIRMED
    assert judged(check(page + r"$$\sum_{i=1}^n x_i (x_i - 1) = \bar x - \sum_{i=1}^n x_i$$").claims[-1]) is CONFIRMED
