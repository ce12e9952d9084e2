"""An index given another, ``p_{j|i}``: an array of its own that may sum to one; and letters that a sum leaves out."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict
from indexcalc.document.report import TRUE
from tests.support.verdicts import claims, last

NEIGHBOURS = (
    r"Let $y \in \mathbb{R}^n$.",
    r"Z_i = \sum_{k} e^{-(y_i - y_k)^2}",
    r"q_{j|i} = \frac{e^{-(y_i - y_j)^2}}{Z_i}",
    r"C = \sum_i \sum_j p_{j|i} \log \frac{p_{j|i}}{q_{j|i}}",
)
BOTH = r"(p_{j|i} - q_{j|i} + p_{i|j} - q_{i|j})(y_i - y_j)"


@pytest.mark.parametrize(
    ("claim", "verdicts"),
    [
        (r"\frac{\partial C}{\partial q_{j|i}} = - \frac{p_{j|i}}{q_{j|i}}", TRUE),
        (r"\frac{\partial C}{\partial q_{j|i}} = - \frac{p_{i|j}}{q_{j|i}}", (Verdict.REFUTED,)),
        (rf"\frac{{\partial C}}{{\partial y_i}} = 2 \sum_j {BOTH}", TRUE),
        (rf"\frac{{\partial C}}{{\partial y_i}} = \sum_j {BOTH}", (Verdict.REFUTED,)),
    ],
)
def test_the_gradient_of_stochastic_neighbours(claim, verdicts):
    assert last(*NEIGHBOURS, claim) in verdicts


def test_that_it_sums_to_one_is_said():
    found = claims(*NEIGHBOURS, rf"\frac{{\partial C}}{{\partial y_i}} = 2 \sum_j {BOTH}")[-1]
    assert any("sum to one" in assumption for assumption in found.assumptions)


def test_a_joint_probability_is_another_array():
    page = (*NEIGHBOURS, r"r_{ij} = \frac{q_{j|i} + q_{i|j}}{2}")
    assert last(*page, r"2 r_{ij} - q_{i|j} = q_{j|i}") in TRUE
    assert last(*page, r"q_{j|i} = q_{i|j}") not in TRUE


def test_letters_that_a_sum_leaves_out():
    page = r"Let $x, y \in \mathbb{R}^n$."
    assert last(page, r"\sum_i \sum_{j \neq i} x_i y_j = \sum_i x_i (\sum_j y_j - y_i)") in TRUE
    whole = r"\sum_j x_j - x_i - x_l + \delta_{il} x_i"
    assert last(page, rf"\sum_{{j \neq i, l}} x_j = {whole}") in TRUE
    assert last(page, rf"\sum_{{j \neq i, l}} x_j = {whole} + x_l") not in TRUE
