"""Proofs of lines that need a name left folded, or an exponent worked out."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check

CENTRED = r"""
$$m_n = \frac{1}{D} \sum_{i=1}^{D} x_{ni}$$
$$v_n = \frac{1}{D} \sum_{i=1}^{D} (x_{ni} - m_n)^2$$
$$s_n = (v_n + \epsilon)^{-1/2}$$
$$h_{ni} = (x_{ni} - m_n) s_n$$
$$y_{ni} = \tanh(\sum_{j=1}^{D} h_{nj} W_{ji})$$
$$z_{ni} = y_{ni}^3 \sum_{j=1}^{D} y_{nj}$$
$$\frac{\partial L}{\partial z_{ni}} = g_{ni}$$
"""


@pytest.mark.parametrize(
    "claim",
    [
        r"\frac{\partial s_n}{\partial v_n} = -\frac{1}{2} (v_n + \epsilon)^{-3/2}",
        r"\frac{\partial s_n}{\partial v_n} = -\frac{1}{2 (v_n + \epsilon)^{3/2}}",
        r"\frac{\partial L}{\partial x_{ni}} = s_n (\frac{\partial L}{\partial h_{ni}}"
        r" - \frac{1}{D} \sum_j \frac{\partial L}{\partial h_{nj}}"
        r" - \frac{1}{D} h_{ni} \sum_j \frac{\partial L}{\partial h_{nj}} h_{nj})",
    ],
)
def test_a_true_line_is_proved(claim):
    assert check(f"{CENTRED}\n$${claim}$$").claims[-1].verdict is Verdict.PROVED
