"""The sections of a page: where they are, what stands in one unit, and which of them may stand alone."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

from indexcalc.document.choices import Choice, Kind, Option, choice
from indexcalc.language.document import Document
from indexcalc.language.document.sections import ITEM

Range = tuple[int, int]
"""Where a section starts and ends."""

RENEWED = 2
"""How many names that others give a section at least gives that may stand alone."""

UNIT = re.compile(r"\||\\item\b|[-*+] |\d+[.)] |<(?:tr|li|td)\b")
"""How the line of an item or a row begins."""

EXAMPLES = re.compile(
    r"^\s*\*\*(?:e\.?g\.?|ex|example|exercise|problem|question|beispiel|aufgabe|exemple|ejemplo|例题?|练习)\s*"
    r"(?:\d[\d.]*[^*\n]*\*\*|\*\*\s*\d)"
    r"|\\(?P<mark>begin|end)\{(?:example|exercise|problem|question|ex)\*?\}",
    re.IGNORECASE | re.MULTILINE,
)
"""How examples and exercises begin, and how environments of them end: each may give names anew."""

PROPERTIES = {
    "symmetric": re.compile(
        r"(?<!not )(?<!non-)(?<!skew-)(?<!skew )(?<!a)symmetric"
        r"|positive[- ](?:semi-?)?definite|covariance|hessian|\bspd\b|\bpsd\b"
    ),
    "orthogonal": re.compile(r"\borthogonal\b|\borthonormal\b|\brotation matri"),
}
"""The words that speak of a property of matrices; they say that it is likely, and never that it holds."""


@dataclass(frozen=True)
class Surroundings:
    """What is around a place of a document.

    Attributes:
        section: where its section starts and ends.
        standing: the widest section around it that may stand alone; None if none does.
        unit: the item of a list or the row of a table; else empty.
    """

    section: Range
    standing: Range | None
    unit: str


@dataclass(frozen=True)
class Sections:
    """The sections of a document, and what they give.

    Attributes:
        document: the text.
        given: the names that are defined or declared, each with its place.
        properties: those of which the words of a section speak, as far as they were looked for.
    """

    document: Document
    given: tuple[tuple[int, str], ...]
    properties: dict[int, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where sections start."""
        return (0, *(start for start, _ in self.document.headings if start > 0))

    def around(self, position: int) -> Range:
        """Where the section around a position starts and ends."""
        number = max(1, bisect_right(self.starts, position))
        end = self.starts[number] if number < len(self.starts) else len(self.document.source)
        return self.starts[number - 1], end

    def reach_of_table(self, position: int) -> int:
        """Where the part ends for which a table at a position speaks: that to which its own section belongs."""
        headed = (part for part in self.parts if part[0] < ITEM - 1)
        ends = [end for _, start, end in headed if start <= position < end]
        return ends[-2] if len(ends) > 1 else len(self.document.source)

    def unit(self, position: int) -> str:
        """The line of a position where it is an item of a list or a row of a table; else empty."""
        line, _ = self.document.place(position)
        text = self.document.line_text(line).lstrip()
        return f"{line}" if UNIT.match(text) else ""

    def example(self, position: int) -> int:
        """Where the example around a position starts; -1 outside of examples."""
        return next((start for start, end in reversed(self.examples) if start <= position < end), -1)

    @cached_property
    def examples(self) -> tuple[Range, ...]:
        """Examples and exercises: in LaTeX environments, in Markdown from a bold word with a number to the next one."""
        found: list[Range] = []
        for match in EXAMPLES.finditer(self.document.source):
            start = match.start()
            if found and found[-1][1] > start:
                found[-1] = found[-1][0], start
            if match["mark"] != "end":
                end = self.around(start)[1] if match["mark"] is None else len(self.document.source)
                found.append((start, end))
        return tuple(found)

    def said(self, position: int) -> frozenset[str]:
        """The properties of matrices of which the words of the section around a position speak."""
        start, end = self.around(position)
        if start not in self.properties:
            words = self.document.source[start:end].lower()
            self.properties[start] = frozenset(name for name, pattern in PROPERTIES.items() if pattern.search(words))
        return self.properties[start]

    def standing(self, position: int) -> Range | None:
        """The widest section around a position that may stand alone; None if none does."""
        return next(((start, end) for start, end in self.renewing if start <= position < end), None)

    def surroundings(self, position: int) -> Surroundings:
        """What is around a position."""
        return Surroundings(self.around(position), self.standing(position), self.unit(position))

    @cached_property
    def renewing(self) -> tuple[Range, ...]:
        """The sections that may stand alone, the widest first: they give names which others give too.

        Where two of a level do so, all of that level may.
        """
        found: list[tuple[int, int, int]] = []
        anew = Counter[int]()
        for level, start, end in self.parts:
            own = {name for place, name in self.given if start <= place < end}
            if len(own & {name for place, name in self.given if not start <= place < end}) >= RENEWED:
                found.append((level, start, end))
                anew[level] += 1
        found += [part for part in self.parts if anew[part[0]] > 1 and part not in found]
        return tuple((start, end) for _, start, end in sorted(found, key=lambda part: part[1] - part[2]))

    @cached_property
    def parts(self) -> tuple[tuple[int, int, int], ...]:
        """The level of each section, and where it starts and ends, those below it too."""
        sections = self.document.sections
        after = (
            (one.start for one in sections[number + 1 :] if one.level <= section.level)
            for number, section in enumerate(sections)
        )
        end = len(self.document.source)
        return tuple((one.level, one.start, next(rest, end)) for one, rest in zip(sections, after, strict=True))

    def alike(self, section: Range) -> tuple[Range, ...]:
        """The other sections that may stand alone of the level of one."""
        levels = {(start, end): level for level, start, end in self.parts}
        return tuple(one for one in self.renewing if one != section and levels[one] == levels[section])

    def standing_choice(self, section: Range) -> Choice:
        """Whether a section that gives names which others give too stands alone."""
        where = f"the section at line {self.document.place(section[0])[0]}"
        return choice(
            Kind.SECTION,
            where,
            Option("continues", 0.0, f"{where} goes on with what others say"),
            Option("alone", 0.1, f"{where} stands alone"),
        )
