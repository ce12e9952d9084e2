"""Two documents one behind the other, each under a heading of its own: the verdicts on the claims of both stay."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tests.campaign.case import Case
from tests.campaign.documents.blocks import FRONT, Kind, blocks_of, is_tex
from tests.campaign.documents.comparing import (
    Checker,
    Placed,
    Said,
    changes,
    checked,
    counted,
    pairs,
    placed,
    report_on,
)
from tests.campaign.documents.corpus import Document, drawn
from tests.campaign.documents.edits import Edit, Edited, edited
from tests.campaign.documents.letters import DEFINED

LONGEST = 100
"""How many lines each of the two has at most, as a rule."""

HEADINGS = ("# The first note\n\n", "\n\n# The second note\n\n")

NAME = "joined.md"


@dataclass(frozen=True)
class Joining:
    """Two documents, each as it stands in the joined one, and where it starts there."""

    parts: tuple[tuple[Document, Edited, int], tuple[Document, Edited, int]]
    text: str


def cases(seed: int, count: int, among: Sequence[str] = ()) -> Iterator[Case]:
    """So many joined documents, the first of this seed, the next of the seed after it; each pair in both orders."""
    for own in range(seed, seed + count):
        rng = random.Random(f"joining {own // 2}")
        first = joinable(rng, among)
        second = joinable(rng, among, first.name)
        subject = joined(second, first) if own % 2 else joined(first, second)
        features = frozenset({"joined", *(f"of {one.collection}" for one in (first, second))})
        yield Case(own, subject.text, features, subject)


def joinable(rng: random.Random, among: Sequence[str], other: str = "") -> Document:
    """A document in Markdown without macros and words for the checker, of another file."""
    while True:
        document = drawn(rng, among, LONGEST)
        if not is_tex(document.name) and document.name != other and not DEFINED.search(document.text):
            return document


def joined(first: Document, second: Document) -> Joining:
    """Both, one behind the other."""
    text, parts = "", []
    for document, heading in zip((first, second), HEADINGS, strict=True):
        text += heading
        below = lowered(document)
        parts.append((document, below, len(text)))
        text += below.text
    return Joining((parts[0], parts[1]), text)


def lowered(document: Document) -> Edited:
    """A document whose headings are those of sections, without what stands before its text."""
    text = document.text
    front = FRONT.match(text)
    edits = [Edit(0, front.end(), "")] if front else []
    for block in blocks_of(text, document.name):
        mark = re.match(r"\s{0,3}(?=#{1,5}\s)", text[block.start : block.end])
        if block.kind is Kind.HEADING and mark:
            edits.append(Edit(block.start + mark.end(), block.start + mark.end(), "#"))
    return edited(text, edits)


def verdict(case: Case, checker: Checker = checked) -> str:
    """The claims whose verdict is another beside the other document, a line each."""
    subject: Joining = case.subject
    after = placed(report_on(checker, subject.text, NAME), subject.text)
    findings: list[str] = []
    compared = 0
    for document, below, start in subject.parts:
        own = placed(report_on(checker, document.text, document.name), document.text)
        end = start + len(below.text)
        others = [one for one in after if start <= one.position < end]
        moved = shifted(below, start)
        found = list(pairs(own, others, moved))
        compared += len(found)
        findings += changes("joined", document, [pair for pair in found if not restated(*pair)])
        if len(found) < len(own):
            findings.append(f"joined: lost claims: {len(own) - len(found)} at {document.collection}")
    return "\n".join((counted("claims", compared), *findings))


def restated(one: Placed, other: Placed) -> bool:
    """Whether an equation defines in one place and restates in the other: both documents may have it."""
    return {one.said, other.said} == {Said.TRUE, Said.GIVEN}


def shifted(below: Edited, start: int) -> Callable[[int], int | None]:
    """Where a position of a document is in the joined one."""

    def moved(position: int) -> int | None:
        place = below.moved(position)
        return None if place is None else start + place

    return moved
