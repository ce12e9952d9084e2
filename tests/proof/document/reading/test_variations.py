"""Differentials, in the style of matrix calculus."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check
from indexcalc.proof.document.judging.verdicts import TRUE
from tests.proof.document.twins import Twins, claimed, true_of, wrong_of

VARIATIONS = {
    "matrices": Twins(
        r"""Let $X \in \mathbb{R}^{n \times d}$, $W \in \mathbb{R}^{d \times m}$.
$$Y = X W, \quad H = \tanh(Y)$$
$$L = \frac12 \|H\|_F^2$$""",
        (
            r"dY = dX\, W + X\, dW",
            r"\mathrm{d}Y = X\, \mathrm{d}W",
            r"d(X W) = (dX) W + X (dW)",
            r"dH = (1 - H \odot H) \odot dY",
            r"dL = H : dH = H \odot (1 - H^{\odot 2}) : dY",
            r"dL = \operatorname{tr}(H^\top dH)",
            r"dL = \frac{\partial L}{\partial Y} : dY = \frac{\partial L}{\partial Y} : X\, dW"
            r" = X^\top \frac{\partial L}{\partial Y} : dW",
            r"dL = \langle \nabla_W L, dW \rangle",
            r"d \operatorname{tr}(X^\top X) = 2 \operatorname{tr}(X^\top dX)",
        ),
        (
            r"dY = dX\, W - X\, dW",
            r"dY = dX\, W + 2 X\, dW",
            r"dH = (1 + H \odot H) \odot dY",
            r"dL = 2 \operatorname{tr}(H^\top dH)",
            r"dL = \operatorname{tr}(Y^\top dH)",
            r"dL = -\langle \nabla_W L, dW \rangle",
            r"d \operatorname{tr}(X^\top X) = \operatorname{tr}(X^\top dX)",
        ),
    ),
    "vectors": Twins(
        r"Let $A \in \mathbb{R}^{d \times d}$, $b, x \in \mathbb{R}^d$. $$f(x) = b^\top x + \frac12 x^\top A x$$",
        (
            r"df = b^\top dx + \frac12 x^\top (A + A^\top) dx",
            r"df = \nabla f(x)^\top dx",
            r"df = b^\top dx + \frac12 (dx)^\top A x + \frac12 x^\top A\, dx",
            r"df = db^\top x + b^\top dx + \frac12 x^\top dA\, x + \frac12 x^\top (A + A^\top) dx",
        ),
        (
            r"df = b^\top dx + x^\top A\, dx",
            r"df = 2 \nabla f(x)^\top dx",
            r"df = db^\top x + b^\top dx + x^\top dA\, x + \frac12 x^\top (A + A^\top) dx",
        ),
    ),
    "entries": Twins(
        r"$$z_i = \sum_j W_{ij} x_j$$ $$E = \sum_i z_i^3$$",
        (
            r"dz_i = \sum_j W_{ij}\, dx_j",
            r"dz_i = \sum_j dW_{ij}\, x_j + \sum_j W_{ij}\, dx_j",
            r"dE = 3 \sum_i z_i^2\, dz_i",
            r"dE = 3 \sum_{ij} z_i^2 W_{ij}\, dx_j",
        ),
        (r"dz_i = \sum_j W_{ji}\, dx_j", r"dE = \sum_i z_i^2\, dz_i"),
    ),
    "inverses": Twins(
        r"Let $A$ be an invertible matrix. $$M = A^{-1}$$ $$\ell = \log \det A$$",
        (
            r"dM = -A^{-1}\, dA\, A^{-1}",
            r"d(A^{-1}) = -A^{-1}\, dA\, A^{-1}",
            r"d\ell = \operatorname{tr}(A^{-1} dA)",
        ),
        (r"dM = A^{-1}\, dA\, A^{-1}", r"d\ell = \operatorname{tr}(A\, dA)"),
    ),
}


@pytest.mark.parametrize(("setting", "claim"), true_of(VARIATIONS))
def test_a_true_claim_is_confirmed(setting, claim):
    assert claimed(setting, claim).verdict in TRUE


@pytest.mark.parametrize(("setting", "claim"), wrong_of(VARIATIONS))
def test_its_wrong_twin_is_refuted(setting, claim):
    assert claimed(setting, claim).verdict is Verdict.REFUTED


def test_what_a_statement_does_not_vary_is_held():
    setting = r"$$Y = X W$$ $$dY = dX\, W + X\, dW$$"
    assert claimed(setting, r"dY = X\, dW").assumptions == ("X is held",)


def test_short_names_of_gradients_stay_gradients():
    text = r"$$Y = X W$$ $$dW = X^\top dY$$ $$dX = dY\, W^\top$$ $$dX = W^\top dY$$"
    assert [claim.verdict for claim in check(text).claims[1:]] == [Verdict.PROVED, Verdict.PROVED, Verdict.REFUTED]


def test_gradients_beside_differentials_are_not_accused():
    text = r"$$Y = X W$$ $$dY = dX\, W + X\, dW$$ $$\frac{\partial L}{\partial W} = X^\top dY$$ $$dW = X^\top dY$$"
    assert Verdict.REFUTED not in {claim.verdict for claim in check(text).claims}
