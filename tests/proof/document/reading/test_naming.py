"""Names with scripts: what they stand for where a letter has two meanings."""

from __future__ import annotations

import pytest

from indexcalc.proof.document import Verdict
from indexcalc.proof.document.judging.verdicts import TRUE
from tests.proof.document.twins import Twins, claimed, true_of, wrong_of

NAMES = {
    "an error term beside Kronecker's delta": Twins(
        r"$$h_j = \tanh(z_j)$$ $$y_k = \sum_j v_{kj} h_j$$ $$\delta_k = \frac{\partial L}{\partial y_k}$$",
        (
            r"\frac{\partial h_i}{\partial z_j} = \delta_{ij} (1 - h_i^2)",
            r"\frac{\partial y_k}{\partial v_{ij}} = \delta_{ki} h_j",
            r"\frac{\partial L}{\partial v_{kj}} = \delta_k h_j",
        ),
        (
            r"\frac{\partial h_i}{\partial z_j} = \delta_{ij} (1 + h_i^2)",
            r"\frac{\partial L}{\partial v_{kj}} = \delta_k z_j",
        ),
    ),
}


@pytest.mark.parametrize(("setting", "claim"), true_of(NAMES))
def test_a_true_claim_is_confirmed(setting, claim):
    assert claimed(setting, claim).verdict in TRUE


@pytest.mark.parametrize(("setting", "claim"), wrong_of(NAMES))
def test_its_wrong_twin_is_refuted(setting, claim):
    assert claimed(setting, claim).verdict is Verdict.REFUTED
