"""``indexcalc list``: what comes with the package."""

from __future__ import annotations

from rich.console import Console

from indexcalc.cli import terminal
from indexcalc.cli.mistakes import mistakes_reported
from indexcalc.library import shipped


def list_shipped() -> None:
    """List the shipped derivations."""
    with mistakes_reported():
        terminal.show_table(Console(), ((entry.name, entry.title) for entry in shipped()))
