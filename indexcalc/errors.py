"""Every error a user can cause: one class a kind of mistake, one base class for all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

EXCERPT_LIMIT = 160
"""The most characters of a line that an error shows."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a source text something stands: file, 1-based line and column, the line itself."""

    file: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def excerpt(self, limit: int = EXCERPT_LIMIT) -> str:
        """The source line with a caret below the place, indented by two spaces; of a long line the part around it.

        Args:
            limit: the most characters of the line that are shown.
        """
        start = 0 if len(self.text) <= limit else max(0, self.column - 1 - limit // 2)
        shown = self.text[start : start + limit]
        before, after = "…" if start else "", "…" if start + limit < len(self.text) else ""
        lead = "".join("\t" if character == "\t" else " " for character in self.text[start : self.column - 1])
        return f"  {before}{shown}{after}\n  {' ' * len(before)}{lead}^"


class IndexCalcError(ValueError):
    """A mistake in what the user gave: the message says what was found and what would be right.

    Attributes:
        message: the mistake in words.
        place: where it stands, if it stands in a text.
    """

    def __init__(self, message: str, place: Place | None = None) -> None:
        self.message = message
        self.place = place
        super().__init__(message if place is None else f"{place}: {message}\n{place.excerpt()}")


@contextmanager
def placed(place: Place | None) -> Iterator[None]:
    """Give a place to the mistakes found inside that have none."""
    try:
        yield
    except IndexCalcError as error:
        if place is None or error.place is not None:
            raise
        raise type(error)(error.message, place) from error


class SpecError(IndexCalcError):
    """A mistake in a spec text."""


class ProgramError(IndexCalcError):
    """A program that is not well formed: an undefined tensor, an extent clash, a free index that is missing."""


class UnsupportedError(IndexCalcError):
    """A request that is understood, but that this version cannot fulfil."""


class UndefinedError(UnsupportedError):
    """A formula that has no value at the extents or parameters given."""


class LimitError(IndexCalcError):
    """A bound on size or work was met; the message names the bound."""
