"""Dataflow diagrams as inline SVG: boxes in rows, arrows between them, links to the sections of tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from indexcalc.notes.blocks import Diagram, Edge, Node
from indexcalc.notes.layers import Layers, Place, layered

LETTER = 7.0
"""The width of a letter of the small font, in units of the drawing; that of the large one is a third more."""

LINE, PAD = 17.0, 10.0
"""The height of a line of text, and the room inside a box."""

ACROSS, DOWN, THIN = 22.0, 44.0, 14.0
"""The room between boxes beside each other, between rows, and for an arrow that passes a row."""

LEAST = 0.6
"""The part of its own width to which a page may shrink a drawing; its letters can still be read."""

WIDEST = 26
"""The most letters on a line that names an operation; a longer one is broken between words."""


@dataclass(frozen=True, slots=True)
class Box:
    """Where a place of the drawing is: its middle, and its size."""

    x: float
    y: float
    width: float
    height: float


def svg_text(diagram: Diagram, links: Mapping[str, str], name: str) -> str:
    """The diagram.

    Args:
        diagram: what is drawn.
        links: the id of the section of a node, by the text of the node.
        name: an id of the page that starts the ids of this drawing.
    """
    numbers = {node.tensor: number for number, node in enumerate(diagram.nodes)}
    layers = layered(len(diagram.nodes), [(numbers[edge.source], numbers[edge.sink]) for edge in diagram.edges])
    lines = [lines_of(node, diagram) for node in diagram.nodes]
    boxes, width, height = placed(layers, lines)
    kept = {(numbers[edge.source], numbers[edge.sink]): edge.kept for edge in diagram.edges}
    paths = {edge: arrow_path([boxes[p] for p in route]) for edge, route in layers.routes.items()}
    loops = [edge for edge in kept if edge[0] == edge[1]]
    width += ACROSS if loops else 0
    paths |= {(source, sink): loop_path(boxes[source]) for source, sink in loops}
    arrows = "\n".join(arrow_text(path, kept[edge], name) for edge, path in paths.items())
    drawn = "\n".join(
        node_text(node, boxes[number], lines[number], links.get(node.tensor))
        for number, node in enumerate(diagram.nodes)
    )
    head = (
        f'<marker id="{name}-tip" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path class="tip" d="M0 0L8 4L0 8z"/></marker>'
    )
    return (
        f'<svg class="flow" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}" '
        f'style="min-width:{LEAST * width:.0f}px" role="group" aria-labelledby="{name}-said">\n'
        f'<title id="{name}-said">{escape(said(diagram))}</title>\n'
        f"<defs>{head}</defs>\n{arrows}\n{drawn}\n</svg>"
    )


def said(diagram: Diagram) -> str:
    """The diagram for those who do not see it."""
    reads: dict[str, list[Edge]] = {}
    for edge in diagram.edges:
        reads.setdefault(edge.sink, []).append(edge)
    parts = [
        f"{sink} from {', '.join(edge.source for edge in edges)} by {edges[0].operation}"
        for sink, edges in reads.items()
    ]
    return "; ".join(parts) or ", ".join(node.tensor for node in diagram.nodes)


def lines_of(node: Node, diagram: Diagram) -> tuple[str, ...]:
    """The lines of a box: the tensor, its shape, and the operation that makes it."""
    operation = next((edge.operation for edge in diagram.edges if edge.sink == node.tensor), "")
    return (node.tensor, node.shape, *broken(operation))


def broken(text: str) -> tuple[str, ...]:
    """A text on lines of at most `WIDEST` letters, if its words allow it."""
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= WIDEST:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return tuple(lines)


def size_of(lines: tuple[str, ...]) -> tuple[float, float]:
    """The width and the height of a box."""
    first, *others = lines
    letters = max(len(first) * 4 / 3, *map(len, others))
    return letters * LETTER + 2 * PAD, len(lines) * LINE + 2 * PAD


def placed(layers: Layers, lines: list[tuple[str, ...]]) -> tuple[dict[Place, Box], float, float]:
    """The box of every place, and the width and height of the drawing; rows are centred."""

    def size(place: Place) -> tuple[float, float]:
        return size_of(lines[place]) if isinstance(place, int) else (THIN, 0.0)

    widths = [sum(size(place)[0] for place in row) + ACROSS * (len(row) - 1) for row in layers.rows]
    width = max(widths, default=0.0) + 2
    boxes: dict[Place, Box] = {}
    top = 1.0
    for row, taken in zip(layers.rows, widths, strict=True):
        tall = max(size(place)[1] for place in row)
        left = (width - taken) / 2
        for place in row:
            own, high = size(place)
            boxes[place] = Box(left + own / 2, top + tall / 2, own, high if isinstance(place, int) else tall)
            left += own + ACROSS
        top += tall + DOWN
    return boxes, width, top - DOWN + 1


def arrow_path(boxes: list[Box]) -> str:
    """The path of an arrow from a box to the last, straight through the rows between; up or down."""
    first, *others = boxes
    way = 1 if others[-1].y > first.y else -1
    x, y = first.x, first.y + way * first.height / 2
    path = f"M{x:.1f} {y:.1f}"
    for number, box in enumerate(others, 1):
        end = box.y - way * box.height / 2
        middle = (y + end) / 2
        path += f"C{x:.1f} {middle:.1f} {box.x:.1f} {middle:.1f} {box.x:.1f} {end:.1f}"
        x, y = box.x, box.y + way * box.height / 2
        if number < len(others):
            path += f"V{y:.1f}"
    return path


def loop_path(box: Box) -> str:
    """The path of an arrow from a box to itself, at its right side."""
    right, above, below = box.x + box.width / 2, box.y - 6, box.y + 6
    out = right + ACROSS
    return f"M{right:.1f} {above:.1f}C{out:.1f} {above - 10:.1f} {out:.1f} {below + 10:.1f} {right:.1f} {below:.1f}"


def arrow_text(path: str, kept: bool, name: str) -> str:
    """An arrow along a path."""
    style = "arrow kept" if kept else "arrow"
    return f'<path class="{style}" d="{path}" marker-end="url(#{name}-tip)"/>'


def node_text(node: Node, box: Box, lines: tuple[str, ...], link: str | None) -> str:
    """A box with its lines; rounded for what comes from elsewhere."""
    left, top = box.x - box.width / 2, box.y - box.height / 2
    radius = 3.0 if node.made else min(box.height, box.width) / 2
    shape = f'<rect x="{left:.1f}" y="{top:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="{radius:.1f}"/>'
    styles = ("tensor", "shape", *("made" for _ in lines[2:]))
    texts = "".join(
        f'<text class="{style}" x="{box.x:.1f}" y="{top + PAD + LINE * (number + 0.75):.1f}">{escape(line)}</text>'
        for number, (style, line) in enumerate(zip(styles, lines, strict=True))
    )
    body = f'<g class="{"node" if node.made else "node given"}">{shape}{texts}</g>'
    return f'<a href="#{link}">{body}</a>' if link else body
