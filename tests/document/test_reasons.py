r"""Reasons in brackets behind a relation, ``(\because a = b)``, and signs of factors behind the sign of a product."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check
from indexcalc.document.report import TRUE
from tests.support.verdicts import last

REASON = r"\quad (\because \frac{d \sin x}{dx} \hiderel{=} \cos x)"


@pytest.mark.parametrize("mark", [r"\because", "∵"])
@pytest.mark.parametrize(("right", "true"), [(r"\cos t + 0", True), (r"\cos t + 1", False)])
def test_the_line_behind_a_reason_goes_on_with_what_is_before_it(mark, right, true):
    reason = REASON.replace(r"\because", mark)
    (*_, claim) = check(rf"$$\frac{{d \sin t}}{{dt}} = \cos t {reason} \\ = {right}$$").claims
    assert (claim.verdict in TRUE) is true


def test_a_bracket_behind_a_relation_may_be_a_condition_still():
    claims = check(r"Let $x \in \mathbb{R}^n$. $$\frac{\partial x_i}{\partial x_j} = 0 \quad (i \neq j)$$").claims
    assert claims[-1].verdict is Verdict.CONDITION


def test_a_reason_without_brackets_is_read_alone():
    page = r"$$\frac{d \sin t}{dt} = \cos t \quad \because \frac{d \sin x}{dx} = \cos x$$"
    assert {claim.verdict for claim in check(page).claims} == {Verdict.PROVED}


@pytest.mark.parametrize(
    ("claim", "true"),
    [
        (r"x_n y_n = -x_n \cdot -y_n", True),
        (r"x_n y_n = x_n \cdot -y_n", False),
        (r"x_n - y_n = x_n + \frac{1}{2} \cdot -2 y_n", True),
        (r"x \odot y = -x \odot -y", True),
    ],
)
def test_a_sign_behind_that_of_a_product_is_the_sign_of_a_factor(claim, true):
    assert (last(r"Let $x, y \in \mathbb{R}^n$.", claim) in TRUE) is true
