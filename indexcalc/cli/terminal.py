"""What a person reads on the terminal: lines of styled text, never truncated, and progress that comes late."""

from __future__ import annotations

import textwrap
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType

from rich.console import Console
from rich.status import Status
from rich.text import Text

from indexcalc.errors import EXCERPT_LIMIT, IndexCalcError

PATIENCE = 1.0
"""Seconds before progress is shown."""

LABEL = 8
"""The width of the labels of summaries, with a blank."""

BELOW = 4
"""The indent of what stands below its name, where there is no room beside it."""

NARROWEST = 24
"""The fewest columns in which words are wrapped."""

EXCERPT_MARGIN = 6
"""What stands beside an excerpt: its indent, and the marks where a line goes on."""


def printable(text: str) -> str:
    """The text with everything that could steer a terminal written as an escape; it may come from a stranger."""
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


def show(console: Console, *parts: str | tuple[str, str]) -> None:
    """Print one line of plain or ``(text, style)`` parts; the terminal wraps it, nothing cuts it."""
    line = Text()
    for part in parts:
        if isinstance(part, str):
            line.append(printable(part))
        else:
            line.append(printable(part[0]), style=part[1])
    console.print(line, soft_wrap=True, highlight=False)


def show_formula(console: Console, formula: str) -> None:
    """Print an equation with its left side made to stand out."""
    left, equals, right = formula.partition(" = ")
    show(console, "  ", (left, "bold cyan"), equals, right)


def show_words(console: Console, lead: tuple[str, str], text: str, indent: int) -> None:
    """Print words behind a lead; where a terminal ends its lines, the next ones are indented alike.

    A pipe gets one line, and so does what has no room beside the indent.
    """
    width = console.width - indent
    lines = [text]
    if console.is_terminal and width >= NARROWEST:
        lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
    show(console, lead, ("\n" + " " * indent).join(lines))


def show_table(console: Console, rows: Iterable[tuple[str, str]]) -> None:
    """Print two columns; the first is as wide as it needs to be. Where a terminal has no room for the second, below."""
    rows = tuple(rows)
    width = max((len(name) for name, _ in rows), default=0)
    narrow = console.is_terminal and console.width - width - 2 < NARROWEST
    for name, text in rows:
        if narrow:
            show(console, (name, "bold cyan"))
            show_words(console, (" " * BELOW, ""), text, BELOW)
        else:
            show_words(console, (f"{name.ljust(width)}  ", "bold cyan"), text, width + 2)


def show_error(console: Console, error: IndexCalcError | str) -> None:
    """Print an error: the message, then its place, of which a terminal gets as much as fits into a line."""
    place = error.place if isinstance(error, IndexCalcError) else None
    message = error.message if isinstance(error, IndexCalcError) else error
    show_words(console, ("error: ", "bold red"), message if place is None else f"{place}: {message}", len("error: "))
    if place is not None:
        room = max(NARROWEST, console.width - EXCERPT_MARGIN) if console.is_terminal else EXCERPT_LIMIT
        show(console, place.excerpt(min(room, EXCERPT_LIMIT)))


def sizes_text(sizes: Mapping[str, int]) -> str:
    """``T=3, d=5``."""
    return ", ".join(f"{extent}={size}" for extent, size in sizes.items())


def counted(number: int, noun: str) -> str:
    """``1 gradient``, ``5 gradients``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def paths_text(paths: Iterable[Path]) -> str:
    """The folder and the files in it."""
    paths = tuple(paths)
    return f"{paths[0].parent}: {', '.join(path.name for path in paths)}"


def show_summary(console: Console, label: str, text: str, *, ok: bool = True) -> None:
    """Print one line of the summary."""
    lead = f"{label:7} "
    show_words(console, (lead, "bold green" if ok else "bold red"), text, LABEL if len(lead) == LABEL else 2)


class Progress:
    """A line on the terminal that says what is going on, if it takes longer than `PATIENCE`.

    It goes to standard error, so that a pipe gets nothing of it; nothing is printed while it may be there.
    """

    def __init__(self, console: Console | None = None) -> None:
        console = console or Console(stderr=True)
        self.status = Status("", console=console)
        self.timer = threading.Timer(PATIENCE, self.status.start)
        self.timer.daemon = True
        self.visible = console.is_terminal

    def __enter__(self) -> Progress:
        if self.visible:
            self.timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.visible:
            self.timer.cancel()
            self.timer.join()
            self.status.stop()

    def __call__(self, doing: str) -> None:
        """Say what is going on now."""
        self.status.update(doing)
