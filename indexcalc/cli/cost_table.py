"""The cost report as a table for the terminal: counts as polynomials, or as numbers with units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import sympy as sp
from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from indexcalc.calculus.steps import Derivation
from indexcalc.cli.terminal import printable, sizes_text
from indexcalc.cost import CostReport, Count, EquationCost, PassCost, Peak
from indexcalc.cost.blocks import InBlocks
from indexcalc.cost.units import bytes_text, si_text
from indexcalc.notes import formula_text
from indexcalc.notes.text import spelling_of

Sizes = Mapping[sp.Symbol, int]

CONVENTION = "Each equation reads every tensor once and writes its own once; a function counts as one operation."


def cost_table(derivation: Derivation, report: CostReport, sizes: Sizes | None, width: int) -> Table:
    """One row for each equation, then the totals.

    Args:
        derivation: what the report is of; it spells gradients as the author named them.
        report: the counts.
        sizes: the size of every extent; None for symbols.
        width: bytes an entry.
    """
    table = Table(box=SIMPLE, show_edge=False, pad_edge=False, header_style="bold")
    table.add_column("", overflow="fold")
    table.add_column("FLOPs", justify="right" if sizes else "left", overflow="fold")
    table.add_column("bytes moved", justify="right" if sizes else "left", overflow="fold")
    if sizes is not None:
        table.add_column("FLOPs/byte", justify="right")

    def add(label: str, cost: EquationCost | PassCost, style: str = "") -> None:
        cells = [count_text(cost.flops, sizes), size_text(cost.moved, sizes, width)]
        if sizes is not None:
            cells.append(intensity(cost.flops.at(sizes), width * cost.moved.at(sizes)))
        table.add_row(Text(printable(label)), *(Text(printable(cell)) for cell in cells), style=style)

    passes = (("forward", report.forward), ("backward", report.backward))
    for number, (name, cost) in enumerate(passes):
        if number:
            table.add_section()
        for row in cost.equations:
            left, _, _ = formula_text(row.equation, derivation).partition(" = ")
            add(left, row)
        add(f"{name} pass", cost, "bold")
    table.add_section()
    add("both passes", report.both, "bold")
    if report.before is not None:
        add("backward pass before simplification", report.before.cost)
    return table


def count_text(count: Count, sizes: Sizes | None) -> str:
    """Operations: a polynomial, or a number."""
    return str(count) if sizes is None else si_text(count.at(sizes))


def size_text(entries: Count, sizes: Sizes | None, width: int) -> str:
    """Bytes: a polynomial, or a number."""
    return str(entries * width) if sizes is None else bytes_text(width * entries.at(sizes))


def intensity(flops: int, moved: int) -> str:
    """Operations for each byte moved."""
    return f"{flops / moved:.2f}" if moved else ""


def footnotes(derivation: Derivation, report: CostReport, sizes: Sizes | None, dtype: str, width: int) -> Iterator[str]:
    """Memory, and what the numbers mean, one line each."""
    at = f" at {sizes_text({extent.name: size for extent, size in sizes.items()})}" if sizes else ""
    yield f"{dtype}{at}. {CONVENTION}"
    yield f"inputs and results: {size_text(report.ends, sizes, width)}{'' if sizes else ' bytes'}"
    peak = peak_text(derivation, report.peak, sizes, width)
    yield f"peak over these: {peak}"
    if report.blocks is not None:
        yield blocks_text(derivation, report.blocks, sizes, width)
    if report.before is not None:
        before = peak_text(derivation, report.before.peak, sizes, width)
        if before != peak:
            yield f"before simplification: {before}"


def blocks_text(derivation: Derivation, blocks: InBlocks, sizes: Sizes | None, width: int) -> str:
    """What code for speed never holds in full, and with sizes what it holds and moves instead."""
    names = spelling_of(derivation).names
    listed = ", ".join(names.get(name, name) for name in blocks.tensors)
    if sizes is None:
        return f"in blocks of {', '.join(index.name for index in blocks.indices)}: {listed} are never there in full"
    steps = zip(blocks.indices, blocks.steps(sizes, width), strict=True)
    lengths = ", ".join(f"{step} {index.name}" for index, step in steps)
    ends, peak, moved = (
        bytes_text(width * entries)
        for entries in (blocks.ends.at(sizes), blocks.peak_at(sizes, width), blocks.moved_at(sizes, width))
    )
    return (
        f"in blocks of {lengths}: inputs and results {ends}, peak over these {peak}, both passes move {moved} "
        f"({listed} never in full)"
    )


def peak_text(derivation: Derivation, peak: Peak, sizes: Sizes | None, width: int) -> str:
    """The most that is held, with the tensors, and the one that is being computed."""
    moments = peak.moments
    if sizes is not None:
        largest = peak.moment(sizes)
        moments = () if largest is None else (largest,)
    names, unit = spelling_of(derivation).names, "" if sizes else " bytes"
    listed = []
    for moment in moments:
        if moment.held:
            held = ", ".join(names.get(name, name) for name in moment.held)
            making = names.get(moment.equation, moment.equation)
            listed.append(f"{size_text(moment.entries, sizes, width)}{unit} ({held}, while {making} is computed)")
    if len(listed) > 1:
        return "the largest of " + "; ".join(listed)
    return listed[0] if listed else "nothing"
