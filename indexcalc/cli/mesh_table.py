"""The report on a mesh as a table for the terminal, and what was found for a number of devices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import sympy as sp
from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from indexcalc.calculus.steps import Derivation
from indexcalc.cli.cost_table import count_text, peak_text, size_text
from indexcalc.cli.terminal import printable, sizes_text
from indexcalc.codegen.sending import entry_text
from indexcalc.cost.traffic import Traffic
from indexcalc.cost.units import bytes_text
from indexcalc.mesh.comparison import expected_differences
from indexcalc.mesh.rates import Rates
from indexcalc.mesh.report import MeshPass, MeshReport, MeshRow
from indexcalc.mesh.search import MAX_TRIED, Search
from indexcalc.notes.text import spelling_of

Sizes = Mapping[sp.Symbol, int]

SHOWN = 5
"""How many of the meshes that were tried are shown."""

CONVENTION = (
    "Of one device: what it computes, what it holds of each result, and what it sends, in rings: "
    "of n devices (n - 1)/n of an array, twice that for an all-reduce."
)


def mesh_table(derivation: Derivation, report: MeshReport, sizes: Sizes | None, width: int) -> Table:
    """One row for each statement of the code, then the totals.

    Args:
        derivation: what the report is of; it spells gradients as the author named them.
        report: what each device does.
        sizes: the size of every extent and block; None for symbols.
        width: bytes an entry.
    """
    table, side = Table(box=SIMPLE, show_edge=False, pad_edge=False, header_style="bold"), "right" if sizes else "left"
    table.add_column("", overflow="fold")
    for name in ("FLOPs", "bytes held", "bytes sent"):
        table.add_column(name, justify="right" if side == "right" else "left", overflow="fold")
    table.add_column("what is sent, and why", overflow="fold")

    def add(label: str, cells: list[str], style: str = "") -> None:
        table.add_row(Text(printable(label)), *(Text(printable(cell)) for cell in cells), style=style)

    def add_pass(label: str, cost: MeshPass) -> None:
        add(label, [count_text(cost.flops, sizes), "", sent_text(cost.sent, sizes, width), ""], "bold")

    for number, (name, cost) in enumerate((("forward", report.forward), ("backward", report.backward))):
        if number:
            table.add_section()
        for row in cost.rows:
            add(row_label(row, derivation), row_cells(row, sizes, width))
        add_pass(f"{name} pass", cost)
    table.add_section()
    add_pass("both passes", report.both)
    return table


def row_label(row: MeshRow, derivation: Derivation) -> str:
    """``dL/dW[m,k]``: what is assigned."""
    name = row.statement.name
    return entry_text(spelling_of(derivation).names.get(name, name), row.statement.axes)


def row_cells(row: MeshRow, sizes: Sizes | None, width: int) -> list[str]:
    """What one statement costs a device, and why it sends."""
    counted = Counter(f"{one.kind} over {one.axis}: {one.reason}" for one in row.collectives)
    said = [text if number == 1 else f"{number} times {text}" for text, number in counted.items()]
    sent = sent_text(row.sent, sizes, width) if row.collectives else ""
    return [count_text(row.flops, sizes), size_text(row.held, sizes, width), sent, "; ".join(said)]


def sent_text(sent: Traffic, sizes: Sizes | None, width: int) -> str:
    """Bytes: a polynomial, or a number."""
    return str(sent * width) if sizes is None else bytes_text(sent.at(sizes, width))


def mesh_footnotes(
    derivation: Derivation, report: MeshReport, sizes: Sizes | None, dtype: str, width: int
) -> Iterator[str]:
    """The mesh, memory, and what the numbers mean, one line each."""
    extents = report.plan.plan.program.extents
    at = f" at {sizes_text({extent.name: sizes[extent] for extent in extents})}" if sizes else ""
    mesh = f"{report.mesh.devices} devices, {report.mesh}"
    yield f"{mesh}. {dtype}{at}. {CONVENTION}"
    yield f"inputs and results on one device: {size_text(report.ends, sizes, width)}{'' if sizes else ' bytes'}"
    yield f"peak over these: {peak_text(derivation, report.peak, sizes, width)}"
    yield from expected_differences(report.both.collectives)


def times_text(report: MeshReport, sizes: Sizes, rates: Rates, width: int) -> str:
    """The time of both passes by the rates."""
    forward, backward = (seconds_text(one.seconds(sizes, rates, width)) for one in (report.forward, report.backward))
    return f"time: {forward} forward, {backward} backward, at {rates} for one device"


def seconds_text(seconds: float) -> str:
    """``1.25 ms``."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def search_table(found: Search) -> Table:
    """The fastest meshes that fit, or else the fastest, and one device."""
    table = Table(box=SIMPLE, show_edge=False, pad_edge=False, header_style="bold")
    table.add_column("--mesh", overflow="fold")
    for name in ("time", "faster", "bytes held", "bytes sent"):
        table.add_column(name, justify="right")
    for one in (*found.found[:SHOWN], found.alone):
        label = str(one.mesh) or "one device"
        faster = "" if one is found.alone else f"{found.alone.seconds / one.seconds:.3g} times"
        held = bytes_text(one.held) + ("" if one.fits else ", too much")
        table.add_row(label, seconds_text(one.seconds), faster, held, bytes_text(one.sent))
    return table


def search_footnotes(found: Search, devices: int, sizes: Sizes, rates: Rates, dtype: str) -> Iterator[str]:
    """What was tried, and by which rates."""
    at = sizes_text({extent.name: size for extent, size in sizes.items()})
    of = "all" if found.whole else f"the first {MAX_TRIED}"
    yield f"{devices} devices, {dtype} at {at}. Tried: {of} meshes of one axis or two ({found.tried})."
    if refused := found.tried - len(found.found):
        yield f"Over {refused} of them the program can't be split: steps would have to send something each time."
    yield f"One device: {rates}; operations, bytes of memory and bytes sent a second, and seconds until these arrive."
    if not found.found[0].fits:
        yield f"No mesh fits: a device has room for {bytes_text(int(rates.room))}. Take more devices, or hold less."
