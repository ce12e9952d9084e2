"""A document as the checker sees it: pieces of mathematics with their places, and the prose between them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate

from indexcalc.language.document.sections import Section
from indexcalc.language.latex.macros import Macro

HEADING = ("#", "\\section", "\\subsection", "\\newslide")
"""How a line that is a heading begins."""


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of mathematics: its text, where that text starts in the source, displayed or inline."""

    text: str
    start: int
    display: bool

    @property
    def end(self) -> int:
        """Where the text ends."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table with a context of its own: where it starts and ends, and what its comments say."""

    start: int
    end: int
    context: str


@dataclass(frozen=True)
class Document:
    """The source of a document and the mathematics in it, in order.

    Attributes:
        name: the file's name, for messages.
        source: the whole text.
        spans: the mathematics.
        macros: the document's own macros.
        contexts: what comments of the document say to the checker.
        sections: where sections start.
        rows: the rows of tables whose comments say something, which is not among the contexts.
    """

    name: str
    source: str
    spans: tuple[Span, ...]
    macros: Mapping[str, Macro] = field(default_factory=dict)
    contexts: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    rows: tuple[Row, ...] = ()

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Where each line starts."""
        return (0, *(n + 1 for n, character in enumerate(self.source) if character == "\n"))

    def place(self, position: int) -> tuple[int, int]:
        """The 1-based line and column of a position."""
        line = bisect_right(self.line_starts, position) - 1
        return line + 1, position - self.line_starts[line] + 1

    def line_text(self, line: int) -> str:
        """The text of a line."""
        return self.lines[line - 1] if line <= len(self.line_starts) else ""

    def parts(self) -> Iterator[tuple[Document, str]]:
        """The document without its rows that have a context, and each of these alone, with its context."""
        inside = {span for row in self.rows for span in self.spans if row.start <= span.start < row.end}
        yield replace(self, spans=tuple(span for span in self.spans if span not in inside), rows=()), ""
        for row in self.rows:
            own = tuple(span for span in self.spans if row.start <= span.start < row.end)
            yield replace(self, spans=own, rows=()), row.context

    def between(self, left: int, right: int) -> str:
        """The text from one position to another."""
        return self.source[left:right]

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines."""
        return tuple(self.source.splitlines())

    @cached_property
    def headings(self) -> tuple[tuple[int, int], ...]:
        """Where each line that is a heading starts and ends."""
        lines = self.source.splitlines(keepends=True)
        ends = tuple(accumulate(len(line) for line in lines))
        return tuple(
            (end - len(line), end) for line, end in zip(lines, ends, strict=True) if line.lstrip().startswith(HEADING)
        )

    def heading(self, position: int) -> str:
        """The heading of the section that a position is in, up to that position; empty before the first."""
        number = bisect_left(self.headings, (position,))
        start, end = self.headings[number - 1] if number else (0, 0)
        return self.source[start : min(end, position)].strip()
