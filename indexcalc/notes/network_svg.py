"""Tensor networks as SVG: inline in a page, or a file with its own colours for light and dark paper."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from indexcalc.algebra.terms import Index
from indexcalc.notes.colours import DARK, LIGHT, colour
from indexcalc.notes.network_layout import Curve, Dot, Drawing, Label, Part, Shape
from indexcalc.notes.networks import Kind

ROUND = {Kind.TENSOR: 14.0, Kind.POINTWISE: 2.0, Kind.CONDITION: 8.0}
"""How round the corners of a body are."""

STYLE = (
    ".network{font-family:ui-sans-serif,system-ui,sans-serif}"
    ".network text{font-size:13px;text-anchor:middle;dominant-baseline:central;fill:var(--ink)}"
    ".network .name{fill:currentColor;font-style:italic;paint-order:stroke;stroke:var(--paper);stroke-width:3px}"
    ".network rect{fill:var(--wash);stroke:var(--faint);stroke-width:1.3}"
    ".network .pointwise rect{stroke-width:2.6}"
    ".network .condition rect{stroke-dasharray:3 3}"
    ".network path{fill:none;stroke:currentColor;stroke-width:2}"
    ".network circle{fill:currentColor}"
)
"""How the parts look, in a page and in a file."""

PAPERS = (
    ".network{--paper:#fff;--ink:#1b1d21;--faint:#5b616b;--wash:#f4f6f9;background:var(--paper)}"
    "@media (prefers-color-scheme:dark){.network{--paper:#15171b;--ink:#e4e6ea;--faint:#a0a7b2;--wash:#1e2127}}"
)
"""The two papers of a file."""

Classes = Callable[[Index], str]
"""The class of an index, which gives it its colour."""


def network_svg(drawing: Drawing, title: str, said: str, name: str, classes: Classes) -> str:
    """A drawing as an element of a page.

    Args:
        drawing: what is drawn.
        title: the formula as text.
        said: the picture in words.
        name: the start of its ids.
        classes: the class of an index.
    """
    body = "\n".join(part_svg(part, classes) for part in drawing_order(drawing))
    width, height = f"{drawing.width:.0f}", f"{drawing.height:.0f}"
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return (
        f'<svg class="network" {size} role="img" aria-labelledby="{name}-t" aria-describedby="{name}-d">\n'
        f'<title id="{name}-t">{escape(title)}</title>\n<desc id="{name}-d">{escape(said)}</desc>\n{body}\n</svg>'
    )


def drawing_order(drawing: Drawing) -> list[Part]:
    """Wires first, so that bodies and texts are on top."""
    return sorted(drawing.parts, key=lambda part: not isinstance(part, Curve))


def part_svg(part: Part, classes: Classes) -> str:
    """One part."""
    match part:
        case Curve(index, points):
            (a, b), *others = points
            rest = " ".join(f"{x:.1f} {y:.1f}" for x, y in others)
            return f'<path class="{classes(index)}" d="M{a:.1f} {b:.1f}C{rest}"/>'
        case Dot(index, x, y):
            return f'<circle class="{classes(index)}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
        case Label(text, x, y, index):
            kind = f' class="name {classes(index)}"' if index is not None else ""
            return f'<text{kind} x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'
        case Shape(body, x, y, width, height):
            left, top = x - width / 2, y - height / 2
            return (
                f'<g class="{body.kind.value}"><rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" '
                f'height="{height:.1f}" rx="{ROUND[body.kind]:.0f}"/>'
                f'<text x="{x:.1f}" y="{y:.1f}">{escape(body.label)}</text></g>'
            )


def svg_style(count: int) -> str:
    """The style of a file with so many indices."""
    light, dark = (
        "".join(f".i{number}{{color:{colour(number, paper)}}}" for number in range(count)) for paper in (LIGHT, DARK)
    )
    return f"{PAPERS}{STYLE}{light}@media (prefers-color-scheme:dark){{{dark}}}"
