"""The verdicts on a document beside those on another form of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from indexcalc.document import CheckReport, Claim, Verdict, check
from tests.campaign.case import COUNTED
from tests.campaign.documents.corpus import Document
from tests.campaign.documents.edits import Edited

Checker = Callable[[str, str], CheckReport]
"""What judges a document: from its text and its name."""

REACH = 16
"""How many columns the beginning of a claim may move by an edit at it."""


class Said(StrEnum):
    """What a verdict comes to."""

    TRUE = "true"
    REFUTED = "refuted"
    OPEN = "not understood"
    GIVEN = "given"


SAID = {
    **dict.fromkeys((Verdict.PROVED, Verdict.CONFIRMED, Verdict.ROUNDED), Said.TRUE),
    **dict.fromkeys((Verdict.REFUTED, Verdict.FOLLOWS), Said.REFUTED),
    **dict.fromkeys((Verdict.DEFINITION, Verdict.DECLARATION, Verdict.CONDITION), Said.GIVEN),
    **dict.fromkeys((Verdict.UNCLEAR, Verdict.STEP, Verdict.SCHEMATIC, Verdict.UNJUDGED), Said.OPEN),
}


@lru_cache(maxsize=512)
def report_on(checker: Checker, text: str, name: str) -> CheckReport:
    """What a checker says of a document, remembered."""
    return checker(text, name)


def checked(text: str, name: str) -> CheckReport:
    """What the project's own checker says."""
    return check(text, name)


@dataclass(frozen=True)
class Placed:
    """A claim and the position of its member in the text."""

    claim: Claim
    position: int

    @property
    def said(self) -> Said:
        """What the verdict comes to."""
        return SAID[self.claim.verdict]

    @property
    def accused(self) -> bool:
        """Whether it is itself called wrong."""
        return self.claim.verdict is Verdict.REFUTED


def placed(report: CheckReport, text: str) -> list[Placed]:
    """The claims of a report with their positions, in order."""
    starts = [0, *(n + 1 for n, character in enumerate(text) if character == "\n")]
    return sorted(
        (Placed(claim, starts[claim.line - 1] + claim.column - 1) for claim in report.claims),
        key=lambda one: one.position,
    )


def pairs(
    before: list[Placed], after: list[Placed], moved: Callable[[int], int | None]
) -> Iterator[tuple[Placed, Placed]]:
    """Each claim with the same one afterwards; a claim that is no more, or was taken out, has no partner."""
    left: dict[int, list[Placed]] = {}
    for one in after:
        left.setdefault(one.position, []).append(one)
    waiting: list[tuple[Placed, int]] = []
    for one in before:
        place = moved(one.position)
        if place is None:
            continue
        if left.get(place):
            yield one, left[place].pop(0)
        else:
            waiting.append((one, place))
    rest = sorted(place for place, others in left.items() for _ in others)
    for one, place in waiting:
        number = bisect_right(rest, place)
        near = [other for other in rest[max(0, number - 1) : number + 1] if abs(other - place) <= REACH]
        if near:
            found = min(near, key=lambda other: abs(other - place))
            rest.remove(found)
            yield one, left[found].pop(0)


def both(
    document: Document, changed: Edited, checker: Checker
) -> tuple[list[Placed], list[Placed], list[tuple[Placed, Placed]]]:
    """The claims of a document, those of its other form, and those of both in twos."""
    before = placed(report_on(checker, document.text, document.name), document.text)
    after = placed(report_on(checker, changed.text, document.name), changed.text)
    return before, after, list(pairs(before, after, changed.moved))


def found(operation: str, kind: str, document: Document, claim: Claim) -> str:
    """A finding about a claim, as a line."""
    if not document.shown:
        return f"{operation}: {kind} at a line of the collection {document.collection}"
    return f"{operation}: {kind} at {document.name}:{document.line_of(claim.line)}: {claim.latex}"


def counted(what: str, count: int) -> str:
    """A line of a verdict that says how many of something were looked at."""
    return f"{COUNTED}{what}: {count}"


def newly_refuted(operation: str, document: Document, compared: list[tuple[Placed, Placed]]) -> Iterator[str]:
    """The claims that are refuted now, and were not before."""
    for one, other in compared:
        if other.accused and one.said is not Said.REFUTED:
            yield found(operation, f"newly refuted: {one.said} to {other.said}", document, one.claim)


def changes(operation: str, document: Document, compared: list[tuple[Placed, Placed]]) -> Iterator[str]:
    """The claims whose verdict is another now: what was refuted or is now, and apart from it what is open or was."""
    for one, other in compared:
        if one.said is other.said:
            continue
        if {one.said, other.said} == {Said.TRUE, Said.REFUTED}:
            kind = "between true and refuted"
        elif other.said is Said.REFUTED:
            kind = "newly refuted"
        else:
            kind = "another verdict"
        yield found(operation, f"{kind}: {one.said} to {other.said}", document, one.claim)
