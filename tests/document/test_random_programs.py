"""The notes on random programs, which the engine derives: nothing in them is refuted, whatever they are about.

The programs are those of the campaign, small ones: they have gradients that are zero, tensors that none reads, masks
that compare indices of two sizes, and names that nobody would choose.
"""

from __future__ import annotations

import pytest

import indexcalc as ic
from indexcalc.document import Verdict, check
from indexcalc.document.report import TRUE
from tests.campaign.programs import cases

SEEDS = (109, 112, 115, 117, 120)
"""Draws whose notes are checked within seconds."""


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_right_is_refuted(seed):
    (case,) = cases(seed, 1)
    claims = check(ic.markdown_note(ic.derive(ic.read_problem(case.text))), "note.md").claims
    assert [(claim.line, claim.latex) for claim in claims if claim.verdict is Verdict.REFUTED] == []
    assert sum(claim.verdict in TRUE for claim in claims) >= sum(claim.verdict is Verdict.UNCLEAR for claim in claims)
