r"""Capitals that hold what their small letters number, ``X`` beside ``x_i``: identities, each with a wrong twin."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Verdict
from tests.support.verdicts import judged

TRUE = (Verdict.PROVED, Verdict.CONFIRMED)
START = r"Let $X \in \mathbb{R}^{n \times d}$ hold the $x_i$ as its rows." + "\n\n"

GRAM = r"$$\sum_{i=1}^n x_i x_i^\top = X^\top X$$" + "\n\n"
"""By this the columns are no samples."""

IDENTITIES = {
    r"X^\top \mathbf{1}": (r"\sum_{i=1}^n x_i", r"\frac{1}{n} \sum_{i=1}^n x_i"),
    r"\mathrm{tr}(X X^\top)": (r"\sum_{i=1}^n x_i^\top x_i", r"2 \sum_{i=1}^n x_i^\top x_i"),
    r"X^\top X + I": (r"\sum_{i=1}^n x_i x_i^\top + I", r"\sum_{i=1}^n x_i x_i^\top - I"),
}


def last(text):
    return judged(check(text).claims[-1])


@pytest.mark.parametrize("left", IDENTITIES)
def test_a_capital_may_hold_vectors_as_its_rows(left):
    right, wrong = IDENTITIES[left]
    assert last(f"{START}$${left} = {right}$$") in TRUE
    more = f"{START}{GRAM}$$X^\\top X w = \\sum_{{i=1}}^n x_i x_i^\\top w$$\n\n"
    assert last(f"{more}$${left} = {right}$$") in TRUE
    assert last(f"{more}$${left} = {wrong}$$") is Verdict.REFUTED


def test_it_may_hold_them_as_its_columns():
    outer = r"$$X X^\top = \sum_{i=1}^n x_i x_i^\top$$"
    assert last(outer) in TRUE
    assert sum(judged(one) in TRUE for one in check(GRAM + outer).claims) == 1  # rows above, columns here
    assert last(START + GRAM + GRAM.replace("= X", "+ I = I + X") + outer) not in TRUE


def test_it_may_hold_entries():
    page = r"$$\mathrm{tr}(A B) = \sum_{ij} a_{ij} b_{ji}$$" + "\n\n"
    assert last(page) in TRUE
    assert last(page + r"$$\mathrm{tr}(A B) = \sum_{ij} a_{ij} b_{ij}$$") not in TRUE


@pytest.mark.parametrize("target", ["w", "X", "x_i"])
def test_a_loss_of_the_vectors_is_one_of_the_capital(target):
    loss = (
        START
        + r"Let $w \in \mathbb{R}^d$ and $y, Y \in \mathbb{R}^n$."
        + "\n\n"
        + r"$$L = \frac{1}{2} \sum_{i=1}^n (w^\top x_i - y_i)^2$$"
        + "\n\n"
    )
    gradient = {"w": r"X^\top (X w - Y)", "X": r"(X w - Y) w^\top", "x_i": r"(w^\top x_i - y_i) w"}[target]
    assert last(f"{loss}$$\\frac{{\\partial L}}{{\\partial {target}}} = {gradient}$$") in TRUE
    assert last(f"{loss}$$\\frac{{\\partial L}}{{\\partial {target}}} = 2 {gradient}$$") not in TRUE


def test_what_holds_of_any_capital_holds_beside_one_that_is_tied():
    page = START + GRAM + r"$$X^\top X w = \sum_{i=1}^n x_i x_i^\top w$$" + "\n\n"
    assert last(page + r"$$\mathrm{tr}(X X^\top) x_1 = x_1 \mathrm{tr}(X^\top X)$$") in TRUE


def test_samples_numbered_above_may_be_columns():
    page = r"Let $X \in \mathbb{R}^{d \times n}$ hold the $x^{(i)}$." + "\n\n"
    assert last(page + r"$$\sum_{i=1}^n x^{(i)} {x^{(i)}}^\top = X X^\top$$") in TRUE
    assert last(page + r"$$\sum_{i=1}^n x^{(i)} {x^{(i)}}^\top = 2 X X^\top$$") not in TRUE


def test_two_equations_tie_nothing():
    page = r"$$x_i = a_i \odot b$$" + "\n\n" + r"$$X = A B$$" + "\n\n"
    assert last(page + r"$$\sum_{i=1}^n x_i x_i^\top = X^\top X$$") not in TRUE
