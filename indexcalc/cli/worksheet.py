"""``indexcalc worksheet``: a derivation worked out by hand with real numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from indexcalc.cli import terminal
from indexcalc.errors import IndexCalcError
from indexcalc.language import load_problem
from indexcalc.library import find_spec
from indexcalc.rewrite.derive import derive
from indexcalc.worksheet import ValuesError, load_values, worksheet
from indexcalc.writing import write

MISTAKE = 2
VALUES_FILE = "values.toml"
"""The values that lie beside a spec, taken if none are given."""

MAX_DIGITS = 15
"""As many significant digits as a double has."""


def write_worksheet(
    spec: Annotated[str, typer.Argument(metavar="NAME|PATH", help="A shipped derivation, or the path of a spec.")],
    values: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The numbers, in TOML; values.toml beside the spec by default.")
    ] = None,
    digits: Annotated[int, typer.Option(min=1, max=MAX_DIGITS, help="Significant digits of every number.")] = 4,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Where the sheet goes, instead of here.")] = None,
) -> None:
    """Work a derivation out with real numbers: every entry of both passes, then the update."""
    try:
        path = find_spec(spec)
        problem = load_problem(path)
        source = path.with_name(VALUES_FILE) if values is None else values
        if values is None and not source.is_file():
            raise ValuesError(f"there is no {VALUES_FILE} beside {path}; give the numbers with --values FILE")
        sheet = worksheet(derive(problem), load_values(source, problem), digits=digits)
        if out is None:
            typer.echo(terminal.printable(sheet), nl=False)
        else:
            (written,) = write({out.name: sheet}, out.parent)
            terminal.show_summary(Console(), "written", str(written))
    except IndexCalcError as error:
        terminal.show_error(Console(stderr=True), str(error))
        raise typer.Exit(MISTAKE) from error
