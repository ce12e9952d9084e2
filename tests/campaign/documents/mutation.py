"""A claim that was found true is broken in one place: it is refuted at its line, and not called true any more.

What is called true must be looked at: a few broken claims are still true. What is not refuted either counts as missed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.campaign.case import Case
from tests.campaign.documents.breaking import Formula, broken
from tests.campaign.documents.comparing import (
    REACH,
    Checker,
    Placed,
    Said,
    both,
    checked,
    counted,
    found,
    placed,
    report_on,
)
from tests.campaign.documents.corpus import Document, drawn
from tests.campaign.documents.edits import Edited, edited

TRIES = 80
"""How many claims are tried for one that can be broken."""


@dataclass(frozen=True)
class Mutation:
    """A document, the same with a claim broken, that claim as it was, how it was broken, and its member afterwards."""

    document: Document
    changed: Edited
    claim: Placed
    way: str
    after: str

    @property
    def shown(self) -> str:
        """What became of the claim, for a finding."""
        return f"  ->  {' '.join(self.after.split())}" if self.document.shown else ""


def cases(seed: int, count: int, among: Sequence[str] = (), checker: Checker = checked) -> Iterator[Case]:
    """So many broken claims, the first of this seed, the next of the seed after it."""
    for own in range(seed, seed + count):
        subject = mutation_of(random.Random(f"mutation {own}"), among, checker)
        features = frozenset({subject.way, f"of {subject.document.collection}"})
        yield Case(own, subject.changed.text, features, subject)


def mutation_of(rng: random.Random, among: Sequence[str], checker: Checker) -> Mutation:
    """A document with a claim broken that was found true."""
    for _ in range(TRIES):
        document = drawn(rng, among)
        text = document.text
        every = placed(report_on(checker, text, document.name), text)
        true = [one for one in every if one.said is Said.TRUE and one.claim.latex.startswith("= ")]
        for one in rng.sample(true, len(true)):
            end = member_end(text, one)
            if end < 0 or beside_zero(text, one, every):
                continue
            way = broken(Formula(text, one.position, end), rng)
            if way is not None:
                own = edited(text[:end], way[1]).text[one.position :]
                return Mutation(document, edited(text, way[1]), one, way[0], own)
    raise LookupError("no claim can be broken")


def member_end(text: str, one: Placed) -> int:
    """Where the member of a claim ends; -1 if the text there is another, or its braces are not paired."""
    at = one.position
    for character in one.claim.latex.partition(" ")[2]:
        if character.isspace():
            continue
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text) or text[at] != character:
            return -1
        at += 1
    own = text[one.position : at]
    return at if own.count("{") == own.count("}") else -1


def beside_zero(text: str, one: Placed, every: list[Placed]) -> bool:
    """Whether a member near by is zero, so that a factor more or less changes nothing."""
    zeros = [other.position for other in every if other.claim.latex.strip() == "= 0"]
    return any("\n\n" not in text[min(one.position, zero) : max(one.position, zero)] for zero in zeros)


def verdict(case: Case, checker: Checker = checked) -> str:
    """What is wrong with the answer to the broken claim."""
    subject: Mutation = case.subject
    document, changed, claim = subject.document, subject.changed, subject.claim
    _, after, compared = both(document, changed, checker)
    known = {other.position for one, other in compared if one.accused}
    accused = [one for one in after if one.accused and one.position not in known]
    start = changed.moved(claim.position) or claim.position
    lines = range(line_of(changed.text, start), line_of(changed.text, start + len(subject.after)) + 1)
    own = next((other for one, other in compared if one is claim), None) or nearest(after, start)
    said = own.said if own is not None else "no claim"
    kind = ""
    if said is Said.TRUE:
        kind = f"called true: {own.claim.verdict if own is not None else ''}"
    elif not any(one.claim.line in lines for one in accused):
        kind = f"missed: {said}" + (", another line refuted" if accused else "")
    findings = [found(subject.way, kind, document, claim.claim) + subject.shown] if kind else []
    return "\n".join((counted("claims", 1), *findings))


def nearest(claims: list[Placed], position: int) -> Placed | None:
    """The claim that begins at a place or close to it."""
    near = [one for one in claims if abs(one.position - position) <= REACH]
    return min(near, key=lambda one: abs(one.position - position), default=None)


def line_of(text: str, position: int) -> int:
    """The line of a position, from 1."""
    return text.count("\n", 0, position) + 1
