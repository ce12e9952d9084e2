"""A name introduced later for a part of an earlier definition: the gradient by it is a gradient on the way."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check

ATTENTION = r"""
$Q, K \in \mathbb{R}^{T \times d}$

$$A = \operatorname{softmax}\left(\frac{Q K^\top}{\sqrt{d}}\right), \qquad O = A V$$

The logits are $$S = PART$$

$$\frac{\partial L}{\partial V} = A^\top \frac{\partial L}{\partial O}$$

$$\frac{\partial L}{\partial Q} = \frac{1}{\sqrt{d}} \frac{\partial L}{\partial S} K$$

$$\frac{\partial L}{\partial K} = \frac{1}{\sqrt{d}} \frac{\partial L}{\partial S}^\top Q$$
"""


@pytest.mark.parametrize("part", [r"\frac{Q K^\top}{\sqrt{d}}", r"\frac{1}{\sqrt{d}} Q K^\top"])
def test_the_gradient_by_a_part_named_later_is_on_the_way(part):
    report = check(ATTENTION.replace("PART", part))
    assert [claim.verdict for claim in report.claims if claim.line > 6] == [Verdict.PROVED] * 3


def test_what_is_no_part_stays_apart():
    report = check(ATTENTION.replace("PART", r"\frac{Q K^\top}{d}"))
    assert report.claims[-1].verdict is not Verdict.PROVED
