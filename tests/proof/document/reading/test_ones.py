"""Ones, zeros, identities and unit vectors with their sizes or places written below."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict
from indexcalc.proof.document.judging.verdicts import TRUE
from tests.proof.document.twins import Twins, claimed, true_of, wrong_of

ONES = {
    "sizes below": Twins(
        r"Let $X \in \mathbb{R}^{n \times d}$, $W \in \mathbb{R}^{d \times m}$ and $b, v \in \mathbb{R}^m$."
        "\n\n"
        r"$$Y = X W + \mathbf{1}_n b^\top$$ $$C = I_m - \frac{1}{m} \mathbf{1}_m \mathbf{1}_m^\top$$",
        (
            r"\frac{\partial L}{\partial b} = \left(\frac{\partial L}{\partial Y}\right)^\top \mathbf{1}_n",
            r"\mathbf 1_n^\top \mathbf 1_n = n",
            r"\mathbf{1}_m^\top v = \sum_j v_j",
            r"\mathbf{1}_{d \times n} X = \mathbf{1}_d \mathbf{1}_n^\top X",
            r"C v = v - \frac{1}{m} \mathbf{1}_m \sum_j v_j",
            r"C^2 = C",
            r"I_d W = W",
            r"\mathbf{0}_m + v = v",
            r"\mathrm{tr}(I_n) = n",
        ),
        (
            r"\frac{\partial L}{\partial b} = \frac1n \left(\frac{\partial L}{\partial Y}\right)^\top \mathbf{1}_n",
            r"\mathbf 1_n^\top \mathbf 1_n = n^2",
            r"C v = v - \mathbf{1}_m \sum_j v_j",
            r"\mathrm{tr}(I_n) = 1",
        ),
    ),
    "sizes that only ones name": Twins(
        r"The mean taken away: $$\mathbf{c} = \mathbf{x} - \frac{1}{n} \mathbf{1}_n \mathbf{1}_n^\top \mathbf{x}$$",
        (r"\mathbf{1}_n^\top \mathbf{c} = 0", r"\frac{1}{n} \mathbf{1}_n^\top \mathbf{1}_n = 1"),
        (r"\frac{1}{n} \mathbf{1}_n^\top \mathbf{1}_n = n",),
    ),
    "unit vectors": Twins(
        r"Let $X \in \mathbb{R}^{n \times d}$, $v \in \mathbb{R}^d$, and $e_i$ the unit vectors. $$u = X v$$",
        (
            r"e_i^\top v = v_i",
            r"\mathbf{e}_i^\top X \mathbf{e}_j = X_{ij}",
            r"\frac{\partial X_{ij}}{\partial X} = e_i e_j^\top",
            r"v = \sum_k v_k e_k",
            r"e_i^\top X v = u_i",
        ),
        (r"e_i e_j^\top v = v_i e_j", r"u = \sum_i u_i^2 e_i"),
    ),
}


@pytest.mark.parametrize(("setting", "claim"), true_of(ONES))
def test_a_true_claim_is_confirmed(setting, claim):
    assert claimed(setting, claim).verdict in TRUE


@pytest.mark.parametrize(("setting", "claim"), wrong_of(ONES))
def test_its_wrong_twin_is_refuted(setting, claim):
    assert claimed(setting, claim).verdict is Verdict.REFUTED


SOFTMAX = r"$$p_i = \frac{e^{z_i}}{\sum_k e^{z_k}}$$"


@pytest.mark.parametrize("sign", [r"\mathbb{1}_{ij}", "I_{ij}"])
def test_two_letters_below_are_an_entry_of_the_identity(sign):
    assert claimed(SOFTMAX, rf"\frac{{\partial p_i}}{{\partial z_j}} = p_i ({sign} - p_j)").verdict in TRUE
    wrong = claimed(SOFTMAX, rf"\frac{{\partial p_i}}{{\partial z_j}} = p_i ({sign} + p_j)")
    assert wrong.verdict is Verdict.UNCLEAR


def test_an_error_with_an_index_is_no_unit_vector():
    setting = r"$$e_i = \sum_k X_{ik} w_k - y_i$$ $$L = \frac12 \sum_i e_i^2$$"
    assert claimed(setting, r"\frac{\partial L}{\partial w_k} = \sum_i e_i X_{ik}").verdict is Verdict.PROVED
