"""The documents at hand, and cuts of them that are short enough for a case.

`own` are the notes of this repository on gradients at plain indices, `places` its others: with indices that are
expressions, and with derivatives of other kinds. `small` are those of the tables of what is known. The others stand
beside the repository, in a folder `shared` or in that which ``INDEXCALC_DOCUMENTS`` names, and may be absent: `notes`
and `seeds`, and `fresh`, which nobody has read. Of these no finding tells more than the collection.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from indexcalc.codegen.outline import has_expressions
from indexcalc.language import load_problem
from indexcalc.library import shipped_paths
from tests.campaign.documents.blocks import Block, Kind, blocks_of, formulas_of, is_tex
from tests.reading.known import TABLES, true_documents
from tests.support.gradients import of_gradients, step_by_step

ROOT = Path(__file__).resolve().parents[3]
BESIDE = Path(os.environ.get("INDEXCALC_DOCUMENTS", ROOT.parent / "shared"))

COLLECTIONS = ("own", "places", "small", "notes", "seeds", "fresh")
UNREAD = frozenset({"fresh"})

NO_DOCUMENTS = frozenset({"guards.md"})
"""Files beside the documents that only speak of them."""

LONGEST = 150
"""How many lines a cut has at most, unless one section alone has more."""

FEWEST = 3
"""How many formulas with a relation a document has at least."""

OPENING = 70
"""How many of them may be the document's first sections."""


@dataclass(frozen=True)
class Document:
    """A document, or a cut of one.

    Attributes:
        collection: where it is from.
        name: its file name.
        text: all of it.
        opening: how many lines its first sections have, if it is a cut.
        skipped: how many lines of the file were left out behind these.
    """

    collection: str
    name: str
    text: str
    opening: int = 0
    skipped: int = 0

    def line_of(self, line: int) -> int:
        """The line of the file that a line of the cut is."""
        return line + self.skipped if line > self.opening else line

    @property
    def shown(self) -> bool:
        """Whether a finding may quote it."""
        return self.collection not in UNREAD


@cache
def documents(collection: str) -> tuple[Document, ...]:
    """The documents of a collection, by name."""
    if collection == "small":
        return tuple(small_documents())
    if collection in ("own", "places"):
        paths: Iterator[Path] = (path.with_suffix(".md") for path in own_notes(places=collection == "places"))
    else:
        paths = (path for ending in ("md", "tex", "html") for path in (BESIDE / collection).glob(f"*.{ending}"))
    found = (Document(collection, path.name, path.read_text(encoding="utf-8")) for path in sorted(paths))
    return tuple(document for document in found if document.name not in NO_DOCUMENTS and has_relations(document))


def own_notes(*, places: bool) -> Iterator[Path]:
    """The specs of the notes of this repository with gradients at plain indices, or of the others."""
    plain = {name: path for name, path in of_gradients().items() if not has_expressions(load_problem(path).program)}
    paths = ((name, path) for name, path in shipped_paths().items() if name not in step_by_step())
    return (path for name, path in paths if (name in plain) != places)


def has_relations(document: Document) -> bool:
    """Whether there is something to judge."""
    text = document.text
    return sum("=" in text[one.inner : one.inner_end] for one in formulas_of(text, document.name)) >= FEWEST


def small_documents() -> Iterator[Document]:
    """The settings of the tables of what is known, each with all its true claims."""
    for table in TABLES:
        for name, text in true_documents(table):
            yield Document("small", f"{name}.md", text)


def at_hand(among: Sequence[str] = ()) -> tuple[str, ...]:
    """The collections that have documents, of those that are wanted; all of them if none is named."""
    return tuple(name for name in among or COLLECTIONS if documents(name))


def drawn(rng: random.Random, among: Sequence[str] = (), longest: int = LONGEST) -> Document:
    """A document or a cut of one: first a collection is drawn, then a document of it."""
    return cut(rng.choice(documents(rng.choice(at_hand(among)))), rng, longest)


def cut(document: Document, rng: random.Random, longest: int = LONGEST) -> Document:
    """A document of bearable length: its first sections and a run of later ones, as a document of its own."""
    text, name = document.text, document.name
    sections = sections_of(text, name)
    if lines(text) <= longest or len(sections) < 3:
        return document if lines(text) <= 2 * longest else replace(document, text=shortened(text, name, longest))
    end = sections[1] if is_tex(name) else sections[0]
    for start in sections[1:]:
        if lines(text[:start]) > OPENING:
            break
        end = start
    opening = text[:end]
    starts = [start for start in sections if start >= end]
    first = rng.choice(starts)
    last = first
    for stop in (*starts, len(text)):
        if stop > first and (last == first or lines(opening) + lines(text[first:stop]) <= longest):
            last = stop
    run = shortened(text[first:last], name, longest)
    return replace(document, text=opening + run, opening=lines(opening), skipped=lines(text[end:first]))


def sections_of(text: str, name: str) -> list[int]:
    """Where the sections of a text start; the first starts at the beginning."""
    return [0, *(block.start for block in blocks_of(text, name) if block.kind is Kind.HEADING and block.start)]


def shortened(text: str, name: str, longest: int) -> str:
    """The first blocks of a text, of at most so many lines."""
    if lines(text) <= 2 * longest:
        return text
    kept: Block | None = None
    for block in blocks_of(text, name):
        if kept is not None and lines(text[: block.end]) > longest:
            break
        kept = block
    return text[: kept.end] if kept else ""


def lines(text: str) -> int:
    """The number of lines."""
    return text.count("\n")
