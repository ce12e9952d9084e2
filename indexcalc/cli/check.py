"""``indexcalc check``: the relations of documents, each with its verdict."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from indexcalc.cli import terminal
from indexcalc.cli.inputs import GIVEN, Inputs, name_of, shipped_names
from indexcalc.cli.mistakes import REFUTED, each, mistakes_reported
from indexcalc.document.check import check
from indexcalc.document.formats import FORMATS, totals
from indexcalc.document.remedies import suggested_context
from indexcalc.document.report import CheckReport, Claim, Verdict, summary
from indexcalc.errors import IndexCalcError

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
    Verdict.UNJUDGED: "yellow",
    Verdict.UNCLEAR: "yellow",
}

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
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    context: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What the documents leave unsaid: forward equations, aliases.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|PATH",
            help=f"Check the numbers of worksheets of this derivation instead. {GIVEN}",
            autocompletion=shipped_names,
        ),
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
    form = Format.JSON if as_json else output
    inputs = Inputs()
    reports: list[CheckReport] = []
    with mistakes_reported():
        with terminal.Progress() as progress:
            progress("reading what is given beside the documents")
            judge = judge_of(inputs, context, against, values, explain or ())

        def judged(note: Path) -> int:
            with terminal.Progress() as progress:
                progress(f"checking {terminal.printable(name_of(note))}")
                reports.append(judge(note))
            report = reports[-1]
            if form is Format.TEXT and not suggest:
                show_report(console, report, every=every, only=explain or ())
            open_ones = strict and (report.unclear or report.unstated)
            return REFUTED if not report.ok or open_ones else 0

        worst = each(notes, judged)
        if suggest:
            typer.echo(suggested_context(reports), nl=False)
        elif form is Format.TEXT:
            terminal.show_summary(console, "time", f"{time.perf_counter() - start:.2f} s")
        else:
            typer.echo(FORMATS[form.value](reports), nl=False)
    raise typer.Exit(worst)


def judge_of(
    inputs: Inputs, context: Path | None, against: str | None, values: Path | None, explain: Collection[int]
) -> Callable[[Path], CheckReport]:
    """What judges a document: its relations, or its numbers where a derivation is given.

    Raises:
        IndexCalcError: if something that is given beside the documents cannot be read, or does not fit.
    """
    if against is None and values is not None:
        raise IndexCalcError("--values says nothing without --against NAME, whose numbers they are")
    unsaid = "" if context is None else inputs.document(context, "the context")
    if against is None:
        return lambda note: check(inputs.document(note), name_of(note), unsaid, explain)
    # Documents are checked without the engine that derives, and without worksheets.
    from indexcalc.figures import check_figures, model_of  # noqa: PLC0415
    from indexcalc.rewrite.derive import derive  # noqa: PLC0415

    problem = inputs.problem(against)
    numbers = inputs.values(values, against, problem)
    model = model_of(derive(problem), numbers)
    return lambda note: check_figures(inputs.document(note), model, name_of(note), unsaid)


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
