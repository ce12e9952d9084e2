"""Letters change places, or formulas and sentences are written in another way: the verdicts stay.

A claim that goes from true to refuted or back is one kind of finding; one that is only no longer understood, or now
is, another.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.campaign.case import Case
from tests.campaign.documents.comparing import Checker, both, changes, checked, counted
from tests.campaign.documents.corpus import Document, drawn
from tests.campaign.documents.edits import Edit, Edited, edited
from tests.campaign.documents.letters import (
    DEFINED,
    NUMERATOR,
    Piece,
    Place,
    bound_letters,
    loss_of,
    permuted,
    pieces_of,
    runs_of,
    sizes_of,
    uses_of,
)
from tests.campaign.documents.spelling import SPELLINGS, Spelling, places

TRIES = 60
"""How many documents are drawn for one that can be changed in the wanted way."""

INDEX = re.compile(r"[a-z](?:\s*(?:,|=|<|>|\\neq?\b|\\in\b|\\leq?\b|\\geq?\b|\\to\b)\s*[a-zA-Z0-9])*")
"""A formula about indices alone."""


@dataclass(frozen=True)
class Renaming:
    """A document, and the same in other words."""

    document: Document
    changed: Edited
    operation: str


def cases(seed: int, count: int, among: Sequence[str] = ()) -> Iterator[Case]:
    """So many renamings, the first of this seed, the next of the seed after it; the ways take turns."""
    ways = list(OPERATIONS)
    for own in range(seed, seed + count):
        subject = renaming_of(random.Random(f"renaming {own}"), ways[own % len(ways)], among)
        features = frozenset({subject.operation, f"of {subject.document.collection}"})
        yield Case(own, subject.changed.text, features, subject)


def renaming_of(rng: random.Random, operation: str, among: Sequence[str]) -> Renaming:
    """A document changed in this way, or in another if no document is found for it."""
    for attempt in range(2 * TRIES):
        way = operation if attempt < TRIES else rng.choice(list(OPERATIONS))
        document = drawn(rng, among)
        changed = edited(document.text, OPERATIONS[way](document, rng))
        if changed.edits:
            return Renaming(document, changed, way)
    raise LookupError("no document can be written in another way")


def verdict(case: Case, checker: Checker = checked) -> str:
    """The claims whose verdict is another now, a line each."""
    subject: Renaming = case.subject
    before, after, compared = both(subject.document, subject.changed, checker)
    findings = list(changes(subject.operation, subject.document, compared))
    if len(compared) < len(before) or len(compared) < len(after):
        count = max(len(before), len(after)) - len(compared)
        findings.append(f"{subject.operation}: other claims: {count} at {subject.document.collection}")
    return "\n".join((counted("claims", len(compared)), *findings))


# Letters ------------------------------------------------------------------------------------------------------------


def indices(document: Document, rng: random.Random) -> list[Edit]:
    """Index letters that change places."""
    return exchanged(document, rng, index_letters(document))


def index_letters(document: Document) -> list[str]:
    """The letters that stand in scripts, and on the line only in formulas about indices."""
    text, name = document.text, document.name
    if DEFINED.search(text):
        return []
    bound = bound_letters(text, name) | sizes_of(text) | ({"d"} if any_differential(document) else set())
    about = about_indices(document)
    kept = []
    for letter, uses in uses_of(text, name).items():
        below = sum(piece.place is Place.BELOW for piece in uses)
        others = sum(piece.place is not Place.BELOW and piece.region not in about for piece in uses)
        if letter.islower() and letter not in bound and below > 1 and below >= 3 * others:
            kept.append(letter)
    return sorted(kept)


def any_differential(document: Document) -> bool:
    """Whether a d on the line may be the sign of a derivative."""
    runs = runs_of(document.text, document.name)
    return any(run.text.startswith("d") and run.place is Place.BASE for run in runs)


def about_indices(document: Document) -> set[int]:
    """The numbers of the formulas about indices alone."""
    texts: dict[int, list[Piece]] = {}
    for piece in pieces_of(document.text, document.name):
        texts.setdefault(piece.region, []).append(piece)
    return {number for number, own in texts.items() if INDEX.fullmatch(" ".join(piece.text for piece in own))}


def tensors(document: Document, rng: random.Random) -> list[Edit]:
    """Names of tensors that change places, x together with X."""
    letters = tensor_letters(document)
    for _ in range(8):
        if len(letters) < 2:
            return []
        some = rng.sample(letters, rng.randint(2, len(letters)))
        pairs = list(zip(some, (*some[1:], some[0]), strict=True))
        turned = {**dict(pairs), **{one.upper(): other.upper() for one, other in pairs}}
        edits = permuted(document.text, document.name, turned)
        if edits:
            return edits
    return []


def tensor_letters(document: Document) -> list[str]:
    """The small letters that are, or whose capitals are, names of tensors, and neither sizes, indices nor the loss."""
    text, name = document.text, document.name
    if DEFINED.search(text):
        return []
    bound = bound_letters(text, name) | sizes_of(text) | {match["loss"][-1] for match in NUMERATOR.finditer(text)}
    uses = uses_of(text, name)
    kept = []
    for letter in set("".join(uses).lower()) - set("dijklmnt"):
        cases = [one for one in (letter, letter.upper()) if one in uses]
        own = [piece for one in cases for piece in uses[one]]
        named = bound.isdisjoint((letter, letter.upper())) and all(is_name(piece) for piece in own)
        if named and all(any(is_tensor(text, piece) for piece in uses[one]) for one in cases):
            kept.append(letter)
    return sorted(kept)


def is_name(piece: Piece) -> bool:
    """Whether a letter stands where names do, in no subscript and no script of its own font."""
    return piece.place is not Place.BELOW and piece.font != r"\mathcal"


def is_tensor(text: str, piece: Piece) -> bool:
    """Whether what stands around a letter shows that it is no number: an index, a transpose, a derivative, a shape."""
    return bool(
        re.match(r"\}?\s*(?:_|\^\s*\{?\s*(?:T|\\top)(?![A-Za-z])|\\in(?![A-Za-z]))", text[piece.end : piece.end + 20])
        or re.search(
            r"(?:\\partial|(?<![A-Za-z])d)\s*(?:\\[a-z]+\s*\{)?$", text[max(0, piece.start - 20) : piece.start]
        )
    )


def exchanged(document: Document, rng: random.Random, letters: list[str]) -> list[Edit]:
    """Letters in each other's places; none stays."""
    for _ in range(8):
        if len(letters) < 2:
            return []
        some = rng.sample(letters, rng.randint(2, len(letters)))
        turned = dict(zip(some, (*some[1:], some[0]), strict=True))
        edits = permuted(document.text, document.name, turned)
        if edits:
            return edits
    return []


