"""Numbers that are written to some decimals: rounded and cut off they are right, and no further off."""

from __future__ import annotations

import math

import pytest

from indexcalc.document import Verdict
from tests.support.verdicts import claims, judged, last

CONFIRMED, REFUTED = Verdict.CONFIRMED, Verdict.REFUTED

VALUES = {
    "1/3": 1 / 3,
    r"\sqrt{2}": math.sqrt(2),
    r"\frac{e^{1.5}}{e^{1.5} + 2}": math.exp(1.5) / (math.exp(1.5) + 2),
    r"-\log(0.7)": -math.log(0.7),
    r"0.3 \cdot 0.33": 0.099,
}


def cut_off(value: float, decimals: int) -> str:
    return f"{math.trunc(value * 10**decimals) / 10**decimals:.{decimals}f}"


@pytest.mark.parametrize("formula", VALUES)
@pytest.mark.parametrize("decimals", [1, 2, 4])
def test_a_number_agrees_with_its_first_figures(formula, decimals):
    value, off = VALUES[formula], 2 * 10**-decimals
    for text in (f"{value:.{decimals}f}", cut_off(value, decimals)):
        assert last(f"a = {formula} = {text}") is CONFIRMED
    assert last(f"a = {formula} = {value + off:.{decimals}f}") is REFUTED


def test_a_figure_that_is_neither_rounded_nor_cut_off_is_wrong():
    assert last("a = 1/3 = 0.34") is REFUTED
    assert last("a = -1/3 = -0.34") is REFUTED
    assert last("a = 0.1 + 0.01 = 0.2") is REFUTED
    assert last("a = 2/3 = 0.66") is CONFIRMED


def test_whole_numbers_are_exact():
    assert last(r"r = 5 \cdot 7 = 36") is REFUTED
    assert last(r"r = 7 / 2 = 3") is REFUTED


def test_the_second_number_says_how_exact_it_is():
    assert last("a = 1/3", "3 a = 1", "2 a = 0.67") is CONFIRMED
    assert last(r"s = e^{-7} + 0 = 9.1 \times 10^{-4}") is CONFIRMED
    assert last(r"s = e^{-7} + 0 = 9.4 \times 10^{-4}") is REFUTED


def test_so_are_lists_and_what_names_stand_for():
    start = (r"z = \begin{bmatrix} 1 \\ 2 \\ 3 \end{bmatrix}", r"p_i = \frac{e^{z_i}}{\sum_j e^{z_j}}")
    assert last(*start, r"p = \begin{bmatrix} 0.09 \\ 0.24 \\ 0.67 \end{bmatrix}") is CONFIRMED
    assert last(*start, r"p = \begin{bmatrix} 0.09 \\ 0.24 \\ 0.77 \end{bmatrix}") is not CONFIRMED


def test_what_is_free_is_not_rounded():
    wrong = claims(r"Let $x \in \mathbb{R}^n$.", r"\sum_i x_i - \sum_i x_i = 0.001")[-1]
    assert judged(wrong) is not CONFIRMED
    assert wrong.verdict is not Verdict.PROVED
