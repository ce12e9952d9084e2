"""What the blocks of one page share: notation, colours, levels, and the pictures so far."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import count

from indexcalc.algebra.terms import Index
from indexcalc.notes.blocks import Code, Display, Spans
from indexcalc.notes.changes import CHANGED_MARK
from indexcalc.notes.collapses import COLLAPSE_MARK, SUM_MARK
from indexcalc.notes.levels import Level, Levels
from indexcalc.notes.listing import NO_CODE, Listing
from indexcalc.notes.mathml import display_mathml, mathml
from indexcalc.notes.names import DELTA_MARK, Notation, index_mark
from indexcalc.notes.network_svg import network_svg
from indexcalc.notes.pictures import Gallery, Picture
from indexcalc.notes.render import display_latex, spans_text


@dataclass(frozen=True)
class Page:
    """What the blocks of one page share.

    Attributes:
        notation: how names are printed, with marks.
        numbers: the number of every index that was shown, by its mark: what its colour is made from.
        anchors: the number of the block that tells about a tensor, by the tensor's name.
        levels: the levels of the page, from least to most.
        galleries: the pictures so far, of the brief note and of the full one.
        listing: the code of the equations.
        follows: the formula that a block's formula follows from, by the number of the block.
        pictures: numbers for the ids of pictures.
    """

    notation: Notation
    numbers: dict[str, int]
    anchors: Mapping[str, int]
    levels: tuple[Level, ...]
    galleries: Mapping[Level, Gallery]
    listing: Listing = NO_CODE
    follows: Mapping[int, Display] = field(default_factory=dict)
    pictures: Iterator[int] = field(default_factory=count)

    def attributes(self, mark: str) -> str:
        """What the tag of a marked symbol carries: a sum its number, a delta that collapses one that number too."""
        if mark == DELTA_MARK:
            return 'class="delta"'
        if mark == CHANGED_MARK:
            return 'class="changed"'
        if mark.startswith(SUM_MARK):
            return f'data-sum="{mark.removeprefix(SUM_MARK)}"'
        if mark.startswith(COLLAPSE_MARK):
            number, _, index = mark.removeprefix(COLLAPSE_MARK).partition(":")
            return f'class="collapses" data-collapses="{number}" data-killed="{self.index_class(index)}"'
        return f'class="index {self.index_class(mark)}"'

    def index_class(self, mark: str) -> str:
        """The class of an index; one that is new gets the next number."""
        return f"i{self.numbers.setdefault(mark, len(self.numbers))}"

    def colour_class(self, index: Index) -> str:
        """The class of an index in a picture."""
        return self.index_class(index_mark(index))

    def formula(self, latex: str) -> str:
        """A formula in running text."""
        return mathml(latex, self.attributes)

    def display(self, latex: str, name: str = "", before: str = "") -> str:
        """A formula on lines of its own, which can be moved sideways where the screen is narrow."""
        anchor = f' id="{name}"' if name else ""
        return f'<div class="display"{anchor}>{display_mathml(latex, self.attributes, before)}</div>'

    def shown_at(self, levels: Levels) -> str:
        """The attributes of what is shown at some levels; without a script the page is as it is at its last one."""
        if levels >= frozenset(self.levels):
            return ""
        names = " ".join(level for level in self.levels if level in levels)
        return f' data-levels="{names}"{"" if self.levels[-1] in levels else " hidden"}'

    def picture(self, found: Picture | None, attributes: str = "") -> str:
        """The tensor diagram of an equation, if it has one; it can be moved sideways where the screen is narrow."""
        if found is None:
            return ""
        svg = network_svg(
            found.drawing,
            found.title,
            found.said,
            f"net{next(self.pictures)}",
            self.colour_class,
        )
        return f'\n<div class="drawing"{attributes}>\n{svg}\n</div>'

    def pictured(self, display: Display, levels: Levels, name: str = "", before: Display | None = None) -> str:
        """A formula on lines of its own, with its picture below it; the full note may have another than the brief.

        What is new in it, compared with the formula `before`, is marked.
        """
        found = {level: gallery.picture(display) for level, gallery in self.galleries.items() if level in levels}
        formula, earlier = (display_latex(one, self.notation) if one is not None else "" for one in (display, before))
        formula = self.display(formula, name, earlier)
        if len(set(found.values())) < 2:
            return formula + self.picture(next(iter(found.values()), None))
        own = {level: levels - {Level.FULL} if level is Level.BRIEF else frozenset((level,)) for level in found}
        return formula + "".join(self.picture(found[level], self.shown_at(own[level])) for level in found)

    def text(self, spans: Spans) -> str:
        """Running text."""
        return "".join(
            f"<code>{escape(span.text)}</code>"
            if isinstance(span, Code)
            else spans_text((span,), self.notation, plain, self.formula)
            for span in spans
        )


def plain(text: str) -> str:
    """Text between formulas: what could be markup is escaped, blanks are joined."""
    return escape(re.sub(r"\s+", " ", text))
