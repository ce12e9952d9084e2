"""Checking documents: every relation of a note read, given a meaning, and judged."""

from indexcalc.proof.document.check import check
from indexcalc.proof.document.judging.verdicts import CheckReport, Claim, Verdict

__all__ = ["CheckReport", "Claim", "Verdict", "check"]
