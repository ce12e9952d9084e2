"""``indexcalc cost``: operations, bytes moved and peak memory of a derivation, in symbols or for given sizes."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console

from indexcalc.cli import terminal
from indexcalc.cli.cost_json import report_json
from indexcalc.cli.cost_table import cost_table, footnotes
from indexcalc.cli.inputs import GIVEN, Inputs, shipped_names
from indexcalc.cli.mistakes import mistakes_reported
from indexcalc.cost import SizesError, checked_sizes, cost_report, read_sizes
from indexcalc.rewrite.derive import derive

PIPE_WIDTH = 1_000
"""The width of a line where no terminal limits it."""


class Dtype(StrEnum):
    """The types of entries."""

    float32 = "float32"
    float64 = "float64"

    @property
    def width(self) -> int:
        """Bytes an entry."""
        return 4 if self is Dtype.float32 else 8


class Format(StrEnum):
    """How the report is written."""

    text = "text"
    json = "json"


def show_cost(
    spec: Annotated[str, typer.Argument(metavar="NAME|PATH", help=GIVEN, autocompletion=shipped_names)],
    at: Annotated[
        list[str] | None, typer.Option(metavar="SIZES", help="The size of every extent: T=4096,d=64.")
    ] = None,
    dtype: Annotated[Dtype, typer.Option(help="The type of every entry.")] = Dtype.float32,
    form: Annotated[Format, typer.Option("--format", help="A table, or JSON.")] = Format.text,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Count operations, bytes moved and peak memory of both passes, before and after simplification."""
    with mistakes_reported():
        with terminal.Progress() as progress:
            progress("counting")
            derivation = derive(Inputs().problem(spec))
            report = cost_report(derivation)
        try:
            sizes = checked_sizes(read_sizes(at), report.extents) if at is not None else None
        except SizesError as error:
            raise SizesError(f"--at: {error}") from error
        if as_json or form is Format.json:
            found = report_json(report, sizes, dtype.value, dtype.width)
            typer.echo(json.dumps(found, indent=2))
            return
        console = Console()
        if not console.is_terminal:
            console = Console(width=PIPE_WIDTH)
        terminal.show(console, (report.title or derivation.problem.slug, "bold"))
        console.print(cost_table(derivation, report, sizes, dtype.width))
        for line in footnotes(derivation, report, sizes, dtype.value, dtype.width):
            terminal.show_words(console, ("", ""), line, 0)
