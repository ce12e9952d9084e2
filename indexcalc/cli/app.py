"""The commands: ``indexcalc derive attention``, ``indexcalc list``.

Exit codes: 0 if all went well; 1 if the generated code failed its check; 2 for a mistake in what was
given; 130 if interrupted.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from indexcalc.cli import terminal
from indexcalc.cli.lazy import LazyCommands
from indexcalc.cli.style import Style, fast_options
from indexcalc.cli.version import package_version
from indexcalc.codegen import TARGETS
from indexcalc.errors import IndexCalcError
from indexcalc.generation import BrokenCodeError, checked, render
from indexcalc.language import load_problem
from indexcalc.library import find_spec, shipped
from indexcalc.notes import VIEWS, formula_text
from indexcalc.rewrite.derive import derive
from indexcalc.writing import write

REFUTED, MISTAKE, INTERRUPTED = 1, 2, 130

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
    """Look for garbage seldom: a derivation is a large tree without circles, which each look walks through."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


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


@contextmanager
def mistakes_reported() -> Iterator[None]:
    """Turn a user's mistake into a message and an exit code, without a traceback."""
    try:
        yield
    except IndexCalcError as error:
        terminal.show_error(Console(stderr=True), str(error))
        raise typer.Exit(REFUTED if isinstance(error, BrokenCodeError) else MISTAKE) from error
    except KeyboardInterrupt as error:
        terminal.show_error(Console(stderr=True), "interrupted; nothing was written")
        raise typer.Exit(INTERRUPTED) from error


@app.command("list")
def list_shipped() -> None:
    """List the shipped derivations."""
    with mistakes_reported():
        terminal.show_table(Console(), ((entry.name, entry.title) for entry in shipped()))


def chosen_views(text: str) -> tuple[str, ...]:
    """The views in a list with commas.

    Raises:
        IndexCalcError: if one is unknown.
    """
    chosen = tuple(part.strip() for part in text.split(",") if part.strip())
    for name in chosen:
        if name not in VIEWS:
            raise IndexCalcError(f"--views: there is no view {name!r}; there are {', '.join(VIEWS)}")
    return chosen


def chosen_targets(text: str) -> tuple[str, ...]:
    """The array libraries in a list with commas, each once.

    Raises:
        IndexCalcError: if one is unknown.
    """
    chosen = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    for name in chosen:
        if name not in TARGETS:
            raise IndexCalcError(f"--target: there is no target {name!r}; there are {', '.join(TARGETS)}")
    return chosen


@app.command("derive")
def derive_spec(
    spec: Annotated[str, typer.Argument(metavar="NAME|PATH", help="A shipped derivation, or the path of a spec.")],
    *,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Where the files go: out/NAME by default.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write the files even if the code fails its check.")] = False,
    views: Annotated[
        str, typer.Option(metavar="LIST", help=f"More views in the note, with commas between: {', '.join(VIEWS)}.")
    ] = "",
    target: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help=f"The array libraries to write code for, with commas between: {', '.join(TARGETS)}. "
            "NumPy's code is NAME.py, written always; that of others goes beside it, NAME_torch.py, NAME_jax.py.",
        ),
    ] = "numpy",
    style: Annotated[
        Style,
        typer.Option(
            help="`fast` writes NAME_fast.py too: NumPy code that works in blocks, over threads, with `value_and_grad`."
        ),
    ] = Style.einsum,
    at: Annotated[
        list[str] | None,
        typer.Option(metavar="SIZES", help="For --style fast: the sizes to decide for, T=4096,d=64."),
    ] = None,
    block: Annotated[
        str, typer.Option(metavar="INDEX=LENGTH", help="For --style fast: what to cut into blocks, i=256.")
    ] = "",
    cache: Annotated[
        str, typer.Option(metavar="BYTES", help="For --style fast: what one block may take, 512K or 1M.")
    ] = "",
) -> None:
    """Derive the backward pass of a forward pass: a note, NumPy code, and a check of the code."""
    start = time.perf_counter()
    console = Console()
    with mistakes_reported():
        chosen, targets = chosen_views(views), chosen_targets(target)
        with terminal.Progress(Console(stderr=True)) as progress:
            progress("reading the spec")
            problem = load_problem(find_spec(spec))
            progress("deriving the gradients")
            derivation = derive(problem)
            progress("writing the note and the code")
            fast = fast_options(style, at, block, cache, problem.program.extents)
            texts = render(derivation, chosen, targets, fast)
            progress("checking the code")
            outputs = checked(derivation, texts)
            report = outputs.report
        terminal.show(console, (problem.program.title or problem.slug, "bold"))
        for equation in derivation.backward.equations:
            terminal.show_formula(console, formula_text(equation, derivation))
        terminal.show_claims(console, derivation, report)
        terminal.show_summary(console, "checked", terminal.check_text(report), ok=report.ok)
        if report.stand_ins:
            terminal.show_summary(console, "checked", terminal.stand_ins_text(report))
        for module in texts.targets:
            said = terminal.target_text(report, module.target)
            if said:
                terminal.show_summary(console, "checked", said, ok=report.ok)
        if texts.fast is not None:
            said = terminal.target_text(report, "fast")
            terminal.show_summary(console, "checked", said, ok=report.ok)
        if report.hostile is not None:
            terminal.show_summary(console, "hostile", terminal.hostile_text(report.hostile), ok=report.hostile.ok)
        for reason in outputs.unchecked:
            terminal.show_summary(console, "skipped", reason, ok=False)
        if not report.ok:
            terminal.show_refutation(Console(stderr=True), report, written=force)
        if report.ok or force:
            folder = Path("out") / problem.slug if out is None else out
            paths = write(outputs.files, folder)
            terminal.show_summary(console, "written", terminal.paths_text(paths))
        terminal.show_summary(console, "time", f"{time.perf_counter() - start:.2f} s")
    if not report.ok:
        raise typer.Exit(REFUTED)
