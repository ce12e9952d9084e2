"""A user's mistake as a message and an exit code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

from indexcalc.cli import terminal
from indexcalc.errors import IndexCalcError

REFUTED, MISTAKE, INTERRUPTED = 1, 2, 130


@contextmanager
def mistakes_reported() -> Iterator[None]:
    """Turn a user's mistake into a message and an exit code, without a traceback."""
    try:
        yield
    except IndexCalcError as error:
        terminal.show_error(Console(stderr=True), str(error))
        raise typer.Exit(MISTAKE) from error
    except KeyboardInterrupt as error:
        terminal.show_error(Console(stderr=True), "interrupted; nothing was written")
        raise typer.Exit(INTERRUPTED) from error
