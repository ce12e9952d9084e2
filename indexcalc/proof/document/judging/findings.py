"""What judging one relation finds, before it gets its place in the document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from indexcalc.proof.document.judging.verdicts import Verdict

VACUOUS = "both sides are zero at every point tried"
"""The reason of a confirmation that says little."""

CONSTANT = "both sides are {:g} at every point tried"
"""Likewise."""


@dataclass
class Finding:
    """A verdict with its grounds.

    Attributes:
        verdict: the judgement.
        reason: why, in words.
        counterexample: sizes, the entry and both values.
        correction: the correct formula, if one was derived.
        assumptions: what had to be assumed.
    """

    verdict: Verdict
    reason: str = ""
    counterexample: str = ""
    correction: str = ""
    assumptions: tuple[str, ...] = ()


def score(findings: Sequence[Finding]) -> tuple[int, int]:
    """Fewer refuted first, then fewer that are not understood."""
    return (
        -sum(finding.verdict in (Verdict.REFUTED, Verdict.FOLLOWS) for finding in findings),
        -sum(finding.verdict is Verdict.UNCLEAR for finding in findings),
    )
