"""Lists of arguments, names that prose mentions, and displays that lead on past a formula in prose."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check

TRUE = (Verdict.PROVED, Verdict.CONFIRMED)

COST = "$$J(w, b) = \\sum_i (w x_i + b - t_i)^2$$\n\n"


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("\\frac{\\partial J(w, b)}{\\partial b} = 2 \\sum_i (w x_i + b - t_i)", True),
        ("\\frac{\\partial J}{\\partial w} = 2 \\sum_i (w x_i + b - t_i) x_i", True),
        ("\\frac{\\partial J(w, b)}{\\partial w} = \\sum_i (w x_i + b - t_i) x_i", False),
    ],
)
def test_a_list_of_arguments_only_says_on_what_a_loss_depends(claim, right):
    first, last = check(f"{COST}$${claim}$$").claims
    assert first.verdict is Verdict.DEFINITION
    assert last.verdict in (TRUE if right else (Verdict.REFUTED,))


def test_a_product_of_two_brackets_is_no_list_of_arguments():
    text = "$$c = a (x - y) (x + y)$$\n\n$$\\frac{\\partial c}{\\partial x} = 2 a x$$"
    assert check(text).claims[-1].verdict in TRUE


def test_a_sigma_that_prose_mentions_is_still_a_function():
    start = "$$p = \\sigma(u)$$\n\nHere $\\sigma$ is the logistic function.\n\n"
    assert check(start + "$$\\frac{\\partial p}{\\partial u} = p (1 - p)$$").claims[-1].verdict in TRUE
    assert check(start + "$$\\frac{\\partial p}{\\partial u} = p (1 + p)$$").claims[-1].verdict is Verdict.REFUTED


def test_a_display_leads_on_past_a_formula_in_prose():
    text = "$$c = (a + b)^2$$\n\n$$\\frac{\\partial c}{\\partial a} = 2 (a + b)$$\n\n"
    text += "Multiply $(a + b)$ out:\n\n$$= 2 a SIGN 2 b$$"
    assert check(text.replace("SIGN", "+")).claims[-1].verdict in TRUE
    assert check(text.replace("SIGN", "-")).claims[-1].verdict is Verdict.REFUTED
