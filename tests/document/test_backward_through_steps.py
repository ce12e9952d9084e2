"""Gradients of a loss that is a sum over steps: by what one step makes, by its last, and by what all share."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict
from tests.support.verdicts import last

CONFIRMED, REFUTED, OPEN = Verdict.CONFIRMED, Verdict.REFUTED, Verdict.UNCLEAR

NUMBERS = (
    r"Let $w \in \mathbb{R}$, $x_t \in \mathbb{R}$ and $y_t \in \mathbb{R}$.",
    r"s_t = w s_{t-1} + x_t",
    r"L = \frac12 \sum_{t=1}^{T} (s_t - y_t)^2",
)

VECTORS = (
    r"a_t = W h_{t-1} + U x_t, \qquad h_t = \tanh(a_t), \qquad o_t = V h_t",
    r"L = \frac12 \sum_{t=1}^T \|o_t - y_t\|^2",
    r"\delta_t = \frac{\partial L}{\partial h_t}",
    r"\frac{\partial L}{\partial o_t} = o_t - y_t",
    r"\frac{\partial L}{\partial V} = \sum_{t=1}^T (o_t - y_t) h_t^\top",
)

OUTPUTS = (
    r"h_t = \tanh(W h_{t-1} + U x_t), \qquad y_t = V h_t",
    r"L = \sum_{t=1}^T \frac12 \|y_t - z_t\|^2",
    r"\frac{\partial L}{\partial y_t} = y_t - z_t",
    r"\frac{\partial L}{\partial V} = \sum_{t=1}^T (y_t - z_t) h_t^\top",
)


@pytest.mark.parametrize(
    ("displays", "right", "wrong"),
    [
        (
            NUMBERS,
            r"\frac{\partial L}{\partial s_t} = (s_t - y_t) + w \frac{\partial L}{\partial s_{t+1}}",
            r"\frac{\partial L}{\partial s_t} = (s_t - y_t) - w \frac{\partial L}{\partial s_{t+1}}",
        ),
        (
            NUMBERS,
            # Further steps read what this one makes.
            r"\frac{\partial L}{\partial s_t} = (s_t - y_t) + w (s_{t+1} - y_{t+1})"
            r" + w^2 \frac{\partial L}{\partial s_{t+2}}",
            r"\frac{\partial L}{\partial s_t} = (s_t - y_t) + w (s_{t+1} - y_{t+1})",
        ),
        (
            VECTORS,
            r"\delta_t = V^\top (o_t - y_t) + W^\top (\delta_{t+1} \odot (1 - h_{t+1}^2))",
            r"\delta_t = V^\top (o_t - y_t) + W^\top (\delta_{t+1} \odot (1 - h_t^2))",
        ),
        (
            OUTPUTS,
            r"\frac{\partial L}{\partial h_T} = V^\top (y_T - z_T)",
            r"\frac{\partial L}{\partial h_T} = V^\top (z_T - y_T)",
        ),
    ],
)
def test_gradients_at_a_step(displays: tuple[str, ...], right: str, wrong: str) -> None:
    """What is right is true, and what is wrong is refuted: the step is one that others follow."""
    assert last(*displays, right) is CONFIRMED
    assert last(*displays, wrong) is REFUTED


def test_a_sum_over_steps_without_limits() -> None:
    """It runs over some; where a claim has such a sum itself, its ends may make the difference."""
    given = (NUMBERS[0], r"s_{t+1} = w s_t + x_t", r"L = \frac12 \sum_t (s_t - y_t)^2")
    step = r"\frac{\partial L}{\partial s_t} = (s_t - y_t) %s w \frac{\partial L}{\partial s_{t+1}}"
    assert last(*given, step % "+") is CONFIRMED
    assert last(*given, step % "-") is REFUTED
    assert last(*given, r"\frac{\partial L}{\partial w} = \sum_t \frac{\partial L}{\partial s_{t+1}} s_t") is OPEN
