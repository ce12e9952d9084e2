"""Verdicts as tests compare them."""

from __future__ import annotations

from indexcalc.document import Claim, Verdict


def judged(claim: Claim) -> Verdict:
    """The verdict on a claim; what is proved counts as confirmed."""
    return Verdict.CONFIRMED if claim.verdict is Verdict.PROVED else claim.verdict
