"""What the checker says about one relation of a document."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Verdict(StrEnum):
    """The possible judgements."""

    PROVED = "proved"
    CONFIRMED = "confirmed"
    ROUNDED = "follows from rounded figures"
    REFUTED = "refuted"
    FOLLOWS = "follows from a wrong line"
    DEFINITION = "definition"
    DECLARATION = "declaration"
    CONDITION = "condition"
    SCHEMATIC = "schematic"
    UNCLEAR = "not understood"


TRUE = frozenset({Verdict.PROVED, Verdict.CONFIRMED, Verdict.ROUNDED})


@dataclass(frozen=True)
class Claim:
    """One relation with its verdict.

    Attributes:
        file: the document's name.
        line: where the member after the relation stands, from 1.
        column: likewise.
        latex: the relation as it is written.
        verdict: the judgement.
        reason: why, in words.
        counterexample: sizes, the entry and both values, if it is refuted by numbers.
        correction: the correct formula, if one was derived.
        assumptions: how it was read, where that is not the usual way, and what had to be assumed.
        unstated: those of them that the document does not state and that make it hold for fewer inputs.
        display: whether it is displayed.
    """

    file: str
    line: int
    column: int
    latex: str
    verdict: Verdict
    reason: str = ""
    counterexample: str = ""
    correction: str = ""
    assumptions: tuple[str, ...] = ()
    display: bool = True
    unstated: tuple[str, ...] = ()

    @property
    def said(self) -> tuple[str, ...]:
        """What is said of it beside its verdict, in sentences."""
        need = f"it needs that {' and that '.join(self.unstated)}, which the document does not state"
        return tuple(text for text in (self.reason, self.counterexample, need if self.unstated else "") if text)


@dataclass(frozen=True)
class CheckReport:
    """All claims of a document, in order."""

    file: str
    claims: tuple[Claim, ...]
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def refuted(self) -> tuple[Claim, ...]:
        """The claims that are wrong."""
        return tuple(claim for claim in self.claims if claim.verdict is Verdict.REFUTED)

    @property
    def unclear(self) -> tuple[Claim, ...]:
        """The claims that could not be judged."""
        return tuple(claim for claim in self.claims if claim.verdict is Verdict.UNCLEAR)

    @property
    def unstated(self) -> tuple[Claim, ...]:
        """The claims that are true only under an assumption that the document does not state."""
        return tuple(claim for claim in self.claims if claim.unstated)

    @property
    def ok(self) -> bool:
        """Whether nothing is refuted."""
        return not self.refuted


def report_of(file: str, claims: list[Claim]) -> CheckReport:
    """The report with its counts."""
    counts = {str(verdict): sum(claim.verdict is verdict for claim in claims) for verdict in Verdict}
    return CheckReport(file, tuple(claims), counts)
