"""Vectors that nothing but their neighbours mark."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Claim, Verdict, check

TRUE = (Verdict.PROVED, Verdict.CONFIRMED)

LAYER = "$$z = W x + b$$ $$a = \\sigma(z)$$\n\n"
LOGISTIC = "$$z = w^T x + b$$ $$p = \\sigma(z)$$ $$\\ell = -y \\log p - (1-y) \\log(1-p)$$\n\n"
RIDGE = "$$J = \\frac{1}{2n} (X w - y)^T (X w - y) + \\frac{\\lambda}{2} w^T w$$\n\n"
ARROWS = "$$J = (X \\vec w - \\vec y)^T (X \\vec w - \\vec y)$$\n\n"

CLAIMS = [
    (LAYER, "\\frac{\\partial L}{\\partial W} = \\frac{\\partial L}{\\partial z} x^T", True),
    (LAYER, "\\frac{\\partial L}{\\partial b} = \\frac{\\partial L}{\\partial z}", True),
    (LAYER, "\\frac{\\partial L}{\\partial x} = W^T \\frac{\\partial L}{\\partial z}", True),
    (LAYER, "\\frac{\\partial L}{\\partial z} = \\frac{\\partial L}{\\partial a} \\odot a \\odot (1 + a)", False),
    (LAYER, "\\frac{\\partial L}{\\partial b} = 2 \\frac{\\partial L}{\\partial z}", False),
    (LOGISTIC, "\\frac{\\partial \\ell}{\\partial w} = (p - y) x", True),
    (LOGISTIC, "\\frac{\\partial \\ell}{\\partial b} = p - y", True),
    (LOGISTIC, "\\frac{\\partial \\ell}{\\partial w} = (y - p) x", False),
    (RIDGE, "\\frac{\\partial J}{\\partial w} = \\frac{1}{n} X^T (X w - y) + \\lambda w", True),
    (RIDGE, "\\frac{\\partial J}{\\partial w} = \\frac{1}{n} X^T (X w - y) + 2 \\lambda w", False),
    (ARROWS, "\\frac{\\partial J}{\\partial \\vec w} = 2 X^T (X \\vec w - \\vec y)", True),
    (ARROWS, "\\frac{\\partial J}{\\partial \\vec w} = X^T (X \\vec w - \\vec y)", False),
]


def last(text: str) -> Claim:
    """The last claim of a note."""
    return check(text).claims[-1]


@pytest.mark.parametrize(("start", "claim", "right"), CLAIMS)
def test_a_vector_is_known_by_what_stands_beside_it(start, claim, right):
    assert last(f"{start}$${claim}$$").verdict in (TRUE if right else (Verdict.REFUTED,))


def test_a_scalar_beside_scalars_stays_one():
    start = "$$z = w x + b$$ $$c = z^2$$\n\n"
    assert last(start + "$$\\frac{\\partial c}{\\partial w} = 2 z x$$").verdict in TRUE
    assert last(start + "$$\\frac{\\partial c}{\\partial w} = 2 z w$$").verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("note", "verdict"),
    [
        (r"$$L = \|X w - y\|^2 + \lambda \|w\|^2$$ $$\nabla_w L = 2 X^\top (X w - y) + 2 \lambda w$$", "proved"),
        (r"$$L = \|X w - y\|^2 + \lambda \|w\|^2$$ $$\nabla_w L = 2 X^\top (X w - y) + \lambda w$$", "refuted"),
        (r"$$f(x) = \frac{1}{2} \|x - c\|^2$$ $$\nabla f(x) = x - c$$", "proved"),
        (r"$$f(x) = \frac{1}{2} \|x - c\|^2$$ $$\nabla f(x) = c - x$$", "refuted"),
        (r"| s | $f(x) = \frac{x}{1 + \|x\|}$ | $f'(x) = \frac{1}{(1 + \|x\|)^2}$ |", "confirmed"),
        (r"| s | $f(x) = \frac{x}{1 + \|x\|}$ | $f'(x) = \frac{1}{1 + \|x\|}$ |", "refuted"),
    ],
)
def test_names_in_norms_are_vectors_and_in_escaped_bars_of_a_row_they_may_be_numbers(note, verdict):
    assert [str(claim.verdict) for claim in check(note).claims] == ["definition", verdict]
