"""The letter of a class, an index with one value."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check
from indexcalc.proof.document.judging.verdicts import TRUE
from tests.proof.document.twins import Twins, claimed, true_of, wrong_of

SOFTMAX = (
    r"$$p_i = \frac{e^{z_i}}{\sum_j e^{z_j}}$$ $$L = -\log p_y$$ $$\frac{\partial L}{\partial p_y} = -\frac{1}{p_y}$$"
)

CLASSES = {
    "a class": Twins(
        SOFTMAX,
        (
            r"L = -z_y + \log \sum_j e^{z_j}",
            r"\frac{\partial L}{\partial z_i} = p_i - \mathbb{1}[i = y]",
            r"\frac{\partial L}{\partial z_i} = \begin{cases} p_i - 1 & i = y \\ p_i & i \neq y \end{cases}",
            r"\frac{\partial L}{\partial z_y} = p_y - 1",
            r"\frac{\partial p_y}{\partial z_j} = p_y (\delta_{yj} - p_j)",
            r"\frac{\partial L}{\partial z_j} = \frac{\partial L}{\partial p_y} \frac{\partial p_y}{\partial z_j}",
            r"\nabla_z L = p - e_y",
        ),
        (
            r"\frac{\partial L}{\partial z_i} = p_i + \mathbb{1}[i = y]",
            r"\frac{\partial L}{\partial z_i} = \begin{cases} p_i & i = y \\ p_i - 1 & i \neq y \end{cases}",
            r"\frac{\partial L}{\partial z_y} = p_y",
            r"\frac{\partial p_y}{\partial z_j} = p_j (\delta_{yj} - p_j)",
            r"L = z_y + \log \sum_j e^{z_j}",
        ),
    ),
}


@pytest.mark.parametrize(("setting", "claim"), true_of(CLASSES))
def test_a_true_claim_is_confirmed(setting, claim):
    assert claimed(setting, claim).verdict in TRUE


@pytest.mark.parametrize(("setting", "claim"), wrong_of(CLASSES))
def test_its_wrong_twin_is_refuted(setting, claim):
    assert claimed(setting, claim).verdict is Verdict.REFUTED


def test_conditions_may_name_the_class():
    text = rf"{SOFTMAX} $$\frac{{\partial L}}{{\partial z_i}} = p_i - 1 \quad \text{{if }} i = y$$"
    assert check(text).claims[3].verdict in TRUE
    assert check(text.replace("i = y", r"i \neq y")).claims[3].verdict is Verdict.REFUTED


def test_a_letter_that_a_sum_binds_is_no_class():
    text = r"$$p_i = \frac{e^{z_i}}{\sum_j e^{z_j}}$$ $$L = -\log p_c$$ $$\sum_c p_c = 1$$"
    assert check(text).claims[1].verdict is Verdict.UNCLEAR
