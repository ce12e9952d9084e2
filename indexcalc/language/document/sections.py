"""Where a document's sections start: headings, numbered items, and the rows of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

ITEM, ROW = 7, 8
"""Levels below all headings."""

TEX_LEVELS = {"part": 0, "chapter": 0, "section": 1, "newslide": 2, "subsection": 2, "subsubsection": 3, "paragraph": 4}

MARKDOWN_LINE = re.compile(
    r"(?P<heading>\s{0,3}#{1,6}(?=\s))|(?P<html><h[1-6]\b)|(?P<bold>\*\*[^*\n]+\*\*[:.]?\s*$)"
    r"|(?P<item>\s{0,3}(?:\d+|[a-z])[.)]\s)|(?P<row>\s{0,3}\|)|(?P<blank>\s*$)|(?P<inside>\s{2,}|\t|[-*+]\s|>)|(?P<text>.)",
    re.IGNORECASE,
)

TEX_MARK = re.compile(
    r"\\(?P<command>part|chapter|section|subsection|subsubsection|paragraph|newslide)\b"
    r"|\\begin\{(?P<frame>frame)\}|\\(?P<list>begin|end)\{enumerate\}|\\(?P<item>item)\b"
)


@dataclass(frozen=True, slots=True)
class Section:
    """The start of a section, and its level: a smaller one holds larger ones.

    What follows a list or a table starts a section of the level just above its items or rows.
    """

    start: int
    level: int


def find_sections(text: str, name: str) -> tuple[Section, ...]:
    """All sections of a text whose code and comments are blanked, in order."""
    return tuple(tex_sections(text) if name.lower().endswith(".tex") else markdown_sections(text))


def tex_sections(text: str) -> Iterator[Section]:
    """Sections, slides, and the items of numbered lists."""
    numbered: list[bool] = []
    for match in TEX_MARK.finditer(text):
        if match["command"]:
            yield Section(match.start(), TEX_LEVELS[match["command"]])
        elif match["frame"]:
            yield Section(match.start(), TEX_LEVELS["newslide"])
        elif match["list"] == "begin":
            numbered.append(True)
        elif match["list"] == "end" and numbered:
            numbered.pop()
            if not numbered:
                yield Section(match.start(), ITEM - 1)
        elif match["item"] and len(numbered) == 1:
            yield Section(match.start(), ITEM)


def markdown_sections(text: str) -> Iterator[Section]:
    """Headings, lines in bold, numbered items, and rows of tables."""
    position, level, blank = 0, 0, True
    for line in text.splitlines(keepends=True):
        match = MARKDOWN_LINE.match(line)
        kind = str(match.lastgroup) if match else "blank"
        opened = opens(kind, match.group() if match else "", level, blank)
        if opened is not None:
            yield Section(position, opened)
            level = opened
        blank = kind == "blank"
        position += len(line)


def opens(kind: str, mark: str, level: int, blank: bool) -> int | None:
    """The level of the section that a line opens; None if it opens none."""
    if kind == "heading":
        return mark.count("#")
    if kind == "html":
        return int(mark[-1])
    if kind == "bold":
        return ITEM - 1
    if kind == "item":
        return ITEM
    if kind == "row":
        return ROW
    if level == ROW:
        return ROW - 1
    if kind == "text" and blank and level == ITEM:
        return ITEM - 1
    return None
