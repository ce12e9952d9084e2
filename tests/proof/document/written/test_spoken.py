"""Conditions that words state: they save what holds under them, and nothing else."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Claim, Verdict, check

SOFTMAX = "$$p_i = \\frac{e^{u_i}}{\\sum_l e^{u_l}}$$\n\n"

SLOPE = "$$\\frac{\\partial p_i}{\\partial u_k} = X$$"

SPOKEN = {
    "words before it": "When $i \\neq k$, only the sum below depends on it, and we get\n" + SLOPE,
    "behind it": "There is $\\frac{\\partial p_i}{\\partial u_k} = X$ for any $i \\neq k$ in a row.",
    "a heading with words": "### Case 2: $i \\neq k$ (apart)\n\nThe slope:\n" + SLOPE,
    "plain words": "For i != k:\n\n" + SLOPE,
    "the second of two displays": "If $i \\neq k$:\n" + SLOPE.replace("X", "-p_k p_i") + "\nthus\n" + SLOPE,
}


def last(text: str) -> Claim:
    """The last judged claim of a note."""
    return [c for c in check(text).claims if c.verdict is not Verdict.CONDITION][-1]


@pytest.mark.parametrize("name", SPOKEN)
def test_a_condition_in_words_saves_what_holds_under_it(name):
    claim = last(SOFTMAX + SPOKEN[name].replace("X", "-p_i p_k"))
    assert claim.verdict is Verdict.CONFIRMED
    assert claim.assumptions == ("i != k",)


@pytest.mark.parametrize("name", SPOKEN)
def test_a_condition_in_words_saves_nothing_else(name):
    assert last(SOFTMAX + SPOKEN[name].replace("X", "p_i p_k")).verdict is Verdict.REFUTED


def test_without_the_words_the_same_formula_is_wrong():
    assert last(SOFTMAX + "$$\\frac{\\partial p_i}{\\partial u_k} = -p_i p_k$$").verdict is Verdict.REFUTED


def test_a_condition_ends_with_the_words_that_follow():
    text = (
        "If $i \\neq k$:\n$$\\frac{\\partial p_i}{\\partial u_k} = -p_k p_i$$\n\n"
        "Both cases together, for every pair of places in the row that one can choose, are written as one:\n"
        "$$\\frac{\\partial p_i}{\\partial u_k} = -p_i p_k$$"
    )
    assert last(SOFTMAX + text).verdict is Verdict.REFUTED
