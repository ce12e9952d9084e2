"""Short names of gradients, ``dX``: of a loss that is not defined, and of one that is."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Verdict
from tests.support.verdicts import judged

CONFIRMED, REFUTED, OPEN = Verdict.CONFIRMED, Verdict.REFUTED, Verdict.UNCLEAR


def last(*displays: str) -> Verdict:
    """The verdict on the last relation."""
    return judged(check("\n\n".join(f"$${text}$$" for text in displays)).claims[-1])


def test_the_gradients_of_a_layer_need_no_loss():
    assert last("Y = X W", r"dX = dY W^\top") is CONFIRMED
    assert last("Y = X W", r"dX = 2 dY W^\top") is REFUTED


def test_a_gradient_by_what_leads_nowhere_is_left_open():
    """No equation says how Z is computed, so it may be from X."""
    assert last(r"Z \neq X \neq Y", r"dX = 2 dZ \odot Y") is OPEN


SQUARES = (
    r"e_{ui} = \sum_k P_{uk} Q_{ik} - R_{ui}",
    r"L = \frac{1}{2} \sum_{u, i} e_{ui}^2 + \frac{\lambda}{2} \sum_{u, k} P_{uk}^2",
    r"de_{ui} = e_{ui}",
)


def test_short_names_are_gradients_of_the_loss_that_is_defined():
    assert last(*SQUARES) is CONFIRMED
    assert last(*SQUARES, r"dP_{uk} = \sum_i de_{ui} Q_{ik} + \lambda P_{uk}") is CONFIRMED
    assert last(*SQUARES, r"dP_{uk} = \sum_i de_{ui} Q_{ik}") is not CONFIRMED
    assert last(*SQUARES, r"dP_{uk} = \sum_i de_{ui} Q_{ik} + 2 \lambda P_{uk}") is not CONFIRMED


CENTRED = (
    r"c_i = x_i - \frac{1}{N} \sum_{k=1}^N x_k",
    r"L = \sum_i c_i^2",
    r"G_i = \frac{\partial L}{\partial c_i}",
)


def test_a_loss_that_definitions_only_differentiate_is_the_loss():
    assert last(*CENTRED, r"dx_i = 2 c_i") is CONFIRMED
    assert last(*CENTRED, r"dx_i = 3 c_i") is not CONFIRMED


NABLAS = "$y = W x$ with a matrix $W$ and a vector $x$, and $z = \\tanh(y)$.\n\n"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (r"\nabla W = \nabla y\, x^\top", r"\nabla W = x\, \nabla y^\top"),
        (r"\nabla x = W^\top \nabla y", r"\nabla x = W \nabla y"),
        (r"\nabla y = (1 - z^2) \odot \nabla z", r"\nabla y = (1 + z^2) \odot \nabla z"),
        (r"\nabla_W = \nabla_y x^\top", r"\nabla_W = x \nabla_y^\top"),
        (r"\nabla_x = W^\top \nabla_y", r"\nabla_x = 2 W^\top \nabla_y"),
        (r"\nabla_x^\top = \nabla_y^\top W", r"\nabla_x^\top = \nabla_y^\top W^\top"),
    ],
)
def test_a_nabla_that_names_a_variable_alone_is_the_gradient_of_the_loss(right, wrong):
    assert judged(check(f"{NABLAS}$${right}$$").claims[-1]) is CONFIRMED
    assert judged(check(f"{NABLAS}$${right}$$\n\n$${wrong}$$").claims[-1]) is REFUTED


def test_a_nabla_that_differentiates_functions_speaks_for_fields():
    r"""Beside ``\nabla (u \cdot v)`` an array behind a nabla may be a field, whose derivatives nothing here refutes."""
    fields = r"$$\nabla (u \cdot v) = (\nabla u)^\top v + (\nabla v)^\top u$$"
    assert judged(check(f"{NABLAS}{fields}\n\n" + r"$$\nabla x = 2 W^\top \nabla y$$").claims[-1]) is OPEN
