"""How far a nabla reaches: over constants and arrays, up to what is differentiated."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict
from indexcalc.proof.document.judging.verdicts import TRUE
from tests.proof.document.twins import Twins, claimed, true_of, wrong_of

NABLAS = {
    "products": Twins(
        r"Let $A \in \mathbb{R}^{n \times n}$, $b \in \mathbb{R}^n$, $x \in \mathbb{R}^n$.",
        (
            r"\nabla_x \frac{1}{2} \|x\|^2 = x",
            r"\nabla_x \tfrac12 x^\top x = x",
            r"\nabla_x x^\top A x = (A + A^\top) x",
            r"\nabla_x \lambda \|x - b\|^2 = 2 \lambda (x - b)",
            r"\nabla_x (b^\top x) = b",
            r"\nabla_x \left[ b^\top x + \frac12 x^\top A x \right] = b + \frac12 (A + A^\top) x",
        ),
        (
            r"\nabla_x \frac{1}{2} \|x\|^2 = 2 x",
            r"\nabla_x x^\top A x = 2 A x",
            r"\nabla_x \lambda \|x - b\|^2 = \lambda (x - b)",
        ),
    ),
    "factors behind a gradient": Twins(
        r"Let $W \in \mathbb{R}^{m \times n}$, $x \in \mathbb{R}^n$. $$y = W x$$ $$J = \sum_i y_i^3$$",
        (
            r"\nabla_W J = \nabla_y J \, x^\top",
            r"\nabla_x J = W^\top \nabla_y J",
            r"J = \frac13 \nabla_y J^\top y",
        ),
        (r"\nabla_x J = 2 W^\top \nabla_y J", r"J = \frac12 \nabla_y J^\top y"),
    ),
}


@pytest.mark.parametrize(("setting", "claim"), true_of(NABLAS))
def test_a_true_claim_is_confirmed(setting, claim):
    assert claimed(setting, claim).verdict in TRUE


@pytest.mark.parametrize(("setting", "claim"), wrong_of(NABLAS))
def test_its_wrong_twin_is_refuted(setting, claim):
    assert claimed(setting, claim).verdict is Verdict.REFUTED
