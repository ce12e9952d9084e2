"""Recurrent networks as they are written: gates of concatenated inputs, weights named after arrays, capital states."""

from __future__ import annotations

import pytest

from tests.support.guards import Guard, assert_refuted, assert_true, claims_of

GATES = (
    r"Gates are sigmoids. $$f_t = \sigma(W_f \cdot [h_{t-1}, x_t] + b_f)$$ "
    r"$$i_t = \sigma(W_i [h_{t-1}; x_t] + b_i), \quad g_t = \tanh(W_g [h_{t-1}, x_t] + b_g)$$ "
    r"$$C_t = f_t \odot C_{t-1} + i_t \odot g_t$$ "
)
STATE = (
    r"$$\frac{\partial L}{\partial C_t} = \frac{\partial L}{\partial h_t} \odot o_t \odot (1 - \tanh^2(C_t)) + "
    r"\frac{\partial L}{\partial C_{t+1}} \odot f_{t+1}$$"
)
PLAIN = r"$$a_t = W_{xh} x_t + W_{hh} h_{t-1} + b_h, \quad h_t = \tanh(a_t), \quad y_t = W_{hy} h_t + b_y$$"

GUARDS = {
    "gates": Guard(
        GATES + r"$$h_t = o_t \odot \tanh(C_t)$$ " + STATE,
        (
            r"\frac{\partial L}{\partial f_t} = \frac{\partial L}{\partial C_t} \odot C_{t-1}",
            r"\frac{\partial L}{\partial i_t} = \frac{\partial L}{\partial C_t} \times g_t",
            r"\frac{\partial L}{\partial g_t} = \frac{\partial L}{\partial C_t} \odot i_t",
        ),
        (
            r"\frac{\partial L}{\partial f_t} = \frac{\partial L}{\partial C_t} \odot C_t",
            r"\frac{\partial L}{\partial i_t} = \frac{\partial L}{\partial C_t} \odot g_t \odot i_t \odot (1 - i_t)",
        ),
    ),
    "sums over the steps of a recurrence": Guard(
        r"$$h_t = \tanh(W_{hh} h_{t-1} + W_{xh} x_t + b_h), \quad y_t = W_{hy} h_t + b_y$$ "
        r"$$L = \sum_{t=1}^T L_t, \quad \frac{\partial L}{\partial V} = \sum_{t=1}^T \frac{\partial L_t}{\partial V}$$",
        (
            r"\frac{\partial J}{\partial h_t} = W_{hy}^T \frac{\partial J}{\partial y_t} + W_{hh}^T \left( "
            r"(1 - h_{t+1}^2) \odot \frac{\partial J}{\partial h_{t+1}} \right)",
        ),
        (
            r"\frac{\partial J}{\partial h_t} = W_{hy}^T \frac{\partial J}{\partial y_t} + W_{hh}^T \left( "
            r"(1 - h_{t}^2) \odot \frac{\partial J}{\partial h_{t+1}} \right)",
        ),
    ),
    "errors named after arrays": Guard(
        GATES + r"$$h_t = o_t \odot \tanh(C_t)$$ " + STATE + r" $$\delta^c_t = \frac{\partial L}{\partial C_t}$$",
        (
            r"\delta^f_t = \frac{\partial L}{\partial f_t} = \delta^c_t \odot C_{t-1}",
            r"\delta^g_t = \frac{\partial L}{\partial g_t} = \delta^c_t \odot i_t",
        ),
        (r"\delta^f_t = \frac{\partial L}{\partial f_t} = \delta^c_t \odot C_{t}",),
    ),
    "weights named after arrays": Guard(
        PLAIN,
        (
            r"\frac{\partial L}{\partial h_t} = W_{hy}^T \frac{\partial L}{\partial y_t} + W_{hh}^T "
            r"\frac{\partial L}{\partial a_{t+1}}",
            r"\frac{\partial L}{\partial x_t} = W_{xh}^T \frac{\partial L}{\partial a_t}",
        ),
        (
            r"\frac{\partial L}{\partial h_t} = W_{hy}^T \frac{\partial L}{\partial y_t} + W_{hh} "
            r"\frac{\partial L}{\partial a_{t+1}}",
            r"\frac{\partial L}{\partial x_t} = W_{hh}^T \frac{\partial L}{\partial a_t}",
        ),
    ),
}


@pytest.mark.parametrize(("name", "claim"), claims_of(GUARDS, "true"))
def test_true_relations_are_understood(name: str, claim: str) -> None:
    assert_true(GUARDS[name], claim)


@pytest.mark.parametrize(("name", "claim"), claims_of(GUARDS, "wrong"))
def test_wrong_twins_are_refuted(name: str, claim: str) -> None:
    assert_refuted(GUARDS[name], claim)
