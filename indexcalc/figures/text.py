"""What of a document is read for figures: prose, lists, tables, plain fences and mathematics; code is not.

Marks of Markdown are blanked, so that every character keeps its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from mdit_py_plugins.front_matter import front_matter_plugin

from indexcalc.language.document import Document, read_document
from indexcalc.language.document.closings import enclosed
from indexcalc.language.document.masks import COMMENT, LIQUID, MATH_FENCES, Range, masked

PLAIN_FENCES = frozenset({"", "text", "txt", "plain", "plaintext", "none", "output", *MATH_FENCES})
"""The words behind the opening of a fence that holds a calculation; any other names a programming language."""

EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])[^*\n]{0,200}?(?<=[^\s*])\*(?![\w*])")
MARKS = re.compile(r"\*\*+|(?<!\w)__+(?=\S)|(?<=\S)__+(?!\w)|`+|~~+")
LEADING = re.compile(r"^[ \t]*(?:(?:>[ \t]?)+[ \t]*)?(?:(?:[-*+]|\d+[.)])[ \t]+|#+[ \t]+)?", re.MULTILINE)
ADDRESS = re.compile(r"https?://[^\s)>\]]+")
DELIMITERS = re.compile(r"(?<!\\)\$+|\\[()\[\]](?!\d)")


@dataclass(frozen=True)
class Source:
    """A document with all that is no calculation blanked.

    Attributes:
        document: the document, for places and contexts.
        text: as long as the source.
        fenced: the ranges of plain fences, where Markdown has no marks.
        math: the ranges of mathematics.
    """

    document: Document
    text: str
    fenced: tuple[Range, ...]
    math: tuple[Range, ...]

    def in_math(self, position: int) -> bool:
        """Whether a position is in mathematics."""
        return any(start <= position < end for start, end in self.math)


def read_source(source: str, name: str) -> Source:
    """The document, ready to be cut into tokens.

    Raises:
        LimitError: if it is too long.
    """
    document = read_document(source, name)
    math = tuple((span.start, span.end) for span in document.spans)
    if name.lower().endswith((".tex", ".html", ".htm")):
        return Source(document, blanked(source, [], math), (), math)
    fenced, silent = fences(source)
    silent += [match.span() for match in ADDRESS.finditer(source)]
    for marks in (COMMENT, LIQUID):
        silent += [(opened.start(), closed.end()) for opened, closed in enclosed(source, *marks)]
    return Source(document, blanked(masked(source, silent), fenced, math), tuple(fenced), math)


def fences(source: str) -> tuple[list[Range], list[Range]]:
    """``(insides of plain fences, what is not read)``: other fences, the lines that open and close, front matter."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    plain: list[Range] = []
    silent: list[Range] = []
    for token in MarkdownIt("commonmark").use(front_matter_plugin).parse(source):
        if token.map is None or token.type not in ("fence", "code_block", "front_matter"):
            continue
        first, last = token.map
        if token.type == "code_block":
            plain.append((starts[first], starts[last]))
        elif token.type == "fence" and token.info.strip().lower() in PLAIN_FENCES:
            closed = source[starts[last - 1] : starts[last]].strip().startswith(("```", "~~~"))
            end = last - 1 if closed and last - 1 > first else last
            plain.append((starts[first + 1], starts[end]))
            silent += [(starts[first], starts[first + 1]), (starts[end], starts[last])]
        else:
            silent.append((starts[first], starts[last]))
    return plain, silent


def blanked(text: str, fenced: list[Range], math: tuple[Range, ...]) -> str:
    """The text without Markdown's marks; inside fences and mathematics nothing is a mark."""
    kept = [*fenced, *math]
    ranges: list[Range] = []
    for start, end in gaps(len(text), kept):
        piece = text[start:end]
        ranges += [(start + m.start(), start + m.end()) for m in MARKS.finditer(piece)]
        ranges += [(start + m.start(), start + m.end()) for m in DELIMITERS.finditer(piece)]
        for match in EMPHASIS.finditer(piece):
            ranges += [
                (start + match.start(), start + match.start() + 1),
                (start + match.end() - 1, start + match.end()),
            ]
        for match in LEADING.finditer(piece):
            if match.start() or start == 0:
                ranges.append((start + match.start(), start + match.end()))
    return masked(text, ranges)


def gaps(length: int, kept: list[Range]) -> Iterator[Range]:
    """What lies between ranges."""
    at = 0
    for start, end in sorted(kept):
        if start > at:
            yield at, start
        at = max(at, end)
    if at < length:
        yield at, length
