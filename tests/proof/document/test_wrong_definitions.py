"""A definition that all else in a note contradicts is refuted, however often the note restates it rightly."""

import pytest

from indexcalc.proof.document import Verdict, check
from tests.campaign.mutated_specs import ROOT

SETUP = r"""# Least squares with a penalty

Let $X \in \mathbb{R}^{N \times D}$, $w \in \mathbb{R}^D$, $y \in \mathbb{R}^N$ and $\lambda > 0$.

$$r_n = \sum_d X_{nd} w_d - y_n$$

$$L = FORM$$

"""

DERIVED = r"""The loss reads the residuals,

$$L = \frac{1}{2N} \sum_n r_n^2 + \frac{\lambda}{2} \sum_d w_d^2$$

so that

$$\frac{\partial L}{\partial r_n} = \frac{1}{N} r_n$$

Through the weights themselves,

$$L = \frac{1}{2N} \sum_m r_m^2 + \frac{\lambda}{2} \sum_d w_d^2$$

and altogether

$$\frac{\partial L}{\partial w_d} = \frac{1}{N} \sum_n r_n X_{nd} + \lambda w_d$$
"""

RIGHT = r"\frac{1}{2N} \sum_n r_n^2 + \frac{\lambda}{2} \sum_d w_d^2"


def refuted(text: str) -> list[int]:
    """The lines that are refuted."""
    return [claim.line for claim in check(text).claims if claim.verdict is Verdict.REFUTED]


@pytest.mark.parametrize(
    "form",
    [
        r"\frac{1}{3N} \sum_n r_n^2 + \frac{\lambda}{2} \sum_d w_d^2",
        r"\frac{1}{2N} \sum_n r_n^2 - \frac{\lambda}{2} \sum_d w_d^2",
        r"\frac{1}{2N} \sum_n r_n^3 + \frac{\lambda}{2} \sum_d w_d^2",
        r"\frac{1}{2} \sum_n r_n^2 + \frac{\lambda}{2} \sum_d w_d^2",
        r"\frac{1}{2N} \sum_n r_n^2 + \lambda \sum_d w_d^2",
    ],
)
def test_a_wrong_definition_is_refuted_at_its_line(form):
    assert refuted(SETUP.replace("FORM", form) + DERIVED) == [7]


def test_the_right_definition_is_not_accused():
    assert refuted(SETUP.replace("FORM", RIGHT) + DERIVED) == []


def test_two_losses_that_are_both_used_are_not_accused():
    first = r"""$$\frac{\partial L}{\partial w_d} = \frac{2}{N} \sum_n r_n X_{nd}$$

"""
    second = DERIVED[: DERIVED.index("so that")] + DERIVED[DERIVED.index("Through") :]
    both = SETUP.replace("FORM", r"\frac{1}{N} \sum_n r_n^2") + first + "With a penalty instead:\n\n" + second
    assert refuted(both) == []


@pytest.mark.parametrize("wrong", [r"\frac{1}{3 N} \sum_{n} r", r"-\frac{1}{2 N} \sum_{n} r"])
def test_a_shipped_note_with_a_wrong_loss_is_refuted(wrong):
    text = (ROOT / "derivations/ridge/ridge.md").read_text("utf-8")
    assert refuted(text) == []
    place = r"\frac{1}{2 N} \sum_{n} r"
    assert place in text
    line = text[: text.index(place)].count("\n") + 1
    assert refuted(text.replace(place, wrong, 1)) == [line]
