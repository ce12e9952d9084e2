"""``indexcalc check``: the relations of documents, each with its verdict."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from indexcalc.cli import terminal
from indexcalc.document.check import check
from indexcalc.document.formats import FORMATS, totals
from indexcalc.document.remedies import suggested_context
from indexcalc.document.report import CheckReport, Claim, Verdict, summary
from indexcalc.errors import IndexCalcError

REFUTED, MISTAKE = 1, 2

STYLES = {
    Verdict.PROVED: "green",
    Verdict.CONFIRMED: "green",
    Verdict.ROUNDED: "yellow",
    Verdict.REFUTED: "bold red",
    Verdict.FOLLOWS: "red",
    Verdict.STEP: "cyan",
    Verdict.DEFINITION: "cyan",
    Verdict.DECLARATION: "cyan",
    Verdict.CONDITION: "cyan",
    Verdict.SCHEMATIC: "yellow",
    Verdict.UNCLEAR: "yellow",
}

STANDARD_INPUT = Path("-")

LATEX_WIDTH = 60
"""The most characters of a formula in the table; the reason and the place say the rest."""


class Format(StrEnum):
    """How a report is written."""

    TEXT = "text"
    JSON = "json"
    MD = "md"
    JUNIT = "junit"
    GITHUB = "github"
    HTML = "html"


def check_documents(
    notes: Annotated[
        list[Path], typer.Argument(metavar="NOTE...", help="Markdown, LaTeX or HTML documents; - is standard input.")
    ],
    *,
    output: Annotated[Format, typer.Option("--format", help="How the report is written.")] = Format.TEXT,
    context: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What the documents leave unsaid: forward equations, aliases.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="NAME|PATH", help="Check the numbers of worksheets of this derivation instead."),
    ] = None,
    values: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The numbers of --against, in TOML; values.toml beside its spec by default."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail also if something is not understood or needs an unstated assumption.")
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="Show the true relations too.")] = False,
    explain: Annotated[
        list[int] | None, typer.Option(metavar="LINE", help="Say how each relation on this line was read, and why.")
    ] = None,
    suggest: Annotated[
        bool, typer.Option("--suggest-context", help="Write a context that would settle what is not understood.")
    ] = False,
) -> None:
    """Check the derivations of documents, line by line."""
    start = time.perf_counter()
    console = Console()
    try:
        if [*notes, context].count(STANDARD_INPUT) > 1:
            raise IndexCalcError("standard input can be read once only; give the other documents by their paths")
        unsaid = read(context) if context is not None else ""
        if against is not None:
            reports = compared(notes, against, values, unsaid)
        elif values is not None:
            raise IndexCalcError("--values says nothing without --against NAME, whose numbers they are")
        else:
            reports = [check(read(note), name_of(note), unsaid, explain or ()) for note in notes]
    except IndexCalcError as error:
        terminal.show_error(Console(stderr=True), str(error))
        raise typer.Exit(MISTAKE) from error
    if suggest:
        typer.echo(suggested_context(reports), nl=False)
    elif output is Format.TEXT:
        for report in reports:
            show_report(console, report, every=every, only=explain or ())
        terminal.show_summary(console, "time", f"{time.perf_counter() - start:.2f} s")
    else:
        typer.echo(FORMATS[output.value](reports), nl=False)
    if any(not report.ok for report in reports) or (
        strict and any(report.unclear or report.unstated for report in reports)
    ):
        raise typer.Exit(REFUTED)


def compared(notes: Sequence[Path], against: str, values: Path | None, unsaid: str) -> list[CheckReport]:
    """The reports on the numbers of worksheets.

    Raises:
        IndexCalcError: if something cannot be read, or the values do not fit the derivation.
    """
    # Documents are checked without the engine that derives, and without worksheets.
    from indexcalc.checking import model_from  # noqa: PLC0415
    from indexcalc.figures import check_figures  # noqa: PLC0415

    model = model_from(against, values)
    return [check_figures(read(note), model, name_of(note), unsaid) for note in notes]


def name_of(path: Path) -> str:
    """The name under which reports speak of a document."""
    return "standard input" if path == STANDARD_INPUT else str(path)


def read(path: Path) -> str:
    """The text of a document; `-` is standard input.

    Raises:
        IndexCalcError: if it cannot be read.
    """
    try:
        content = sys.stdin.buffer.read() if path == STANDARD_INPUT else path.read_bytes()
        return content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        raise IndexCalcError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise IndexCalcError(f"cannot read {name_of(path)}: it is not UTF-8 text") from error


def show_report(console: Console, report: CheckReport, *, every: bool, only: Collection[int] = ()) -> None:
    """The table of a document and its counts; of some lines only, with how they were read, if there are any."""
    shown = [
        claim
        for claim in report.claims
        if claim.line in only
        or (not only and every)
        or (not only and claim.unstated)
        or (not only and claim.verdict in (Verdict.REFUTED, Verdict.FOLLOWS, Verdict.ROUNDED, Verdict.UNCLEAR))
    ]
    if shown:
        console.print(table_of(report.file, shown))
    for claim in shown:
        show_explanation(console, claim)
    if only:
        return
    counts = ", ".join(f"{count} {verdict}" for verdict, count in totals([report]).items() if count)
    terminal.show_summary(console, report.file, counts or "no relations found", ok=report.ok)
    terminal.show_summary(console, "", summary(report))


def show_explanation(console: Console, claim: Claim) -> None:
    """How a relation was read: its names with their shapes, and the choices."""
    if claim.explanation is None:
        return
    terminal.show(console, ("line ", "bold"), (str(claim.line), "bold"), f"  {claim.latex}")
    terminal.show_table(console, ((f"  {one.name}", f"{one.shape} ({one.source})") for one in claim.explanation.names))
    for one in claim.explanation.choices:
        terminal.show(console, f"  read so that {one.phrase} ({one.support})")


def table_of(title: str, claims: Sequence[Claim]) -> Table:
    """Line, verdict, relation and reason; the correction in a row of its own."""
    table = Table(title=Text(terminal.printable(title)), title_justify="left")
    for heading in ("line", "verdict", "relation", "reason"):
        table.add_column(heading, overflow="fold")
    for claim in claims:
        reason = "\n".join(claim.said)
        latex = claim.latex if len(claim.latex) <= LATEX_WIDTH else claim.latex[: LATEX_WIDTH - 1] + "…"
        table.add_row(
            str(claim.line),
            Text(str(claim.verdict), style=STYLES[claim.verdict]),
            Text(terminal.printable(latex)),
            Text(terminal.printable(reason)),
        )
        if claim.correction:
            correction = Text(terminal.printable(claim.correction), style="green")
            table.add_row("", Text("correct", style="green"), correction, "")
    return table
