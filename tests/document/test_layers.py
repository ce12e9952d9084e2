r"""Layers and steps by letters, ``a^{l-1}``, ``z^{(\ell)}``, and what a general equation says of one of them."""

from __future__ import annotations

import re

import pytest

from indexcalc.document import Verdict, check

TRUE = (Verdict.PROVED, Verdict.CONFIRMED)


LAYERS = r"""$$z^{ELL} = W^{ELL} a^{ELL-1} + b^{ELL}, \quad a^{ELL} = \sigma(z^{ELL})$$

$$\frac{\partial C}{\partial z^{ELL}} = (W^{ELL+1})^T \frac{\partial C}{\partial z^{ELL+1}} \odot \sigma'(z^{ELL})$$
"""


@pytest.mark.parametrize("brackets", ["{ELL}", "{(ELL)}", "{[ELL]}"])
@pytest.mark.parametrize("letter", ["l", r"\ell", "k"])
def test_layers_have_letters(letter, brackets):
    marked = re.sub(r"\{(ELL[+-]?1?)\}", lambda found: brackets.replace("ELL", found[1]), LAYERS)
    page = marked.replace("ELL", letter)
    assert check(page).claims[-1].verdict in TRUE
    assert check(page.replace("^T ", " ")).claims[-1].verdict not in TRUE


NETWORK = r"""$$z^{(1)} = W^{(1)} x, \quad a^{(1)} = \sigma(z^{(1)}), \quad z^{(2)} = W^{(2)} a^{(1)}$$

Define $\delta^{(\ell)} = \frac{\partial L}{\partial z^{(\ell)}}$. Then

$$\delta^{(1)} = WEIGHTS \delta^{(2)} \odot \sigma'(z^{(1)})$$
"""


def test_what_follows_from_a_definition_for_every_layer_is_true_of_one():
    assert check(NETWORK.replace("WEIGHTS", r"(W^{(2)})^T")).claims[-1].verdict in TRUE
    for wrong in (r"W^{(2)}", r"2 (W^{(2)})^T", r"(W^{(1)})^T"):
        assert check(NETWORK.replace("WEIGHTS", wrong)).claims[-1].verdict is Verdict.DEFINITION


def test_a_first_step_is_a_definition():
    page = r"$$h_t = \tanh(W h_{t-1} + U x_t)$$" + "\n\n" + "$$h_0 = 0$$\n"
    assert [claim.verdict for claim in check(page).claims] == [Verdict.DEFINITION] * 2
