"""The cost report as JSON: counts as numbers for given sizes, else as polynomials in Python's spelling."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from indexcalc.cost import CostReport, Count, EquationCost, PassCost, Peak
from indexcalc.cost.blocks import InBlocks

Json = dict[str, object]
Sizes = Mapping[sp.Symbol, int]


def report_json(report: CostReport, sizes: Sizes | None, dtype: str, width: int) -> Json:
    """The whole report.

    Args:
        report: the counts.
        sizes: the size of every extent; None for polynomials.
        dtype: the type of every entry.
        width: bytes an entry.
    """
    before = report.before
    return {
        "title": report.title,
        "dtype": dtype,
        "extents": [extent.name for extent in report.extents],
        "sizes": None if sizes is None else {extent.name: size for extent, size in sizes.items()},
        "forward": pass_json(report.forward, sizes, width),
        "backward": pass_json(report.backward, sizes, width),
        "both": totals_json(report.both, sizes, width),
        "backward_before": None if before is None else pass_json(before.cost, sizes, width),
        "inputs_and_results_bytes": number(report.ends * width, sizes),
        "peak": peak_json(report.peak, sizes, width),
        "in_blocks": None if report.blocks is None else blocks_json(report.blocks, sizes, width),
        "peak_before": None if before is None else peak_json(before.peak, sizes, width),
    }


def blocks_json(blocks: InBlocks, sizes: Sizes | None, width: int) -> Json:
    """Which tensors code in blocks never holds in full; for given sizes what it holds and moves."""
    names: Json = {"indices": [index.name for index in blocks.indices], "never_in_full": list(blocks.tensors)}
    if sizes is None:
        return names
    return {
        **names,
        "lengths": list(blocks.steps(sizes, width)),
        "inputs_and_results_bytes": width * blocks.ends.at(sizes),
        "peak_bytes": width * blocks.peak_at(sizes, width),
        "bytes_moved": width * blocks.moved_at(sizes, width),
    }


def number(count: Count, sizes: Sizes | None) -> int | str:
    """A count as a number, or as a polynomial that Python and SymPy read."""
    return str(count.expr) if sizes is None else count.at(sizes)


def totals_json(cost: PassCost, sizes: Sizes | None, width: int) -> Json:
    """What a pass costs in all."""
    return {"flops": number(cost.flops, sizes), "bytes_moved": number(cost.moved * width, sizes)}


def pass_json(cost: PassCost, sizes: Sizes | None, width: int) -> Json:
    """What a pass costs in all, and each of its equations."""
    return {**totals_json(cost, sizes, width), "equations": [row_json(row, sizes, width) for row in cost.equations]}


def row_json(row: EquationCost, sizes: Sizes | None, width: int) -> Json:
    """What an equation costs."""
    return {
        "tensor": row.equation.name,
        "flops": number(row.flops, sizes),
        "bytes_read": number(row.read * width, sizes),
        "bytes_written": number(row.written * width, sizes),
    }


def peak_json(peak: Peak, sizes: Sizes | None, width: int) -> list[Json]:
    """When most is held over inputs and results: one moment for given sizes, else all that it may be."""
    moments = peak.moments
    if sizes is not None:
        largest = peak.moment(sizes)
        moments = () if largest is None else (largest,)
    return [
        {"bytes": number(moment.entries * width, sizes), "computing": moment.equation, "held": list(moment.held)}
        for moment in moments
    ]
