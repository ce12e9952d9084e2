"""Conditions beside a formula: orders of two indices, and several of them."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import check

SOFTMAX = r"$$y_i = \frac{e^{x_i}}{\sum_k e^{x_k}}$$ $$\frac{\partial y_i}{\partial x_j} = CLAIM$$"

PREFIX = r"""
$$S_{ij} = \sum_k [k \le i] \, x_k x_j$$
$$\frac{\partial S_{ij}}{\partial x_k} = CLAIM$$
"""


@pytest.mark.parametrize(
    ("note", "claim", "verdict"),
    [
        (SOFTMAX, r"-y_i y_j \quad (i < j)", "confirmed"),
        (SOFTMAX, r"-y_i y_j \quad \text{if } i > j", "confirmed"),
        (SOFTMAX, r"y_i y_j \quad (i < j)", "refuted"),
        (SOFTMAX, r"-y_i y_j \quad (i \le j)", "refuted"),
        (PREFIX, r"x_j \quad (k \le i, k \neq j)", "confirmed"),
        (PREFIX, r"x_j \quad (k \le i, k = j)", "refuted"),
        (PREFIX, r"x_j \quad (k \neq j, k \geq i)", "refuted"),
        (PREFIX, r"0 \quad (k > i, k \neq j)", "confirmed"),
    ],
)
def test_a_claim_is_judged_where_its_conditions_hold(note, claim, verdict):
    claims = check(note.replace("CLAIM", claim)).claims
    assert str(claims[1].verdict) == verdict
    assert {str(claim.verdict) for claim in claims[2:]} == {"condition"}
