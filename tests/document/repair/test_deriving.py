"""Formulas with more than one mistake: what the engine derives, in the note's names, or what the note defines."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict
from tests.document.repair.test_correcting import ENTRIES, last_claim, spelled

BEYOND = [
    (ENTRIES, "∂S_{ij}", "A_{ij} ∂A_{ij}", r"∂A_{ij} \, A_{ij} - A_{ij} \sum_{k} ∂A_{ik} \, A_{ik}"),
    (ENTRIES, "∂V_{jp}", r"\sum_i ∂O_{ip} Z_{i} S_{ij}", r"\sum_{i} ∂O_{ip} \, A_{ij}"),
    (ENTRIES, "∂Q_{ik}", r"\sum_j ∂S_{ij} S_{ij} Q_{jk}", r"\frac{1}{\sqrt{d}} \sum_{j} ∂S_{ij} \, K_{jk}"),
    (
        ENTRIES,
        "∂Q_{ik}",
        r"\sum_j ∂A_{ij} S_{ij} Q_{jk}",
        r"\frac{1}{\sqrt{d}} \sum_{j} ∂A_{ij} \, A_{ij} \, K_{jk}"
        r" - \frac{1}{\sqrt{d}} \sum_{j, l} ∂A_{il} \, A_{il} \, A_{ij} \, K_{jk}",
    ),
    (ENTRIES, r"\frac{\partial A_{ij}}{\partial S_{il}}", "A_{ij} A_{il} Z_i", r"A_{ij} \, (\delta_{jl} - A_{il})"),
    (ENTRIES, "O_{ip}", r"\sum_j S_{ij} V_{pj} Z_i", r"\sum_{j} A_{ij} V_{jp}"),
]
"""A note, the sides of a claim that is wrong in two ways, and the correction."""


@pytest.mark.parametrize(("note", "left", "wrong", "correction"), BEYOND)
def test_a_formula_beyond_one_mistake_is_derived(note, left, wrong, correction):
    claim = last_claim(note, left, wrong)
    assert claim.verdict is Verdict.REFUTED
    assert claim.correction == spelled(correction)
    assert last_claim(note, left, correction).verdict is Verdict.PROVED


def test_without_a_definition_nothing_is_given():
    claim = last_claim(r"$$\sum_j x_j = 1$$" + "\n\n", r"\sum_j x_j", "7 + a")
    assert claim.correction == ""
