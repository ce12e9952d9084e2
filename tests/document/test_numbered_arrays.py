"""Arrays with numbers, ``z_2``, of which entries bear the number before their index, ``z_{2,k}``."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict
from indexcalc.document.report import TRUE
from tests.support.verdicts import last

NETWORK = (
    r"Let $W_1 \in \mathbb{R}^{h \times n}$, $b_1 \in \mathbb{R}^{h}$, $x \in \mathbb{R}^n$.",
    r"Let $W_2 \in \mathbb{R}^{m \times h}$, $b_2 \in \mathbb{R}^{m}$.",
    r"z_1 = W_1 x + b_1 \qquad a_1 = \tanh(z_1)",
    r"z_2 = W_2 a_1 + b_2 \qquad p_k = \frac{e^{z_{2,k}}}{\sum_{j} e^{z_{2,j}}}",
    r"L = -\log p_y",
)
ERRORS = (
    *NETWORK,
    r"\delta_2 := \frac{\partial L}{\partial z_2}",
    r"p_k - \delta_{yk} = \frac{\partial L}{\partial z_{2,k}}",
)


@pytest.mark.parametrize(
    ("claim", "true"),
    [
        (r"\frac{\partial p_y}{\partial z_{2,k}} = p_y (\delta_{yk} - p_k)", True),
        (r"\frac{\partial p_y}{\partial z_{2,k}} = p_y (\delta_{yk} + p_k)", False),
        (r"\frac{\partial L}{\partial W_2} = \frac{\partial L}{\partial z_2} a_1^T", True),
        (r"\frac{\partial L}{\partial W_2} = \frac{\partial L}{\partial z_2} z_1^T", False),
        (r"\frac{\partial a_{1,i}}{\partial z_{1,i}} = 1 - a_{1,i}^2", True),
        (r"\frac{\partial a_{1,i}}{\partial z_{1,i}} = 1 + a_{1,i}^2", False),
    ],
)
def test_a_number_before_an_index_says_which_array_it_is(claim, true):
    assert last(*NETWORK, claim) in (TRUE if true else (Verdict.REFUTED,))


@pytest.mark.parametrize(
    ("claim", "true"),
    [
        (r"\frac{\partial L}{\partial a_1} = W_2^T \delta_2", True),
        (r"\frac{\partial L}{\partial a_1} = W_2^T \delta_2 \odot a_1", False),
        (r"\frac{\partial L}{\partial b_2} = \delta_2", True),
    ],
)
def test_errors_of_layers_stand_beside_a_delta_of_two_indices(claim, true):
    assert last(*ERRORS, claim) in (TRUE if true else (Verdict.REFUTED,))


def test_numbers_where_letters_stand_too_are_rows():
    page = (r"Let $X \in \mathbb{R}^{m \times n}$.", r"s_i = \sum_k x_{i,k}^2")
    assert last(*page, r"s_1 = \sum_k x_{1,k}^2") in TRUE
    assert last(*page, r"s_1 = \sum_k x_{2,k}^2") not in TRUE


ONE_HOT = (
    r"Let $z \in \mathbb{R}^n$ and $\mathbf{1}_y \in \mathbb{R}^n$ be the one-hot encoding of the label $y$.",
    r"p_k = \frac{e^{z_k}}{\sum_j e^{z_j}}",
    r"L = -\log p_y",
)


@pytest.mark.parametrize(
    ("claim", "true"),
    [
        (r"\frac{\partial L}{\partial z} = p - \mathbf{1}_y", True),
        (r"\frac{\partial L}{\partial z} = p + \mathbf{1}_y", False),
        (r"\frac{\partial L}{\partial z_k} = p_k - \mathbf{1}_y[k]", True),
        (r"\frac{\partial L}{\partial z_k} = p_k + \mathbf{1}_y[k]", False),
    ],
)
def test_a_one_with_an_index_may_be_one_hot(claim, true):
    assert (last(*ONE_HOT, claim) in TRUE) is true


def test_conditions_of_cases_may_have_commas_in_their_indices():
    slope = r"\frac{\partial r_{1,i}}{\partial z_{1,i}}"
    cases = r"\begin{{cases}} {} & z_{{1,i}} > 0 \\ 0 & z_{{1,i}} \le 0 \end{{cases}}"
    page = (*NETWORK, r"r_1 = \max(0, z_1)")
    assert last(*page, f"{slope} = {cases.format(1)}") in TRUE
    assert last(*page, f"{slope} = {cases.format(2)}") is Verdict.REFUTED
