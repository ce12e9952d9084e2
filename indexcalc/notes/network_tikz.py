"""Tensor networks as TikZ pictures, in the colours that the page has on light paper."""

from __future__ import annotations

from collections.abc import Callable

from indexcalc.algebra.terms import Index
from indexcalc.notes.colours import LIGHT, colour
from indexcalc.notes.names import GREEK, greek_name
from indexcalc.notes.network_layout import Curve, Dot, Drawing, Label, Part, Shape
from indexcalc.notes.networks import Kind

ROUND = {Kind.TENSOR: "9pt", Kind.POINTWISE: "1pt", Kind.CONDITION: "6pt"}
"""How round the corners of a body are."""

EXTRA = {Kind.TENSOR: "", Kind.POINTWISE: ", line width=1.6pt", Kind.CONDITION: ", dashed"}
"""What else marks a body."""

SPECIAL = {
    **{character: f"\\{character}" for character in "#$%&_{}"},
    **{"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"},
    **{"<": "$<$", ">": "$>$", "−": "$-$", "≤": r"$\le$", "≠": r"$\ne$", "√": r"$\surd$", "Σ": r"$\Sigma$"},
    **{"∂": r"$\partial$", "δ": r"$\delta$", "·": r"$\cdot$", "…": r"\dots{}", "*": r"$*$"},
}
"""What TeX reads otherwise, or has no letter for."""

Names = Callable[[Index], str]
"""The name of an index's colour."""


def tex_text(text: str) -> str:
    """Text in which nothing is a command."""
    return "".join(SPECIAL.get(one) or letter(one) for one in text)


def letter(character: str) -> str:
    """A letter; a Greek one as mathematics."""
    name = greek_name(character)
    return f"${GREEK[name]}$" if name is not None and name in GREEK else character


def index_text(index: Index) -> str:
    """The name of an index as mathematics; a Greek one is its letter."""
    return f"${GREEK[index.name]}$" if index.name in GREEK else rf"\textit{{{tex_text(index.name)}}}"


def colour_definitions(count: int) -> str:
    """The colours of so many indices."""
    return "\n".join(
        rf"\definecolor{{index{number}}}{{HTML}}{{{colour(number, LIGHT)[1:].upper()}}}" for number in range(count)
    )


def network_tikz(drawing: Drawing, names: Names) -> str:
    """A drawing as a picture; heights grow downwards, as in the page."""
    ordered = sorted(drawing.parts, key=lambda part: not isinstance(part, Curve))
    body = "\n".join(f"  {part_tikz(part, names)}" for part in ordered)
    return f"\\begin{{tikzpicture}}[x=0.75pt, y=-0.75pt, font=\\sffamily\\footnotesize]\n{body}\n\\end{{tikzpicture}}"


def part_tikz(part: Part, names: Names) -> str:
    """One part."""
    match part:
        case Curve(index, points):
            a, b, c, d = (f"({x:.1f},{y:.1f})" for x, y in points)
            return rf"\draw[{names(index)}, line width=1.2pt] {a} .. controls {b} and {c} .. {d};"
        case Dot(index, x, y):
            return rf"\fill[{names(index)}] ({x:.1f},{y:.1f}) circle[radius=2.4pt];"
        case Label(text, x, y, index):
            style = "" if index is None else f"[{names(index)}]"
            return rf"\node{style} at ({x:.1f},{y:.1f}) {{{tex_text(text) if index is None else index_text(index)}}};"
        case Shape(body, x, y, width, height):
            size = f"minimum width={0.75 * width:.1f}pt, minimum height={0.75 * height:.1f}pt"
            look = f"draw, fill=white, inner sep=0pt, rounded corners={ROUND[body.kind]}{EXTRA[body.kind]}"
            return rf"\node[{look}, {size}] at ({x:.1f},{y:.1f}) {{{tex_text(body.label)}}};"
