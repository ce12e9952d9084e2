"""What is known of documents: claims that are true, claims that are wrong, and claims that nobody can judge.

Small documents stand with their claims in `documents/*.toml`. Each table ``[[document]]`` has

- ``name``, and ``text``: the document, or how it begins;
- ``true``, ``wrong``, ``open``, ``debatable``: formulas. Each of them makes a document of its own: it is put behind
  the text as a display, or where the text has the word CLAIM;
- ``lines``: labels of lines of the text itself, counted from 1. All other lines of the text are true;
- ``file``: a name that says the format, ``note.md`` if there is none; ``context``: what the text leaves unsaid.

Documents that are files have their labels in `files.tsv`, a row for a line, for several (``62-64``), or for the
``rest``. A file is one of the project, by its path, or a public note beside the repository, by its number; such a
note is read twice if there is a context for it. Lines without a row are unlabelled.

Nothing here knows a checker.
"""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TABLES = tuple(sorted((HERE / "documents").glob("*.toml")))
FILES = HERE / "files.tsv"
CONTEXTS = HERE / "contexts"
SHARED = ROOT.parent / "shared"
"""Where the public notes are, if they are at hand."""

MARK = "CLAIM"
"""What a formula takes the place of in a text."""


class Kind(StrEnum):
    """What is known of a claim.

    A true one must not be refuted, and had better be confirmed. A wrong one must not be called true, and should be
    refuted; a known error must be. An open one must be neither. Of a debatable one anything may be said.
    """

    TRUE = "true"
    WRONG = "wrong"
    KNOWN_ERROR = "known error"
    OPEN = "open"
    DEBATABLE = "debatable"


WRONG = (Kind.WRONG, Kind.KNOWN_ERROR)
"""The kinds of what should be refuted."""


@dataclass(frozen=True)
class Label:
    """What is known of some lines of a document.

    Attributes:
        first: the first of them, from 1.
        last: the last of them.
        kind: what is known.
        why: in words.
    """

    first: int
    last: int
    kind: Kind
    why: str = ""


@dataclass(frozen=True)
class Document:
    """A document with what is known of it.

    Attributes:
        name: its own.
        group: the table or the files that it belongs to.
        file: a file name; its end says the format.
        text: all of it.
        context: what it leaves unsaid.
        labels: what is known of its lines.
        rest: what is known of all other lines; None if nothing is.
    """

    name: str
    group: str
    file: str
    text: str
    context: str = ""
    labels: tuple[Label, ...] = ()
    rest: Kind | None = None

    def kind_at(self, line: int) -> Kind | None:
        """What is known of a line."""
        return next((label.kind for label in self.labels if label.first <= line <= label.last), self.rest)


@dataclass(frozen=True)
class Row:
    """A row of the table of files.

    Attributes:
        document: the number of a public note, or the path of files of the project, with stars.
        lines: their first and last; None for all lines that no other row has.
        kind: what is known of them.
        why: in words.
    """

    document: str
    lines: tuple[int, int] | None
    kind: Kind
    why: str

    def is_of(self, path: Path) -> bool:
        """Whether the row is about a file."""
        return path.match(f"{self.document}_*" if self.document.isdigit() else self.document)


def known(shared: Path = SHARED) -> list[Document]:
    """All that is known: the small documents, and the files that are at hand."""
    return [*(one for table in TABLES for one in small_documents(table)), *known_files(shared)]


def small_documents(table: Path) -> Iterator[Document]:
    """The documents of one table, one for each formula."""
    for entry in tomllib.loads(table.read_text(encoding="utf-8"))["document"]:
        text, lines = entry["text"], labels_of(entry.get("lines", {}))
        formulas = [(kind, *one) for kind in Kind for one in enumerate(entry.get(kind, ()), 1)]
        if not formulas:
            yield small(entry, table.stem, entry["name"], text, lines)
        whole = text if MARK in text else f"{text.rstrip()}\n\n$${MARK}$$\n"
        first = whole[: whole.index(MARK)].count("\n") + 1 if formulas else 0
        for kind, number, formula in formulas:
            more = formula.strip().count("\n")
            labels = (
                Label(first, first + more, kind),
                *(below(one, more) if one.first > first else one for one in lines),
            )
            name = f"{entry['name']}, {kind} {number}"
            yield small(entry, table.stem, name, whole.replace(MARK, formula.strip()), labels)


def true_documents(table: Path) -> Iterator[tuple[str, str]]:
    """The settings of one table, each with all its true formulas: its name and the text."""
    for entry in tomllib.loads(table.read_text(encoding="utf-8"))["document"]:
        text, formulas = entry["text"], entry.get("true", ())
        if formulas and MARK not in text and "context" not in entry and "lines" not in entry:
            yield entry["name"], "\n\n".join((text.strip(), *(f"$${one.strip()}$$" for one in formulas))) + "\n"


def small(entry: dict[str, Any], group: str, name: str, text: str, labels: tuple[Label, ...]) -> Document:
    """A small document."""
    return Document(name, group, entry.get("file", "note.md"), text, entry.get("context", ""), labels, Kind.TRUE)


def labels_of(lines: dict[str, list[int]]) -> tuple[Label, ...]:
    """Labels of single lines."""
    return tuple(Label(line, line, Kind(kind)) for kind, numbers in lines.items() for line in numbers)


def below(label: Label, lines: int) -> Label:
    """A label so many lines further down."""
    return Label(label.first + lines, label.last + lines, label.kind, label.why)


def rows_of(table: Path = FILES) -> tuple[Row, ...]:
    """The rows of a table of files."""
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return tuple(Row(row["document"], span_of(row["line"]), Kind(row["label"]), row["why"]) for row in rows)


def span_of(text: str) -> tuple[int, int] | None:
    """The first and the last of some lines; None for the rest."""
    if text == "rest":
        return None
    first, _, last = text.partition("-")
    return int(first), int(last or first)


def known_files(shared: Path = SHARED) -> Iterator[Document]:
    """The files that the table of files has rows of; a public note with a context once more with it."""
    rows = rows_of()
    for name in dict.fromkeys(row.document for row in rows):
        if not name.isdigit():
            yield from (file_document(path, rows, group=name) for path in sorted(ROOT.glob(name)))
            continue
        for path in (*shared.glob(f"notes/{name}_*"), *shared.glob(f"seeds/{name}_*")):
            yield file_document(path, rows)
            for context in CONTEXTS.glob(f"{name}_*"):
                yield file_document(path, rows, f"{path.name}, with its context", context.read_text(encoding="utf-8"))


def file_document(
    path: Path, rows: Iterable[Row] = (), name: str = "", context: str = "", *, group: str = ""
) -> Document:
    """A file with the labels that some rows give it."""
    own = [row for row in rows if row.is_of(path)]
    labels = tuple(Label(*row.lines, row.kind, row.why) for row in own if row.lines)
    rest = next((row.kind for row in own if row.lines is None), None)
    name = name or path.name
    return Document(name, group or name, path.name, path.read_text(encoding="utf-8"), context, labels, rest)
