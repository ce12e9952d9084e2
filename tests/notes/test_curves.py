"""The pictures of a cost: their points are those of the polynomials, their crossings are where the sign changes."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
import sympy as sp

from indexcalc.calculus.steps import Derivation
from indexcalc.cost import cost_report
from indexcalc.language.read import load_problem
from indexcalc.notes.curves import BLOCKS, MOST_EXTENTS, WHOLE, Crossing, Curve, Panel, crossed, curves_of, seen
from indexcalc.notes.curves_svg import Axis, curves_text, panel_svg, ticks
from indexcalc.rewrite.derive import derive

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("attention", "layer_norm", "lstm", "gaussian_process", "conv2d", "logistic_hessian")


@cache
def derivation(name: str) -> Derivation:
    return derive(load_problem(ROOT / "derivations" / name / f"{name}.ixc"))


def value(one: Derivation, title: str, line: str, sizes: Mapping[sp.Symbol, int]) -> int:
    """What a line of a picture stands for at some sizes, by polynomials of SymPy."""
    report = cost_report(one)
    if line == BLOCKS:
        held = report.blocks.ends.at(sizes) + report.blocks.peak_at(sizes, 4)
        return held if "held" in title else report.blocks.moved_at(sizes, 4)
    peak = [moment.entries.expr for moment in report.peak.moments]
    found = {
        ("FLOPs", "forward"): [report.forward.flops.expr],
        ("FLOPs", "backward"): [report.backward.flops.expr],
        ("Entries held", "inputs and results"): [report.ends.expr],
        ("Entries held", "peak over these"): peak,
        ("All entries held, by code", WHOLE): [report.ends.expr + expr for expr in peak],
        ("Entries moved, by code", WHOLE): [report.forward.moved.expr + report.backward.moved.expr],
    }
    if report.before is not None:
        found["FLOPs", "backward, before simplification"] = [report.before.cost.flops.expr]
        earlier = [moment.entries.expr for moment in report.before.peak.moments]
        found["Entries held", "peak, before simplification"] = earlier
    return max(int(expr.subs(sizes)) for expr in found[title, line])


@pytest.mark.parametrize("name", NAMES)
def test_a_point_is_the_polynomial_there(name: str) -> None:
    one_derivation = derivation(name)
    curves = curves_of(one_derivation)
    assert curves is not None
    for panel in curves.panels:
        for curve in panel.curves:
            for size, number in (curve.points[0], curve.points[len(curve.points) // 2], curve.points[-1]):
                sizes = {**dict(curves.sizes), panel.extent: size}
                assert number == value(one_derivation, panel.title, curve.name, sizes), (panel.extent, size)


@pytest.mark.parametrize("name", NAMES)
def test_every_crossing_of_two_lines_is_marked_at_its_first_size(name: str) -> None:
    one_derivation = derivation(name)
    curves = curves_of(one_derivation)
    for panel in curves.panels:
        for crossing in panel.crossings:
            values = [
                [
                    value(one_derivation, panel.title, line, {**dict(curves.sizes), panel.extent: size})
                    for line in crossing.names
                ]
                for size in (crossing.size - 1, crossing.size)
            ]
            (a, b), (c, d) = values
            assert a != b
            assert (a > b) != (c > d) or c == d
        for one in panel.curves:
            for other in panel.curves[panel.curves.index(one) + 1 :]:
                signs = [a > b for (_, a), (_, b) in zip(one.points, other.points, strict=True) if a != b]
                changes = sum(before != after for before, after in pairwise(signs))
                assert changes == sum(crossing.names == (one.name, other.name) for crossing in panel.crossings)


@pytest.mark.parametrize("root", range(2, 100, 7))
def test_a_crossing_is_found_between_samples(root: int) -> None:
    assert list(crossed([1, 128], lambda size: root - size)) == [root]
    assert list(crossed([1, 128], lambda size: root - size + 0.5)) == [root + 1]
    assert list(crossed([1, 128], lambda size: size + root)) == []
    assert list(crossed([1, root, 128], lambda size: root - size)) == [root]


def test_lines_that_nobody_tells_apart_are_one() -> None:
    def line(name: str, factor: float) -> Curve:
        return Curve(name, tuple((size, round(factor * size**2)) for size in (10, 20, 40)))

    panel = Panel("FLOPs", None, (), (line("a", 100), line("b", 105), line("c", 150)), (Crossing(3, 4, ("a", "b")),))
    (found,) = seen([panel])
    assert [curve.name for curve in found.curves] == ["a", "c"]
    assert found.crossings == ()
    # What can be told apart in one picture is drawn in all.
    far = Panel("FLOPs", None, (), (line("a", 1), line("b", 2), line("c", 1)), ())
    assert [[curve.name for curve in found.curves] for found in seen([panel, far])] == [["a", "b", "c"]] * 2


def test_straight_lines_beside_each_other_tell_nothing() -> None:
    straight = Curve("a", ((1, 10), (2, 20), (4, 40), (8, 80)))
    beside = Curve("b", ((1, 30), (2, 60), (4, 120), (8, 240)))
    bent = Curve("c", ((1, 30), (2, 31), (4, 40), (8, 80)))
    assert not Panel("", None, (), (straight, beside), ()).tells
    assert Panel("", None, (), (straight, bent), ()).tells
    assert Panel("", None, (), (straight, beside), (Crossing(3, 30, ("a", "b")),)).tells


@pytest.mark.parametrize("name", NAMES)
def test_a_drawing_is_whole_and_says_what_it_shows(name: str) -> None:
    curves = curves_of(derivation(name))
    assert len({panel.extent for panel in curves.panels}) <= MOST_EXTENTS
    ET.fromstring(f"<div>{curves_text(curves, 'x', lambda index: index.name)}</div>")
    for panel in curves.panels:
        root = ET.fromstring(panel_svg(panel, "x", lambda index: index.name))
        _, _, width, height = map(float, root.get("viewBox").split())
        said = root.findtext("desc")
        assert all(curve.name in said for curve in panel.curves)
        assert said.count(" cross at ") == len(panel.crossings) == len(root.findall("circle"))
        drawn = [path for path in root.findall("path") if path.get("class").startswith("line")]
        assert len(drawn) == len(panel.curves)
        for path, curve in zip(drawn, panel.curves, strict=True):
            numbers = [float(number) for number in re.findall(r"[\d.]+", path.get("d"))]
            xs, ys = numbers[::2], numbers[1::2]
            assert all(0 <= x <= width for x in xs)
            assert all(0 <= y <= height for y in ys)
            assert xs == sorted(xs)
            values = [number for _, number in curve.points if number > 0]
            for (a, b), (y, z) in zip(pairwise(values), pairwise(ys), strict=True):
                assert (b >= a and z <= y) or (b <= a and z >= y)


def test_code_in_blocks_and_whole_arrays_cross_where_heads_are_wide() -> None:
    panels = curves_of(derivation("attention")).panels
    moved = {str(panel.extent): panel for panel in panels if panel.title == "Entries moved, by code"}
    assert list(moved) == ["T", "d", "d_v"]
    assert [len(panel.crossings) for panel in moved.values()] == [0, 1, 1]
    assert not any(panel.title.endswith("by code") for panel in curves_of(derivation("layer_norm")).panels)


def test_axes_are_in_powers() -> None:
    axis = Axis(2, 10, 100, 0)
    assert [axis.at(power) for power in (2, 6, 10)] == [100, 50, 0]
    assert list(ticks(axis)) == [2, 5, 8]
