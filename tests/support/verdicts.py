"""Verdicts as tests compare them."""

from __future__ import annotations

from indexcalc.document import Claim, Verdict, check


def judged(claim: Claim) -> Verdict:
    """The verdict on a claim; what is proved counts as confirmed."""
    return Verdict.CONFIRMED if claim.verdict is Verdict.PROVED else claim.verdict


def claims(*displays: str) -> tuple[Claim, ...]:
    """The claims of a document of these displays; what has no mathematics is prose."""
    blocks = (
        text if "=" not in text or text.startswith(("#", "Let", "|", "Case")) else f"$${text}$$" for text in displays
    )
    return check("\n\n".join(blocks)).claims


def last(*displays: str) -> Verdict:
    """The verdict on the last relation."""
    return judged(claims(*displays)[-1])
