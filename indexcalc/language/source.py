"""The text that errors point into: a place is file, line, column and the line itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches

from indexcalc.errors import IndexCalcError, Place, SpecError
from indexcalc.language.syntax import At


@dataclass(frozen=True, slots=True)
class Source:
    """A spec text, by lines; no lines at all for a program that was built in Python."""

    file: str
    lines: tuple[str, ...] = ()

    def error(self, message: str, at: At | None) -> SpecError:
        """The mistake, with its place if it stands in a text."""
        return SpecError(message, None if at is None else self.place(at))

    def place(self, at: At) -> Place:
        """The place with its line."""
        text = self.lines[at.line - 1] if 0 < at.line <= len(self.lines) else ""
        return Place(self.file, at.line, at.column, text)

    @contextmanager
    def located(self, at: At | None) -> Iterator[None]:
        """Give a place to the errors that the algebra raises inside."""
        try:
            yield
        except SpecError:
            raise
        except IndexCalcError as error:
            place = error.place or (None if at is None else self.place(at))
            raise SpecError(error.message, place) from error

    @contextmanager
    def within(self, what: str) -> Iterator[None]:
        """Say where the mistake is, if no place in a text says it."""
        try:
            yield
        except SpecError as error:
            if error.place is not None:
                raise
            raise SpecError(f"in {what}: {error.message}") from error


def line_of(at: At | None) -> str:
    """`` (line 3)``, or nothing where there is no text."""
    return "" if at is None else f" (line {at.line})"


def suggestion(name: str, known: Collection[str]) -> str:
    """``; did you mean X?`` for the nearest of `known`, or what is known, or nothing."""
    near = sorted(other for other in known if other.casefold() == name.casefold())
    near = near or get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    if near:
        return f"; did you mean {near[0]}?"
    return f"; known are {', '.join(sorted(known))}" if 0 < len(known) <= 12 else ""
