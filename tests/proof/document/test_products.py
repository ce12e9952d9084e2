"""Inner products: in angles, with a colon, with a dot."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict
from indexcalc.proof.document.judging.verdicts import TRUE
from tests.proof.document.twins import Twins, claimed, true_of, wrong_of

PRODUCTS = {
    "inner products": Twins(
        r"Let $x, y \in \mathbb{R}^n$, $A, B \in \mathbb{R}^{n \times m}$, $W \in \mathbb{R}^{n \times n}$."
        "\n\n"
        r"$$f = W A : B$$ $$g = \langle x, W y \rangle$$ $$s = x \cdot y$$",
        (
            r"\langle A, B \rangle = \operatorname{tr}(A^\top B)",
            r"\left\langle A, B \right\rangle_F = \sum_{ij} A_{ij} B_{ij}",
            r"A : B = \operatorname{tr}(A^\top B)",
            r"W A : B = A : W^\top B",
            r"\|A\|_F^2 = A : A",
            r"\frac{\partial f}{\partial W} = B A^\top",
            r"\nabla_A f = W^\top B",
            r"g = \langle W^\top x, y \rangle",
            r"\frac{\partial g}{\partial W} = x y^\top",
            r"\frac{\partial s}{\partial x} = y",
        ),
        (
            r"f = A : W B",
            r"f = 2 A : W^\top B",
            r"f = \langle A, W B \rangle_F",
            r"\frac{\partial f}{\partial W} = A B^\top",
            r"\nabla_A f = W B",
            r"g = \langle W x, y \rangle",
            r"\frac{\partial s}{\partial x} = x",
        ),
    ),
    "outer products and diagonals": Twins(
        r"Let $x \in \mathbb{R}^n$, $u \in \mathbb{R}^m$, $W \in \mathbb{R}^{m \times n}$,"
        r" $A \in \mathbb{R}^{n \times n}$."
        "\n\n"
        r"$$y = W x$$ $$s = \sum_i A_{ii} x_i$$",
        (
            r"\frac{\partial L}{\partial W} = \frac{\partial L}{\partial y} \otimes x",
            r"x \otimes u = x u^\top",
            r"s = \operatorname{diag}(A)^\top x",
        ),
        (
            r"\frac{\partial L}{\partial W} = 2 \frac{\partial L}{\partial y} \otimes x",
            r"x \otimes u = 2 x u^\top",
        ),
    ),
}


@pytest.mark.parametrize(("setting", "claim"), true_of(PRODUCTS))
def test_a_true_claim_is_confirmed(setting, claim):
    assert claimed(setting, claim).verdict in TRUE


@pytest.mark.parametrize(("setting", "claim"), wrong_of(PRODUCTS))
def test_its_wrong_twin_is_refuted(setting, claim):
    assert claimed(setting, claim).verdict is Verdict.REFUTED


def test_a_sign_between_vectors_of_one_size_is_left_open():
    text = r"$$a_i = \tanh(z_i)$$ $$\nabla_z L = \nabla_a L \otimes (1 - a \odot a)$$"
    assert claimed("", text.strip("$")).verdict is Verdict.UNCLEAR


def test_a_label_before_a_colon_is_no_factor():
    assert claimed(r"$$f = x_i^2$$", r"\text{Sum: } s = \sum_i x_i").verdict is Verdict.DEFINITION
    assert claimed(r"$$f = x_i^2$$", r"W : s_j = \sum_i x_i W_{ij}").verdict is not Verdict.REFUTED
