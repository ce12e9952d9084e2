"""A user's mistake as a message and an exit code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import typer
from rich.console import Console

from indexcalc.cli import terminal
from indexcalc.errors import IndexCalcError

REFUTED, MISTAKE, INTERRUPTED = 1, 2, 130

Given = TypeVar("Given")


@contextmanager
def mistakes_reported() -> Iterator[None]:
    """Turn a user's mistake into a message and an exit code, without a traceback."""
    try:
        yield
    except IndexCalcError as error:
        terminal.show_error(Console(stderr=True), error)
        raise typer.Exit(MISTAKE) from error
    except KeyboardInterrupt as error:
        terminal.show_error(Console(stderr=True), "interrupted; nothing was written")
        raise typer.Exit(INTERRUPTED) from error


def each(givens: Iterable[Given], work: Callable[[Given], int]) -> int:
    """Do the work for each of what is given; a mistake in one is shown, and the others are done all the same.

    Args:
        givens: what was given.
        work: does it for one, and says the exit code.

    Returns:
        The worst exit code.
    """
    worst = 0
    for given in givens:
        try:
            worst = max(worst, work(given))
        except IndexCalcError as error:
            terminal.show_error(Console(stderr=True), error)
            worst = max(worst, MISTAKE)
    return worst
