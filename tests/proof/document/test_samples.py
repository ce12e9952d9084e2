"""Vectors that are one of many: declared with an index, and stacked as the rows of a matrix."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Claim, Verdict, check

TRUE = (Verdict.PROVED, Verdict.CONFIRMED)

START = (
    "Samples $x_i \\in \\mathbb{R}^d$, weights $w \\in \\mathbb{R}^d$.\n\n"
    "$$z_i = w^\\top x_i + b$$ $$J = \\frac{1}{2} \\sum_{i=1}^{n} (z_i - t_i)^2$$\n\n"
)
ROWS = "Stacked: $X \\in \\mathbb{R}^{n \\times d}$.\n\n"
COLUMNS = "Stacked: $X \\in \\mathbb{R}^{d \\times n}$.\n\n"


def last(text: str) -> Claim:
    """The last claim of a note."""
    return check(text).claims[-1]


@pytest.mark.parametrize(
    ("claim", "right"),
    [
        ("\\frac{\\partial z_i}{\\partial w} = x_i", True),
        ("\\frac{\\partial J}{\\partial w} = \\sum_{i=1}^{n} (z_i - t_i) x_i", True),
        ("\\frac{\\partial J}{\\partial w} = \\sum_{i=1}^{n} (t_i - z_i) x_i", False),
        ("\\frac{\\partial J}{\\partial w} = 2 \\sum_{i=1}^{n} (z_i - t_i) x_i", False),
    ],
)
def test_a_declared_vector_with_an_index_is_one_of_many(claim, right):
    assert last(f"{START}$${claim}$$").verdict in (TRUE if right else (Verdict.REFUTED,))


def test_the_samples_are_the_rows_of_their_matrix():
    assert last(START + ROWS + "$$\\frac{\\partial J}{\\partial w} = X^\\top (z - t)$$").verdict in TRUE
    wrong = last(START + ROWS + "$$\\frac{\\partial J}{\\partial w} = 2 X^\\top (z - t)$$")
    assert wrong.verdict is Verdict.REFUTED


def test_samples_that_may_be_columns_accuse_nothing():
    claim = "$$\\frac{\\partial J}{\\partial w} = X (z - t)$$"
    assert last(START + COLUMNS + claim).verdict is not Verdict.REFUTED
