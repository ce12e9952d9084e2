"""A straight d and a curly one for the same two names: the first is total, the second may hold the other names."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict
from indexcalc.document.report import TRUE
from tests.support.verdicts import last

PAGE = (r"Z_i = \sum_j \exp(S_{ij})", r"L = \sum_i \log(Z_i) - \sum_i S_{ii} Z_i")
TOTAL = r"\frac{{dL}}{{dS_{{ij}}}} = {}"
THROUGH = r"\sum_a \frac{\partial L}{\partial Z_a} \frac{\partial Z_a}{\partial S_{ij}}"
HELD = r"\frac{\partial L}{\partial S_{ij}}"


@pytest.mark.parametrize(
    ("right", "verdicts"),
    [
        (f"{HELD} + {THROUGH}", TRUE),
        (f"{HELD} + 3 {THROUGH}", (Verdict.REFUTED,)),
        (r"\frac{\exp(S_{ij})}{Z_i} - \delta_{ij} Z_i - S_{ii} \exp(S_{ij})", TRUE),
        (THROUGH, (Verdict.REFUTED,)),
    ],
)
def test_a_total_derivative_is_a_partial_one_and_what_goes_through_names(right, verdicts):
    assert last(*PAGE, TOTAL.format(right)) in verdicts


def test_with_one_sign_only_a_derivative_is_total():
    assert last(*PAGE, f"{HELD} = {HELD} + {THROUGH}") not in TRUE
    assert (
        last(*PAGE, rf"{HELD} = \frac{{\exp(S_{{ij}})}}{{Z_i}} - \delta_{{ij}} Z_i - S_{{ii}} \exp(S_{{ij}})") in TRUE
    )
