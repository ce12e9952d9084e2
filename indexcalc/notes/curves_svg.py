"""Curves over an extent as SVG: both axes in powers, each line with dashes of its own, crossings as circles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log2, log10

from indexcalc.cost.units import si_text
from indexcalc.notes.curves import Curves, Panel
from indexcalc.notes.network_svg import Classes
from indexcalc.notes.text import scalar_text

WIDTH, HEIGHT = 250.0, 185.0
LEFT, RIGHT, TOP, BOTTOM = 50.0, 14.0, 26.0, 42.0
"""The size of a panel, and the room around its axes."""

MOST_TICKS = 4
"""The most numbers at an axis."""

LETTER = 6.6
"""The width of a letter, in units of the drawing."""

NOTHING = "\N{ZERO WIDTH SPACE}"
"""What is written to come back to the line after a subscript."""

APART = 13.0
"""The least distance between two texts above each other."""

STYLE = (
    ".plot{display:block;max-width:100%;height:auto;font-family:ui-sans-serif,system-ui,sans-serif}"
    ".plot text{font-size:12px;fill:var(--ink)}"
    ".plot .size,.plot .name{text-anchor:middle}"
    ".plot .number{text-anchor:end}"
    ".plot .cross{paint-order:stroke;stroke:var(--paper);stroke-width:4px}"
    ".plot .name .index{fill:currentColor;font-style:italic}"
    ".plot .grid{stroke:var(--line);fill:none}"
    ".plot .line{stroke:var(--ink);fill:none;stroke-width:2;stroke-linejoin:round}"
    ".plot .d1{stroke-dasharray:8 4}.plot .d2{stroke-dasharray:2 4}"
    ".plot circle{fill:var(--paper);stroke:var(--ink);stroke-width:2}"
    ".plots{display:flex;flex-wrap:wrap;gap:.5rem 1rem;margin:.25rem 0 1rem}"
    ".plots svg{break-inside:avoid}.lines{break-after:avoid}"
    ".lines{display:flex;flex-wrap:wrap;gap:.1rem 1.2rem;margin:.75rem 0 0;padding:0;list-style:none;font-size:.95em}"
    ".lines svg{display:inline;vertical-align:middle}"
)


@dataclass(frozen=True, slots=True)
class Axis:
    """A range of powers, drawn from one place to another."""

    low: float
    high: float
    start: float
    end: float

    def at(self, power: float) -> float:
        """Where a power is."""
        return self.start + (power - self.low) / (self.high - self.low) * (self.end - self.start)


def curves_text(curves: Curves, name: str, classes: Classes) -> str:
    """All panels, what is counted in one row each, under what its lines stand for."""
    titles = dict.fromkeys(panel.title for panel in curves.panels)
    return "\n".join(
        row_text([panel for panel in curves.panels if panel.title == title], f"{name}-{number}", classes)
        for number, title in enumerate(titles)
    )


def row_text(panels: Sequence[Panel], name: str, classes: Classes) -> str:
    """The panels of one count."""
    keys = "".join(f"<li>{swatch(number)} {escape(curve.name)}</li>" for number, curve in enumerate(panels[0].curves))
    drawn = "\n".join(panel_svg(panel, f"{name}-{number}", classes) for number, panel in enumerate(panels))
    return f'<ul class="lines"><li>{escape(panels[0].title)}:</li>{keys}</ul>\n<div class="plots">\n{drawn}\n</div>'


def swatch(number: int) -> str:
    """A piece of a line."""
    return (
        '<svg class="plot" viewBox="0 0 34 8" width="34" height="8" aria-hidden="true">'
        f'<path class="line d{number}" d="M0 4H34"/></svg>'
    )


def panel_svg(panel: Panel, name: str, classes: Classes) -> str:
    """One panel."""
    numbers = [number for curve in panel.curves for _, number in curve.points if number > 0]
    sizes = [size for size, _ in panel.curves[0].points]
    low, high = floor(log10(min(numbers))), ceil(log10(max(numbers)))
    across = Axis(log2(sizes[0]), log2(sizes[-1]), LEFT, WIDTH - RIGHT)
    up = Axis(low, max(high, low + 1), HEIGHT - BOTTOM, TOP)
    body = "\n".join((*grid(across, up), *lines(panel, across, up), axis_name(panel, classes)))
    return (
        f'<svg class="plot" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" width="{WIDTH:.0f}" height="{HEIGHT:.0f}" '
        f'role="img" aria-labelledby="{name}-t" aria-describedby="{name}-d">\n'
        f'<title id="{name}-t">{escape(panel.title)} over {escape(scalar_text(panel.extent))}</title>\n'
        f'<desc id="{name}-d">{escape(said(panel))}</desc>\n{body}\n</svg>'
    )


def grid(across: Axis, up: Axis) -> Iterator[str]:
    """The lines behind the curves with their sizes and numbers."""
    for power in ticks(across):
        x = across.at(power)
        yield f'<path class="grid" d="M{x:.1f} {up.start:.1f}V{up.end:.1f}"/>'
        yield f'<text class="size" x="{x:.1f}" y="{up.start + 15:.1f}">{2**power}</text>'
    for power in ticks(up):
        y = up.at(power)
        yield f'<path class="grid" d="M{across.start:.1f} {y:.1f}H{across.end:.1f}"/>'
        yield f'<text class="number" x="{across.start - 6:.1f}" y="{y + 4:.1f}">{short(power)}</text>'


def ticks(axis: Axis) -> range:
    """The whole powers at which an axis has numbers."""
    low, high = ceil(axis.low - 1e-9), floor(axis.high + 1e-9)
    return range(low, high + 1, max(1, ceil((high - low) / (MOST_TICKS - 1))))


def short(power: int) -> str:
    """A power of ten: ``10 k``."""
    return si_text(10**power).replace(".00", "").replace(".0", "")


def lines(panel: Panel, across: Axis, up: Axis) -> Iterator[str]:
    """The curves, and over them their crossings with the sizes there."""
    for number, curve in enumerate(panel.curves):
        points = " ".join(
            f"{across.at(log2(size)):.1f} {up.at(log10(value)):.1f}" for size, value in curve.points if value > 0
        )
        if points:
            yield f'<path class="line d{number}" d="M{points}"/>'
    level = 0.0
    for crossing in sorted(panel.crossings, key=lambda one: one.size):
        x, y = across.at(log2(crossing.size)), up.at(log10(max(1, crossing.number)))
        text = f"{scalar_text(panel.extent)} = {crossing.size}"
        half = len(text) * LETTER / 2
        place, level = min(max(x, across.start + half), across.end - half), level + 1
        above = TOP - 6 if level == 1 else TOP - 6 + APART * (level - 1)
        yield f'<path class="grid" d="M{x:.1f} {y:.1f}V{above + 3:.1f}"/>'
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
        yield f'<text class="size cross" x="{place:.1f}" y="{above:.1f}">{lowered(text)}</text>'


def axis_name(panel: Panel, classes: Classes) -> str:
    """The extent, and in their colours the indices that run over it."""
    indices = ", ".join(
        f'<tspan class="index {classes(index)}">{escape(index.name)}</tspan>' for index in panel.indices
    )
    middle = (LEFT + WIDTH - RIGHT) / 2
    about = f" ({indices})" if indices else ""
    return (
        f'<text class="name" x="{middle:.0f}" y="{HEIGHT - 8:.0f}">{lowered(scalar_text(panel.extent))}{about}</text>'
    )


def lowered(text: str) -> str:
    """A text with what stands behind an underscore set lower: the subscripts of names."""
    return re.sub(r"_(\w+)", rf'<tspan dy="3" font-size="9">\1</tspan><tspan dy="-3">{NOTHING}</tspan>', escape(text))


def said(panel: Panel) -> str:
    """A panel in words."""
    extent = scalar_text(panel.extent)
    texts = []
    for curve in panel.curves:
        (first, least), (last, most) = curve.points[0], curve.points[-1]
        texts.append(f"{curve.name}: {si_text(least)} at {extent} = {first}, {si_text(most)} at {extent} = {last}.")
    texts.extend(f"{one.names[0]} and {one.names[1]} cross at {extent} = {one.size}." for one in panel.crossings)
    return " ".join(texts)
