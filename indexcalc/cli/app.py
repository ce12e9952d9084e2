"""The program: ``indexcalc derive attention``, ``indexcalc check note.md``; each command is a module of its own.

Exit codes: 0 if all went well; 1 if the generated code failed its check or a relation is refuted; 2 for a mistake
in what was given; 130 if interrupted.
"""

from __future__ import annotations

import atexit
import gc
import sys
from typing import Annotated

import typer

from indexcalc.cli.lazy import LazyCommands
from indexcalc.cli.version import package_version

ABOUT = "Write a forward pass in index notation; get its backward pass derived, explained, coded and checked."

app = typer.Typer(
    name="indexcalc",
    cls=LazyCommands,
    help=ABOUT,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run the command line; a terminal that lacks a character gets its escape instead of an error."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    collect_rarely()
    app()


def collect_rarely() -> None:
    """Look for garbage seldom: a derivation is a large tree without circles, which each look walks through.

    What a command imports is a quarter of a million objects, and none of them is garbage. At the end
    of the process all memory is given back at once.
    """
    gc.freeze()
    gc.set_threshold(500_000, 20, 100)
    atexit.register(gc.freeze)


def show_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        typer.echo(f"indexcalc {package_version()}")
        raise typer.Exit


@app.callback(help=ABOUT)
def options(
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=show_version, is_eager=True)
    ] = False,
) -> None:
    """Options that come before the command."""
