"""``indexcalc worksheet``: a derivation worked out by hand with real numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from indexcalc.cli import terminal
from indexcalc.cli.inputs import GIVEN, Inputs, shipped_names
from indexcalc.cli.mistakes import mistakes_reported
from indexcalc.rewrite.derive import derive
from indexcalc.worksheet import drawn_values, worksheet
from indexcalc.writing import write

MAX_DIGITS = 15
"""As many significant digits as a double has."""


def write_worksheet(
    spec: Annotated[str, typer.Argument(metavar="NAME|PATH", help=GIVEN, autocompletion=shipped_names)],
    values: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The numbers, in TOML; values.toml beside the spec by default.")
    ] = None,
    digits: Annotated[int, typer.Option(min=1, max=MAX_DIGITS, help="Significant digits of every number.")] = 4,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where the sheet goes, instead of here.")] = None,
    draw: Annotated[bool, typer.Option("--draw", help="Write small numbers to start from, in TOML.")] = False,
) -> None:
    """Work a derivation out with real numbers: every entry of both passes, then the update."""
    with mistakes_reported():
        inputs = Inputs()
        with terminal.Progress() as progress:
            progress("working the derivation out")
            problem = inputs.problem(spec)
            if draw:
                sheet = drawn_values(problem)
            else:
                sheet = worksheet(derive(problem), inputs.values(values, spec, problem), digits=digits)
        if out is None:
            typer.echo(terminal.printable(sheet), nl=False)
        else:
            (written,) = write({out.name: sheet}, out.parent)
            terminal.show_summary(Console(), "written", str(written))
