"""What the checker says about one relation of a document."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from indexcalc.presentation import presenter


class Verdict(StrEnum):
    """The possible judgements."""

    PROVED = "proved"
    CONFIRMED = "confirmed"
    ROUNDED = "follows from rounded figures"
    REFUTED = "refuted"
    FOLLOWS = "follows from a wrong line"
    STEP = "step"
    DEFINITION = "definition"
    DECLARATION = "declaration"
    CONDITION = "condition"
    SCHEMATIC = "schematic"
    UNJUDGED = "not judged"
    UNCLEAR = "not understood"


GIVEN = frozenset({Verdict.DEFINITION, Verdict.DECLARATION, Verdict.CONDITION, Verdict.SCHEMATIC, Verdict.UNJUDGED})
"""Verdicts on what claims nothing that could be judged."""

OPEN = frozenset({Verdict.UNCLEAR, Verdict.STEP})
"""Verdicts on what claims something and was not judged, or only from the member before it on."""

TRUE = frozenset({Verdict.PROVED, Verdict.CONFIRMED, Verdict.ROUNDED})


@dataclass(frozen=True)
class NameRead:
    """A name as a relation was read: its shape in words, and what says so."""

    name: str
    shape: str
    source: str


@dataclass(frozen=True)
class ChoiceTaken:
    """What notation left open, how it was taken, what supports that, and how else it could be taken."""

    phrase: str
    support: str
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """How a relation was read.

    Attributes:
        names: what it rests on.
        choices: what its notation leaves open.
    """

    names: tuple[NameRead, ...] = ()
    choices: tuple[ChoiceTaken, ...] = ()


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
        suggestion: the line of a context that would settle it, if it is not understood and one would.
        place: where it starts in the source, and where it ends; None if that is not known.
        explanation: how it was read, if that was asked for.
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
    suggestion: str = ""
    place: tuple[int, int] | None = None
    explanation: Explanation | None = None

    @property
    def said(self) -> tuple[str, ...]:
        """What is said of it beside its verdict, in sentences."""
        need = f"it needs that {' and that '.join(self.unstated)}, which the document does not state"
        settle = f"a context that would settle it: {self.suggestion}" if self.suggestion else ""
        return tuple(t for t in (self.reason, self.counterexample, need if self.unstated else "", settle) if t)


@dataclass(frozen=True)
class CheckReport:
    """All claims of a document, in order, with its text."""

    file: str
    claims: tuple[Claim, ...]
    counts: dict[str, int] = field(default_factory=dict)
    source: str = ""

    def __repr__(self) -> str:
        found = ", ".join(f"{count} {verdict}" for verdict, count in self.counts.items() if count)
        return f"<CheckReport {self.file}: {found or 'no relations'}>"

    def _repr_markdown_(self) -> str:
        return presenter().markdown(self)

    def _repr_html_(self) -> str:
        return presenter().html(self)

    @property
    def refuted(self) -> tuple[Claim, ...]:
        """The claims that are wrong."""
        return tuple(claim for claim in self.claims if claim.verdict is Verdict.REFUTED)

    @property
    def unclear(self) -> tuple[Claim, ...]:
        """The claims that could not be judged."""
        return tuple(claim for claim in self.claims if claim.verdict in OPEN)

    @property
    def unstated(self) -> tuple[Claim, ...]:
        """The claims that are true only under an assumption that the document does not state."""
        return tuple(claim for claim in self.claims if claim.unstated)

    @property
    def ok(self) -> bool:
        """Whether nothing is refuted."""
        return not self.refuted


def summary(report: CheckReport) -> str:
    """What share of a document's claims was judged, and what that means, in sentences."""
    claims = [claim for claim in report.claims if claim.verdict not in GIVEN]
    if not claims:
        return "No relation here claims anything: there was nothing to judge."
    judged = [claim for claim in claims if claim.verdict not in OPEN]
    share = (
        f"{len(judged)} of {len(claims)} relations that claim something were judged ({len(judged) / len(claims):.0%})"
    )
    wrong = len(report.refuted) + report.counts[str(Verdict.FOLLOWS)]
    if wrong:
        meaning = f"{wrong} of them {'is' if wrong == 1 else 'are'} wrong"
    else:
        meaning = "none of them is wrong" if judged else "so this check says nothing of the document yet"
    steps = report.counts[str(Verdict.STEP)]
    rest = len(claims) - len(judged) - steps
    left = f" Nothing is known of the other {rest}." if rest and (judged or steps) else ""
    right = f" {steps} more equal a member before them that is not judged." if steps else ""
    return f"{share}; {meaning}.{right}{left}" if judged else f"{share}, {meaning}.{right}{left}"


def report_of(file: str, claims: list[Claim], source: str = "") -> CheckReport:
    """The report with its counts."""
    counts = {str(verdict): sum(claim.verdict is verdict for claim in claims) for verdict in Verdict}
    return CheckReport(file, tuple(claims), counts, source)
