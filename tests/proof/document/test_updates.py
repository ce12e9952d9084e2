"""Steps of gradient descent define nothing, and take no meaning from what they change."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check

LOSS = r"""Let $X \in \mathbb{R}^{n \times d}$, $w \in \mathbb{R}^d$, $y \in \mathbb{R}^n$.
$$J = \frac{1}{2n} \|X w - y\|^2$$
$$\nabla_w J = \frac{2}{n} X^\top (X w - y)$$
"""


@pytest.mark.parametrize(
    "step",
    [r"w \leftarrow w - \eta \nabla_w J", r"w := w - \eta \nabla_w J", r"w = w - \frac{\eta}{n} X^\top (X w - y)"],
)
def test_a_step_keeps_no_error_from_being_found(step):
    assert Verdict.REFUTED in {claim.verdict for claim in check(f"{LOSS}$${step}$$").claims}


@pytest.mark.parametrize("name", [r"w_{new}", r"w^{new}", r"w_{next}"])
def test_words_are_labels_without_a_font(name):
    text = rf"{LOSS}$${name} = w - \eta \nabla_w J$$ $${name} = w - \frac{{\eta}}{{n}} X^\top (X w - y)$$"
    assert [claim.verdict for claim in check(text).claims[-2:]] == [Verdict.DEFINITION, Verdict.PROVED]
