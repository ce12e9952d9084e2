from __future__ import annotations

import pytest

from indexcalc.language.latex.tokens import tokenize
from indexcalc.proof.document import Verdict, check
from indexcalc.proof.document.written.differentials import with_gradients

DECLARED = r"Let $X \in \mathbb{R}^{n \times d}$, $W \in \mathbb{R}^{d \times m}$. $$Y = X W$$"


def texts(*formulas):
    return [[token.text for token in tokens] for tokens in with_gradients([tokenize(text) for text in formulas])]


def test_a_gradient_on_a_left_side_makes_gradients_of_all():
    assert texts("dW = X^T dY", "A = 2 dY") == [
        ["dW", "=", "X", "^", "T", "dY"],
        ["A", "=", "2", "dY"],
    ]


@pytest.mark.parametrize(
    "formula", ["Y = d W", "s = d_k W", r"Y = d\,W", "d W = 3", "x_{dW} = 3", r"\frac{dL}{dW} = 3"]
)
def test_without_such_a_left_side_nothing_changes(formula):
    assert texts(formula) == [[token.text for token in tokenize(formula)]]


def test_quotients_of_differentials_stay():
    assert texts("dW = 2 dL/dX", r"\frac{dL}{dX} = dX")[0] == ["dW", "=", "2", "d", "L", "/", "d", "X"]
    assert texts("dW = 2", r"\frac{dL}{dX} = dX")[1] == [token.text for token in tokenize(r"\frac{dL}{dX} = ")] + ["dX"]


@pytest.mark.parametrize("claim", [r"dX = dY\, W^\top", r"dW = X^T dY", r"dW_{ij} = \sum_k X_{ki} dY_{kj}"])
def test_true_gradients_are_proved(claim):
    assert check(f"{DECLARED} $${claim}$$").claims[-1].verdict is Verdict.PROVED


@pytest.mark.parametrize("claim", [r"dX = dY\, W", r"dW = 2 X^T dY", r"dW_{ij} = \sum_k X_{ki} dY_{jk}"])
def test_wrong_ones_are_refuted(claim):
    assert check(f"{DECLARED} $${claim}$$").claims[-1].verdict is Verdict.REFUTED


@pytest.mark.parametrize("claim", [r"dY = dX\, W + X\, dW", r"dY_{ik} = \sum_j dX_{ij} W_{jk} + \sum_j X_{ij} dW_{jk}"])
def test_differentials_are_not_taken_for_gradients(claim):
    found = check(f"{DECLARED} $${claim}$$ $$dX = X$$")
    assert not found.refuted
    assert Verdict.UNCLEAR in [one.verdict for one in found.claims]


def test_an_indexed_short_name_is_a_gradient_where_the_gradient_is_written_too():
    start = r"$$y_i = 2 x_i$$ $$\frac{\partial L}{\partial x_i} = 2 \frac{\partial L}{\partial y_i}$$"
    assert check(rf"{start} $$\mathrm{{dx}}_i = 2\, \mathrm{{dy}}_i$$").claims[-1].verdict is Verdict.PROVED
    assert check(rf"{start} $$\mathrm{{dx}}_i = 3\, \mathrm{{dy}}_i$$").claims[-1].verdict is Verdict.REFUTED


def test_an_indexed_name_of_its_own_is_none():
    note = r"$$\mathrm{dx}_i = x_i - y_i$$ $$s = \sum_i \mathrm{dx}_i^2$$"
    assert [claim.verdict for claim in check(note).claims] == [Verdict.DEFINITION, Verdict.DEFINITION]


DEFINED = r"""
$$E_{ui} = \sum_k P_{uk} Q_{ik} - R_{ui}$$
$$L = \frac{1}{2} \sum_{u, i} W_{ui} E_{ui}^2 + \frac{\lambda}{2} \sum_{u, k} P_{uk}^2$$
$$dE_{ui} = W_{ui} E_{ui}$$
$$dP_{uk} = \sum_i dE_{ui} Q_{ik} + TERM$$
"""


@pytest.mark.parametrize(
    ("term", "verdict"), [(r"\lambda P_{uk}", "proved"), (r"2 \lambda P_{uk}", "refuted"), ("0", "refuted")]
)
def test_short_names_are_gradients_of_the_loss_that_is_defined(term, verdict):
    claims = check(DEFINED.replace("TERM", term)).claims
    assert [str(claim.verdict) for claim in claims] == ["definition", "definition", "proved", verdict]


def test_a_loss_in_matrix_notation_is_a_scalar():
    note = r"$$Z = X W$$ $$J = \frac{1}{2} \|Z\|_F^2$$ $$dZ = Z$$ $$dW = X^\top dZ$$"
    assert [str(claim.verdict) for claim in check(note).claims] == ["definition", "definition", "proved", "proved"]


def test_an_array_under_the_letter_of_a_loss_is_none():
    note = r"$$C = A B$$ $$Y = C X$$ $$dX = C^\top dY$$ $$dB = A^\top dY X^\top$$"
    assert [str(claim.verdict) for claim in check(note).claims] == ["definition", "definition", "proved", "proved"]


@pytest.mark.parametrize(("order", "verdict"), [(r"A^\top dC", "proved"), (r"dC A^\top", "refuted")])
def test_a_product_of_matrices_under_the_letter_of_a_loss_has_a_gradient(order, verdict):
    note = r"Let $A \in \mathbb{R}^{n \times m}$ and $B \in \mathbb{R}^{m \times p}$. $$C = A B$$"
    claims = check(note + rf"$$dA = dC B^\top$$ $$dB = {order}$$").claims
    assert [str(claim.verdict) for claim in claims[-3:]] == ["definition", "proved", verdict]


def test_what_is_named_on_the_way_back_holds_gradients_of_that_loss():
    note = r"""
$$A_{ij} = \frac{e^{S_{ij}}}{\sum_l e^{S_{il}}}, \quad O_{ip} = \sum_j A_{ij} V_{jp}, \quad L = \sum_{ip} O_{ip}^3$$
$$dO_{ip} = 3 O_{ip}^2, \quad dA_{ij} = \sum_p dO_{ip} V_{jp}$$
$$r_i = \sum_p dO_{ip} O_{ip}$$
$$dS_{ij} = A_{ij} (dA_{ij} SIGN r_i)$$
"""
    assert str(check(note.replace("SIGN", "-")).claims[-1].verdict) == "proved"
    assert str(check(note.replace("SIGN", "+")).claims[-1].verdict) == "refuted"
