"""Functions and their arguments: what stands behind the bracket belongs to the value."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict
from indexcalc.proof.document.judging.verdicts import TRUE
from tests.proof.document.twins import Twins, claimed, true_of, wrong_of

CALLS = {
    "a power behind the bracket": Twins(
        r"$$a_i = \tanh(z_i)$$ $$c_i = \sigma(z_i)$$",
        (
            r"\frac{\partial a_i}{\partial z_i} = 1 - \tanh(z_i)^2",
            r"\frac{\partial a_i}{\partial z_i} = 1 - \tanh\left(z_i\right)^2",
            r"\frac{\partial c_i}{\partial z_i} = \sigma(z_i) - \sigma(z_i)^2",
        ),
        (
            r"\frac{\partial a_i}{\partial z_i} = 1 + \tanh(z_i)^2",
            r"\frac{\partial a_i}{\partial z_i} = 1 - \tanh(z_i)^3",
            r"\frac{\partial c_i}{\partial z_i} = \sigma(z_i) + \sigma(z_i)^2",
        ),
    ),
    "a power of a function of one's own": Twins(
        r"$$f(u) = u^3 + u$$ $$q = f(u)$$",
        (r"q^2 = f(u)^2", r"\frac{d q^2}{d u} = 2 f(u) (3 u^2 + 1)"),
        (r"q^2 = 2 f(u)^2",),
    ),
    "a transpose and an entry behind the bracket": Twins(
        r"Let $W \in \mathbb{R}^{m \times n}$, $x \in \mathbb{R}^n$, $v \in \mathbb{R}^m$."
        r" $$s = v^\top \tanh(W x)$$ $$p = \mathrm{softmax}(x)$$",
        (
            r"s = \tanh(W x)^\top v",
            r"\mathrm{softmax}(x)_i = p_i",
            r"s = \sum_i v_i \tanh(W x)_i",
        ),
        (r"s = 2 \tanh(W x)^\top v",),
    ),
    "the larger and the smaller of two": Twins(
        r"$$h_i = \max(0, z_i)$$ $$g_i = \max(\alpha z_i, z_i)$$ $$m_i = \min(z_i, 0)$$",
        (
            r"h_i = [z_i]_+",
            r"m_i + h_i = z_i",
            r"|z_i| = \max(z_i, -z_i)",
            r"g_i = z_i + \max(0, \alpha z_i - z_i)",
            r"\frac{\partial m_i}{\partial z_i} = \mathbb{1}[z_i < 0]",
        ),
        (
            r"h_i = 2 [z_i]_+",
            r"m_i - h_i = z_i",
            r"\frac{\partial m_i}{\partial z_i} = \mathbb{1}[z_i > 0]",
            r"g_i = \alpha z_i",
        ),
    ),
}


@pytest.mark.parametrize(("setting", "claim"), true_of(CALLS))
def test_a_true_claim_is_confirmed(setting, claim):
    assert claimed(setting, claim).verdict in TRUE


@pytest.mark.parametrize(("setting", "claim"), wrong_of(CALLS))
def test_its_wrong_twin_is_refuted(setting, claim):
    assert claimed(setting, claim).verdict is Verdict.REFUTED


def test_a_power_behind_the_argument_of_a_logarithm_is_left_open():
    claim = claimed(r"$$q_i = x_i + 1$$", r"\frac{\partial \log(x_i)^2}{\partial x_i} = \frac{2}{x_i}")
    assert claim.verdict is Verdict.UNCLEAR
