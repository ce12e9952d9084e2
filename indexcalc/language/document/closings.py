"""What closes what is open: each text is searched once from left to right, however many openings it has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Closings:
    """Searches in one text from positions that only grow: what was found, or not found, is not sought again."""

    text: str
    found: dict[re.Pattern[str], tuple[int, re.Match[str] | None]] = field(default_factory=dict)

    def after(self, pattern: re.Pattern[str], position: int) -> re.Match[str] | None:
        """The first match that starts at a position or behind it."""
        known = self.found.get(pattern)
        if known is not None and known[0] <= position and (known[1] is None or known[1].start() >= position):
            return known[1]
        match = pattern.search(self.text, position)
        self.found[pattern] = (position, match)
        return match


def enclosed(
    text: str, opening: re.Pattern[str], closing: re.Pattern[str]
) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Each opening with its closing; openings before that closing are part of what it holds."""
    position = 0
    while (opened := opening.search(text, position)) and (closed := closing.search(text, opened.end())):
        yield opened, closed
        position = closed.end()
