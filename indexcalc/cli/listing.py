"""``indexcalc list``: what comes with the package."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console

from indexcalc.cli import terminal
from indexcalc.cli.mistakes import mistakes_reported
from indexcalc.library import shipped


def list_shipped(
    as_json: Annotated[bool, typer.Option("--json", help="Names and titles as JSON.")] = False,
) -> None:
    """List the shipped derivations."""
    with mistakes_reported():
        if as_json:
            found = [{"name": entry.name, "title": entry.title} for entry in shipped()]
            typer.echo(json.dumps(found, indent=2, ensure_ascii=False))
            return
        terminal.show_table(Console(), ((entry.name, entry.title) for entry in shipped()))
