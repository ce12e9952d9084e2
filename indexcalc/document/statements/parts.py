"""Parts of a document that a context names: what stands below a heading, and what stands on some lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from indexcalc.document.statements.context import Scope
from indexcalc.document.statements.outline import Side, Statement
from indexcalc.errors import SpecError
from indexcalc.language.document import Document

LEVELS = {"part": 0, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5}
"""How deep LaTeX's headings stand."""

HEADING = re.compile(
    r"^ {0,3}(?P<marks>\#{1,6})\s+(?P<markdown>.*?)\s*\#*\s*$"
    rf"|\\(?P<command>{'|'.join(LEVELS)})\*?\{{(?P<latex>.*)\}}"
    r"|<h(?P<level>[1-6])[^>]*>(?P<html>.*?)</h[1-6]>",
    re.MULTILINE | re.IGNORECASE,
)
FENCED = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its words, its level (0 the highest), and where it starts."""

    text: str
    level: int
    start: int


def headings(document: Document) -> Iterator[Heading]:
    """The headings of a document in order; lines of code are none."""
    fences = [match.span() for match in FENCED.finditer(document.source)]
    for match in HEADING.finditer(document.source):
        if any(start <= match.start() < end for start, end in fences):
            continue
        if match["marks"]:
            yield Heading(words(match["markdown"]), len(match["marks"]), match.start())
        elif match["command"]:
            yield Heading(words(match["latex"]), LEVELS[match["command"].lower()], match.start())
        else:
            yield Heading(words(match["html"]), int(match["level"]), match.start())


def words(text: str) -> str:
    """The words of a heading, without marks of fonts."""
    return " ".join(re.sub(r"<[^>]*>|\\[A-Za-z]+|[*_`{}$]", " ", text).split()).casefold()


def lines_of(document: Document, scope: Scope) -> tuple[int, int]:
    """The first line of a part of a document, and the first one behind it.

    Raises:
        SpecError: if the document does not have the part.
    """
    if scope.heading:
        start, end = (document.place(place)[0] for place in part_below(document, scope.heading))
        return start, end
    first, last = scope.lines
    count = document.source.count("\n") + 1
    if last > count:
        raise SpecError(f"scope lines {first}-{last}: {document.name} has {count} lines")
    return first, last + 1


def part_below(document: Document, heading: str) -> tuple[int, int]:
    """Where the part below a heading starts and ends: it lasts to the next heading of its level or a higher one.

    Raises:
        SpecError: if no heading has these words, or several have; the message names those there are.
    """
    every = list(headings(document))
    found = [one for one in every if one.text == words(heading)]
    if len(found) != 1:
        known = ", ".join(f'"{one.text}"' for one in every) or "none"
        number = "no heading" if not found else f"{len(found)} headings"
        raise SpecError(f'scope "{heading}": {number} of {document.name} have these words; its headings are {known}')
    (one,) = found
    after = (other.start for other in every if other.start > one.start and other.level <= one.level)
    return one.start, next(after, len(document.source))


def set_aside(
    document: Document, statements: list[Statement], lines: list[tuple[int, int]]
) -> tuple[list[Statement], list[tuple[Statement, Side]]]:
    """The statements without the members that stand on some lines, and these members.

    Raises:
        SpecError: if no relation stands on the lines.
    """
    kept: list[Statement] = []
    aside: list[tuple[Statement, Side]] = []
    found: set[tuple[int, int]] = set()
    for statement in statements:
        sides = []
        for number, side in enumerate(statement.sides):
            line = document.place(side.start)[0]
            here = [span for span in lines if span[0] <= line <= span[1]]
            if number and here:
                found.update(here)
                aside.append((statement, side))
            else:
                sides.append(side)
        kept.append(statement if len(sides) == len(statement.sides) else replace(statement, sides=sides))
    for first, last in lines:
        if (first, last) not in found:
            raise SpecError(f"schematic lines {first}-{last}: no relation of {document.name} stands there")
    return kept, aside
