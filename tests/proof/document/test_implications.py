"""Arrows between equations: what follows from an identity is judged, what follows from a demand is not."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict, check
from tests.support.guards import Guard, assert_open, assert_refuted, assert_true, claims_of

LAYER = r"$$y_i = \sum_j W_{ij} x_j + b_i, \qquad J = \frac12 \sum_i (y_i - t_i)^2$$"

GUARDS = {
    "identities": Guard(
        LAYER,
        (
            r"\frac{\partial J}{\partial y_i} = y_i - t_i \Rightarrow \frac{\partial J}{\partial x_j} = "
            r"\sum_i W_{ij} (y_i - t_i)",
            r"\frac{\partial J}{\partial y_i} = y_i - t_i \\ \implies \frac{\partial J}{\partial x_j} = "
            r"\sum_i W_{ij} (y_i - t_i)",
        ),
        (
            r"\frac{\partial J}{\partial y_i} = y_i - t_i \Rightarrow \frac{\partial J}{\partial x_j} = "
            r"\sum_i W_{ji} (y_i - t_i)",
        ),
    ),
    "demands": Guard(
        LAYER,
        (),
        open=(r"b_1 = 0 \Rightarrow \frac{\partial J}{\partial y_i} = \sum_j W_{ij} x_j - t_i", r"W^T W = I"),
    ),
}


@pytest.mark.parametrize(("name", "claim"), claims_of(GUARDS, "true"))
def test_what_follows_is_judged(name: str, claim: str) -> None:
    assert_true(GUARDS[name], claim)


@pytest.mark.parametrize(("name", "claim"), claims_of(GUARDS, "wrong"))
def test_its_wrong_twin_is_refuted(name: str, claim: str) -> None:
    assert_refuted(GUARDS[name], claim)


@pytest.mark.parametrize(("name", "claim"), claims_of(GUARDS, "open"))
def test_what_follows_from_a_demand_is_left_open(name: str, claim: str) -> None:
    assert_open(GUARDS[name], claim)


def test_a_threshold_with_an_arrow_claims_nothing() -> None:
    note = r"$$z = \theta^T x$$ $$\theta^T x \ge 0 \rightarrow z = 1$$"
    assert not [claim for claim in check(note).claims if claim.verdict is Verdict.REFUTED]