LOSSES = ("L", "J", r"\ell", r"\mathcal{L}", r"\mathcal{J}", "C", "F", "R", "E")


def losses(document: Document, rng: random.Random) -> list[Edit]:
    """Another letter for the loss, one that the document has not."""
    text, name = document.text, document.name
    old = loss_of(text)
    if not old or DEFINED.search(text) or old in bound_letters(text, name) - {"E", "R"}:
        return []
    written = {run.text for run in runs_of(text, name)}
    used = {letter for run in written for letter in run}
    fresh = [one for one in LOSSES if one[-1].strip("}") not in used and one[-2:-1] not in used and one not in text]
    new = rng.choice(fresh) if fresh else ""
    if not new:
        return []
    if len(old) == 1:
        if any(old in run and run not in (old, f"d{old}") for run in written):
            return []
        found = [piece for piece in uses_of(text, name)[old] if piece.font != r"\mathcal"]
        return [Edit(piece.start, piece.end, spaced(new, text, piece.end)) for piece in found]
    pattern = r"\\ell(?![A-Za-z])" if old == r"\ell" else rf"\\mathcal\s*\{{?\s*{old[-2]}\s*\}}?"
    return [
        Edit(match.start(), match.end(), spaced(new, text, match.end()))
        for match in places(document, re.compile(pattern))
    ]


def spaced(new: str, text: str, end: int) -> str:
    """A command with a blank behind it, if a letter would follow."""
    return f"{new} " if new[0] == "\\" and not new.endswith("}") and text[end : end + 1].isalpha() else new


OPERATIONS: dict[str, Spelling] = {"indices": indices, "tensors": tensors, "losses": losses, **SPELLINGS}
