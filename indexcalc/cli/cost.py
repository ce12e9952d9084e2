"""``indexcalc cost``: operations, bytes moved and peak memory of a derivation, in symbols or for given sizes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import sympy as sp
import typer
from rich.console import Console
from rich.table import Table

from indexcalc.calculus.steps import Derivation
from indexcalc.cli import terminal
from indexcalc.cli.cost_json import report_json
from indexcalc.cli.cost_table import cost_table, footnotes
from indexcalc.cli.inputs import GIVEN, Inputs, shipped_names
from indexcalc.cli.mesh_json import mesh_json, search_json
from indexcalc.cli.mesh_table import mesh_footnotes, mesh_table, search_footnotes, search_table, times_text
from indexcalc.cli.mistakes import mistakes_reported
from indexcalc.cost import Mesh, MeshError, SizesError, checked_sizes, cost_report, read_mesh, read_sizes
from indexcalc.cost.mesh import check_mesh
from indexcalc.mesh.rates import Rates, read_rates
from indexcalc.mesh.report import mesh_report
from indexcalc.mesh.search import fastest
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


@dataclass(frozen=True, slots=True)
class Shown:
    """How a report is written: for which sizes, in which type and format, by which rates."""

    sizes: dict[sp.Symbol, int] | None
    dtype: Dtype
    form: Format
    rates: Rates


def show_cost(
    spec: Annotated[str, typer.Argument(metavar="NAME|PATH", help=GIVEN, autocompletion=shipped_names)],
    *,
    at: Annotated[
        list[str] | None, typer.Option(metavar="SIZES", help="The size of every extent: T=4096,d=64.")
    ] = None,
    dtype: Annotated[Dtype, typer.Option(help="The type of every entry.")] = Dtype.float32,
    form: Annotated[Format, typer.Option("--format", help="A table, or JSON.")] = Format.text,
    mesh: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPLIT", help="Of one device of a mesh, where indices are split over its axes: h=4,s+t=2."
        ),
    ] = None,
    devices: Annotated[
        int | None, typer.Option(metavar="N", min=2, help="Which indices to split over N devices; needs --at.")
    ] = None,
    rates: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RATES", help=f"What a device does a second, and can hold, with --mesh and --devices: {Rates()}."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Count operations, bytes moved and peak memory of both passes; with a mesh, what each device does and sends."""
    with mistakes_reported():
        check_options(at, mesh, devices, rates)
        with terminal.Progress() as progress:
            progress("counting")
            derivation = derive(Inputs().problem(spec))
            sizes = sizes_given(at, derivation.problem.program.extents)
        shown = Shown(sizes, dtype, Format.json if as_json else form, read_rates(rates or []))
        if mesh:
            show_mesh(derivation, read_mesh(mesh, derivation.problem.splits), shown)
        elif devices is not None:
            show_search(derivation, devices, shown)
        else:
            show_whole(derivation, shown)


def show_whole(derivation: Derivation, shown: Shown) -> None:
    """What both passes cost."""
    report, sizes, dtype = cost_report(derivation), shown.sizes, shown.dtype
    if shown.form is Format.json:
        typer.echo(json.dumps(report_json(report, sizes, dtype.value, dtype.width), indent=2))
        return
    lines = list(footnotes(derivation, report, sizes, dtype.value, dtype.width))
    if splits := derivation.problem.splits:
        said = " and ".join(f"{', '.join(indices)} over {axis}" for axis, indices in splits.items())
        lines.append(
            f"This is of one device. The spec splits {said}: --mesh says how many devices there are along each."
        )
    show_table(derivation, cost_table(derivation, report, sizes, dtype.width), lines)


def check_options(at: list[str] | None, mesh: list[str] | None, devices: int | None, rates: list[str] | None) -> None:
    """Refuse options that do not go together.

    Raises:
        MeshError: if they don't.
    """
    if mesh and devices is not None:
        raise MeshError("--mesh says which indices are split, --devices asks for it; give one of them")
    if devices is not None and at is None:
        raise MeshError("--devices compares times, which depend on sizes; add --at with the size of every extent")
    if rates and not mesh and devices is None:
        raise MeshError("--rates is about times on a mesh; add --mesh or --devices")


def sizes_given(at: list[str] | None, extents: Iterable[sp.Symbol]) -> dict[sp.Symbol, int] | None:
    """The sizes of the options, if there are any.

    Raises:
        SizesError: for sizes that are not right.
    """
    try:
        return checked_sizes(read_sizes(at), extents) if at is not None else None
    except SizesError as error:
        raise SizesError(f"--at: {error}") from error


def show_mesh(derivation: Derivation, mesh: Mesh, shown: Shown) -> None:
    """What each device of a mesh does."""
    check_mesh(mesh, derivation.problem.program, shown.sizes)
    report, dtype = mesh_report(derivation, mesh), shown.dtype
    sizes = None if shown.sizes is None else report.sizes(shown.sizes)
    if shown.form is Format.json:
        typer.echo(json.dumps(mesh_json(report, sizes, dtype.value, dtype.width, shown.rates), indent=2))
        return
    lines = list(mesh_footnotes(derivation, report, sizes, dtype.value, dtype.width))
    if sizes is not None:
        lines.append(times_text(report, sizes, shown.rates, dtype.width))
    show_table(derivation, mesh_table(derivation, report, sizes, dtype.width), lines)


def show_search(derivation: Derivation, devices: int, shown: Shown) -> None:
    """Which mesh of so many devices is fastest."""
    assert shown.sizes is not None
    found = fastest(derivation, devices, shown.sizes, shown.rates, shown.dtype.width)
    if shown.form is Format.json:
        typer.echo(json.dumps(search_json(found, devices, shown.rates), indent=2))
        return
    lines = search_footnotes(found, devices, shown.sizes, shown.rates, shown.dtype.value)
    show_table(derivation, search_table(found), lines)


def show_table(derivation: Derivation, table: Table, lines: Iterable[str]) -> None:
    """A title, a table, and what is said below it."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=PIPE_WIDTH)
    terminal.show(console, (derivation.problem.program.title or derivation.problem.slug, "bold"))
    console.print(table)
    for line in lines:
        terminal.show_words(console, ("", ""), line, 0)
