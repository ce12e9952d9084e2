"""A text with some places replaced, and where each position of it has gone."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, order=True)
class Edit:
    """A place of a text, and what stands there afterwards."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Edited:
    """A text and its edits, in order; no two of them overlap."""

    source: str
    edits: tuple[Edit, ...]

    @cached_property
    def text(self) -> str:
        """The text afterwards."""
        pieces: list[str] = []
        done = 0
        for edit in self.edits:
            pieces += (self.source[done : edit.start], edit.text)
            done = edit.end
        return "".join((*pieces, self.source[done:]))

    @cached_property
    def shifts(self) -> tuple[int, ...]:
        """How far what stands behind each edit has moved."""
        total, found = 0, []
        for edit in self.edits:
            total += len(edit.text) - (edit.end - edit.start)
            found.append(total)
        return tuple(found)

    def moved(self, position: int) -> int | None:
        """Where a position is afterwards; None if it was taken out."""
        number = bisect_right(self.edits, position, key=lambda edit: edit.start) - 1
        if number < 0:
            return position
        edit = self.edits[number]
        if position >= edit.end:
            return position + self.shifts[number]
        if not edit.text:
            return None
        start = edit.start + (self.shifts[number - 1] if number else 0)
        return start + min(position - edit.start, len(edit.text))


def edited(source: str, edits: Iterable[Edit]) -> Edited:
    """The text with edits, in order; an edit that changes nothing, or overlaps one before it, is left out."""
    kept: list[Edit] = []
    for edit in sorted(edits):
        if source[edit.start : edit.end] != edit.text and not (kept and edit.start < kept[-1].end):
            kept.append(edit)
    return Edited(source, tuple(kept))
