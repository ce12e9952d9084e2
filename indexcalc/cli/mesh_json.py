"""The report on a mesh as JSON: counts as numbers for given sizes, else as polynomials in Python's spelling."""

from __future__ import annotations

from dataclasses import asdict

from indexcalc.cli.cost_json import Json, Sizes, number, peak_json
from indexcalc.cost.mesh import Mesh
from indexcalc.cost.traffic import Traffic
from indexcalc.mesh.comparison import expected_differences
from indexcalc.mesh.rates import Rates
from indexcalc.mesh.report import MeshPass, MeshReport, MeshRow
from indexcalc.mesh.search import Search, Suggestion


def mesh_json(report: MeshReport, sizes: Sizes | None, dtype: str, width: int, rates: Rates) -> Json:
    """The whole report.

    Args:
        report: what each device does.
        sizes: the size of every extent and block; None for polynomials.
        dtype: the type of every entry.
        width: bytes an entry.
        rates: by which times are estimated.
    """
    return {
        "dtype": dtype,
        "mesh": axes_json(report.mesh),
        "devices": report.mesh.devices,
        "rates": asdict(rates),
        "forward": pass_json(report.forward, sizes, width, rates),
        "backward": pass_json(report.backward, sizes, width, rates),
        "inputs_and_results_bytes": number(report.ends * width, sizes),
        "xla": list(expected_differences(report.both.collectives)),
        "peak": peak_json(report.peak, sizes, width),
    }


def axes_json(mesh: Mesh) -> list[Json]:
    """The axes of a mesh."""
    return [{"indices": list(axis.indices), "devices": axis.devices} for axis in mesh.axes]


def sent(traffic: Traffic, sizes: Sizes | None, width: int) -> int | str:
    """Bytes sent as a number, or as a polynomial."""
    return str((traffic * width).expr) if sizes is None else traffic.at(sizes, width)


def pass_json(cost: MeshPass, sizes: Sizes | None, width: int, rates: Rates) -> Json:
    """What a pass costs one device, and each of its statements."""
    return {
        "flops": number(cost.flops, sizes),
        "bytes_sent": sent(cost.sent, sizes, width),
        "seconds": None if sizes is None else cost.seconds(sizes, rates, width),
        "statements": [row_json(row, sizes, width) for row in cost.rows],
    }


def row_json(row: MeshRow, sizes: Sizes | None, width: int) -> Json:
    """What a statement costs one device."""
    return {
        "tensor": row.statement.name,
        "copy": row.placed.copy,
        "split": [None if axis is None else str(axis) for axis in row.placed.layout],
        "flops": number(row.flops, sizes),
        "bytes_held": number(row.held * width, sizes),
        "bytes_sent": sent(row.sent, sizes, width),
        "collectives": [
            {
                "kind": one.kind.value,
                "tensor": one.tensor,
                "axis": str(one.axis),
                "bytes_sent": sent(one.sent, sizes, width),
                "reason": one.reason,
            }
            for one in row.collectives
        ],
    }


def search_json(found: Search, devices: int, rates: Rates) -> Json:
    """All meshes that were tried, the fastest first."""

    def one(suggestion: Suggestion) -> Json:
        return {
            "mesh": axes_json(suggestion.mesh),
            "seconds": suggestion.seconds,
            "bytes_held": suggestion.held,
            "bytes_sent": suggestion.sent,
            "fits": suggestion.fits,
        }

    return {
        "devices": devices,
        "rates": asdict(rates),
        "one_device": one(found.alone),
        "tried": found.tried,
        "all": found.whole,
        "meshes": [one(suggestion) for suggestion in found.found],
    }
