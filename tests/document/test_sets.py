"""Sums over sets: a set may be a part of all that there is, and its bars are the number of its elements."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check
from tests.support.verdicts import judged

MEAN = r"$$\mu = \frac{1}{|G|} \sum_{i \in G} x_i$$ "

NORMALIZED = rf"""{MEAN}
$$\sigma^2 = \frac{{1}}{{|G|}} \sum_{{i \in G}} (x_i - \mu)^2$$
$$\hat{{x}}_i = \frac{{x_i - \mu}}{{\sqrt{{\sigma^2 + \epsilon}}}}$$
"""

OWN, OTHERS = r"\frac{\partial L}{\partial \hat{x}_i}", r"\frac{\partial L}{\partial \hat{x}_j}"

GRADIENT = (
    r"\frac{\partial L}{\partial x_i} = \frac{1}{|G| \sqrt{\sigma^2 + \epsilon}} \left("
    rf"|G| {OWN} - \sum_{{j \in G}} {OTHERS} - \hat{{x}}_i \sum_{{j \in G}} {OTHERS} \hat{{x}}_j \right)"
)


@pytest.mark.parametrize(
    "claim",
    [
        r"\sum_{i \in G} (x_i - \mu) = 0",
        r"\sum_{i \in G} (x_i - 2 \mu) = -|G| \mu",
        r"\sum_{i \in G} x_i = |G| \mu",
        r"\frac{\partial \mu}{\partial x_i} = \frac{1}{|G|}",
    ],
)
def test_bars_around_a_set_are_the_number_of_its_elements(claim):
    assert judged(check(f"{MEAN}$${claim}$$").claims[-1]) is Verdict.CONFIRMED


@pytest.mark.parametrize(
    "claim", [r"\sum_{i \in G} (x_i - 2 \mu) = 0", r"\frac{\partial \mu}{\partial x_i} = \frac{2}{|G|}"]
)
def test_what_is_false_of_it_is_refuted(claim):
    assert judged(check(f"{MEAN}$${claim}$$").claims[-1]) is Verdict.REFUTED


def test_the_gradient_of_a_normalized_group():
    assert judged(check(f"{NORMALIZED}$${GRADIENT}$$").claims[-1]) is Verdict.CONFIRMED
    wrong = GRADIENT.replace(r"- \sum_{j \in G} \frac", r"- 2 \sum_{j \in G} \frac", 1)
    assert judged(check(f"{NORMALIZED}$${wrong}$$").claims[-1]) is Verdict.REFUTED


@pytest.mark.parametrize(
    "page",
    [
        r"$$L = \sum_{i=1}^n x_i$$ $$L = \sum_{i \in S} x_i$$",
        r"$$a = \sum_i x_i$$ $$b = \sum_{i \in S} x_i$$ $$a = b$$",
        rf"{MEAN} $$\sum_i (x_i - \mu) = 0$$",
        r"$$f = \frac{1}{N} \sum_{i=1}^N x_i$$ $$g = \frac{1}{|B|} \sum_{i \in B} x_i$$ $$f = g$$",
        rf"{MEAN} $$\nu = \frac{{1}}{{|H|}} \sum_{{i \in H}} x_i$$ $$\mu = \nu$$",
    ],
)
def test_a_set_may_be_a_part_of_all(page):
    claim = check(page).claims[-1]
    assert claim.verdict is Verdict.UNCLEAR
    assert "is all over which other sums run" in claim.reason


def test_bars_around_a_matrix_are_its_determinant():
    """Also where the letter is that of a set below a sum."""
    page = r"$G \in \mathbb{R}^{n \times n}$ is a matrix. $$\frac{\partial \log |G|}{\partial G} = G^{-\top}$$"
    assert judged(check(rf"$$s = \sum_{{i \in G}} x_i$$ {page}").claims[-1]) is Verdict.CONFIRMED
