"""Places as editors count them: lines, and units of the encoding that editor and server agreed upon."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property

UNITS: dict[str, Callable[[str], int]] = {
    "utf-8": lambda text: len(text.encode("utf-8", "surrogatepass")),
    "utf-16": lambda text: len(text.encode("utf-16-le", "surrogatepass")) // 2,
    "utf-32": len,
}
"""How long a text is, by the encoding."""


class Positions:
    """The lines of a text; offsets count its characters with line feeds at the ends of all lines."""

    def __init__(self, text: str, encoding: str) -> None:
        self.text = plain(text)
        self.units = UNITS[encoding]

    @cached_property
    def starts(self) -> list[int]:
        """Where each line starts."""
        return [0, *(number + 1 for number, sign in enumerate(self.text) if sign == "\n")]

    def line(self, number: int) -> str:
        """A line, counted from 0; empty behind the last one."""
        if number >= len(self.starts):
            return ""
        end = self.starts[number + 1] - 1 if number + 1 < len(self.starts) else len(self.text)
        return self.text[self.starts[number] : end]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and units before an offset."""
        offset = max(0, min(offset, len(self.text)))
        number = bisect_right(self.starts, offset) - 1
        return number, self.units(self.text[self.starts[number] : offset])

    def offset(self, number: int, units: int) -> int:
        """The offset of a position; behind the end of a line is its end."""
        if number >= len(self.starts):
            return len(self.text)
        line, seen = self.line(number), 0
        for place, sign in enumerate(line):
            if seen >= units:
                return self.starts[number] + place
            seen += self.units(sign)
        return self.starts[number] + len(line)

    def of_place(self, line: int, column: int) -> int:
        """The offset of a line and a column that count characters from 1."""
        number = min(max(line, 1), len(self.starts)) - 1
        return self.starts[number] + min(max(column, 1) - 1, len(self.line(number)))


def plain(text: str) -> str:
    """The text with line feeds at the ends of lines."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
