"""What a document consists of, by its text alone: formulas, code, comments, and the blocks of its lines.

Nothing here is the checker's own: a mistake of its reader must not be repeated by those who judge it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

ENVIRONMENTS = "equation|align|alignat|flalign|gather|multline|eqnarray|displaymath|math"

INLINE_LIMIT = 2_000
"""The longest formula between single dollars, in characters; a dollar before a longer one is money."""


class Part(StrEnum):
    """What a stretch of a text is."""

    CODE = "code"
    COMMENT = "comment"
    DISPLAY = "display"
    INLINE = "inline"


@dataclass(frozen=True)
class Region:
    """A stretch of a text with its marks, and where that within the marks starts and ends."""

    part: Part
    start: int
    end: int
    inner: int
    inner_end: int


class Kind(StrEnum):
    """What a block of lines is."""

    HEADING = "heading"
    DISPLAY = "display"
    PROSE = "prose"
    ITEM = "item"
    TABLE = "table"
    SILENT = "silent"


@dataclass(frozen=True)
class Block:
    """Some whole lines of a text that belong together."""

    kind: Kind
    start: int
    end: int


SHARED_OPENINGS = rf"""
    (?P<escaped>\\[\\$%])
    |(?P<display>\$\$)
    |(?P<bracket>\\\[)
    |(?P<paren>\\\()
    |\\begin\{{(?P<environment>(?:{ENVIRONMENTS})\*?)\}}
"""
MARKDOWN_OPENINGS = re.compile(
    rf"""
    (?P<fence>^[ \t>]*(?P<ticks>`{{3,}}|~{{3,}})[ \t]*(?P<info>[^\n`]*)\n)
    |(?P<comment><!--)
    |(?P<coded>\$`)
    |(?P<run>`+)
    |{SHARED_OPENINGS}
    |(?P<inline>\$)
    """,
    re.VERBOSE | re.MULTILINE,
)
TEX_OPENINGS = re.compile(
    rf"""
    (?P<remark>%[^\n]*)
    |\\begin\{{(?P<verbatim>verbatim|lstlisting|minted)\}}
    |(?P<definition>\\(?:newcommand|renewcommand|providecommand|DeclareMathOperator|def)\b[^\n]*)
    |{SHARED_OPENINGS}
    |(?P<inline>\$)
    |\\(?P<macro>[A-Za-z]+)(?=\{{)
    """,
    re.VERBOSE,
)
MATH_FENCES = ("math", "{math}", "latex-math")
PREAMBLE = re.compile(r"\A.*?\\begin\{document\}[^\n]*\n", re.DOTALL)
FRONT = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
WRAPPER = re.compile(
    rf"\\(?:re)?newcommand\*?\{{?\\(\w+)\}}?\[1\]\s*\{{\s*(?:\\begin\{{(?:{ENVIRONMENTS})\*?\}}|\\\[|\$\$)"
)


def is_tex(name: str) -> bool:
    """Whether a file is LaTeX."""
    return name.lower().endswith(".tex")


def closed(text: str, start: int) -> int:
    """Where the group that opens with the brace at a place ends, behind its closing brace; -1 if nowhere."""
    depth, at = 0, start
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        depth += (text[at] == "{") - (text[at] == "}")
        at += 1
        if not depth:
            return at
    return -1


@lru_cache(maxsize=256)
def regions_of(text: str, name: str) -> tuple[Region, ...]:
    """The formulas, code and comments of a text, in order."""
    tex = is_tex(name)
    wrappers = set(WRAPPER.findall(text)) if tex else set()
    found: list[Region] = []
    front = (PREAMBLE if tex else FRONT).match(text)
    position = 0
    if front:
        found.append(Region(Part.CODE, 0, front.end(), 0, front.end()))
        position = front.end()
    openings = TEX_OPENINGS if tex else MARKDOWN_OPENINGS
    while match := openings.search(text, position):
        position = match.end()
        region = region_at(text, match, wrappers)
        if region is not None:
            found.append(region)
            position = region.end
    return tuple(found)


def region_at(text: str, match: re.Match[str], wrappers: set[str]) -> Region | None:
    """The stretch that a mark opens; None if it opens none."""
    groups, start, inner = match.groupdict(), match.start(), match.end()
    if groups.get("escaped"):
        return None
    if groups.get("remark") or groups.get("definition"):
        return Region(Part.COMMENT if groups["remark"] else Part.CODE, start, inner, start, inner)
    if groups.get("fence"):
        ending = re.compile(rf"^[ \t>]*{re.escape(groups['ticks'])}[`~]*[ \t]*$", re.MULTILINE)
        part = Part.DISPLAY if groups["info"].strip().lower() in MATH_FENCES else Part.CODE
        return until(text, part, start, inner, ending)
    for mark, part, ending in (
        ("comment", Part.COMMENT, r"-->"),
        ("coded", Part.INLINE, r"`\$"),
        ("display", Part.DISPLAY, r"\$\$"),
        ("bracket", Part.DISPLAY, r"\\\]"),
        ("paren", Part.INLINE, r"\\\)"),
    ):
        if groups.get(mark):
            return until(text, part, start, inner, re.compile(ending))
    for mark, part in (("environment", Part.DISPLAY), ("verbatim", Part.CODE)):
        if groups.get(mark):
            return until(text, part, start, inner, re.compile(rf"\\end\{{{re.escape(groups[mark])}\}}"))
    if groups.get("run"):
        return within_paragraph(text, Part.CODE, start, inner, re.compile(rf"(?<!`){groups['run']}(?!`)"))
    if groups.get("inline"):
        found = within_paragraph(text, Part.INLINE, start, inner, re.compile(r"(?<!\\)\$"))
        return found if found and found.inner < found.inner_end < inner + INLINE_LIMIT else None
    if groups.get("macro") in wrappers:
        end = closed(text, inner)
        return Region(Part.DISPLAY, start, end, inner + 1, end - 1) if end > 0 else None
    return None


def until(text: str, part: Part, start: int, inner: int, ending: re.Pattern[str]) -> Region | None:
    """The stretch from an opening to the next mark that ends it."""
    found = ending.search(text, inner)
    return Region(part, start, found.end(), inner, found.start()) if found else None


def within_paragraph(text: str, part: Part, start: int, inner: int, ending: re.Pattern[str]) -> Region | None:
    """The same, if no empty line stands between."""
    found = until(text, part, start, inner, ending)
    return found if found and not re.search(r"\n[ \t]*\n", text[inner : found.inner_end]) else None


def formulas_of(text: str, name: str) -> Iterator[Region]:
    """The formulas of a text, in order."""
    return (region for region in regions_of(text, name) if region.part in (Part.DISPLAY, Part.INLINE))


HEADING = re.compile(r"\s{0,3}#{1,6}\s|\s*<h[1-6]\b|\*\*[^*\n]+\*\*[:.]?\s*$", re.IGNORECASE)
TEX_HEADING = re.compile(r"\s*\\(?:part|chapter|section|subsection|subsubsection|paragraph|newslide|frametitle)\b")
TEX_FRAME = re.compile(
    r"\s*(?:\\(?:documentclass|usepackage|begin|end|item|maketitle|title|author|date|label|input|bibliography)\b|$)"
)
ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)]|[a-z][.)])\s")
TAIL = re.compile(r"[ \t]*[.,;:]?[ \t]*(?:\{[^{}\n]*\})?[ \t]*(?:\n|$)")
HEAD = re.compile(r"[ \t>]*$")


@lru_cache(maxsize=256)
def blocks_of(text: str, name: str) -> tuple[Block, ...]:
    """The blocks of a text, in order; empty lines belong to none."""
    return tuple(blocks_in(text, name))


def blocks_in(text: str, name: str) -> Iterator[Block]:
    """The same, one after another."""
    tex = is_tex(name)
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    regions = [region for region in regions_of(text, name) if region.part is not Part.INLINE]
    alone = {line_of(starts, region.start): region for region in regions if stands_alone(text, region)}
    spans = {line_of(starts, region.start): line_of(starts, region.end - 1) for region in regions}
    heading = TEX_HEADING if tex else HEADING

    def line(number: int) -> str:
        return text[starts[number] : starts[number + 1] if number + 1 < len(starts) else len(text)]

    def end_of(number: int) -> int:
        return starts[number + 1] if number + 1 < len(starts) else len(text)

    number = 0
    while number < len(starts):
        first, own = number, line(number)
        if not own.strip():
            number += 1
            continue
        if first in alone:
            region = alone[first]
            last = line_of(starts, region.end - 1)
            yield Block(Kind.DISPLAY if region.part is Part.DISPLAY else Kind.SILENT, starts[first], end_of(last))
            number = last + 1
            continue
        if heading.match(own) or (tex and TEX_FRAME.match(own)):
            last = spans.get(first, first)
            yield Block(Kind.HEADING if heading.match(own) else Kind.SILENT, starts[first], end_of(last))
            number = last + 1
            continue
        kind = Kind.TABLE if own.lstrip().startswith("|") else Kind.ITEM if ITEM.match(own) else Kind.PROSE
        last = spans.get(first, first)
        while last + 1 < len(starts):
            following = line(last + 1)
            if not following.strip() or last + 1 in alone or heading.match(following):
                break
            if kind is not Kind.TABLE and (ITEM.match(following) or (tex and TEX_FRAME.match(following))):
                break
            last = max(last + 1, spans.get(last + 1, 0))
        yield Block(kind, starts[first], end_of(last))
        number = last + 1


def line_of(starts: list[int], position: int) -> int:
    """The number of the line of a position, from 0."""
    return bisect_right(starts, position) - 1


def stands_alone(text: str, region: Region) -> bool:
    """Whether nothing but punctuation stands on the lines of a stretch."""
    before = text[text.rfind("\n", 0, region.start) + 1 : region.start]
    return bool(HEAD.match(before)) and (text[region.end - 1] == "\n" or bool(TAIL.match(text, region.end)))
