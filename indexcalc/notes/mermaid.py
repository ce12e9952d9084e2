"""Diagrams in Mermaid's language, which GitHub draws."""

from __future__ import annotations

from indexcalc.notes.blocks import Diagram, Node

ESCAPES = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "&": "#amp;", "`": "#96;", "|": "#124;"}
"""What ends or changes a quoted label, as Mermaid's entities."""


def mermaid_text(diagram: Diagram) -> str:
    """The diagram, from top to bottom; nodes have names of their own, so that no tensor's name is a keyword."""
    ids = {node.tensor: f"n{number}" for number, node in enumerate(diagram.nodes)}
    lines = ["flowchart TD", *(f"    {ids[node.tensor]}{node_text(node)}" for node in diagram.nodes)]
    for edge in diagram.edges:
        arrow = "-.->" if edge.kept else "-->"
        lines.append(f"    {ids[edge.source]} {arrow}|{quoted(edge.operation)}| {ids[edge.sink]}")
    return "\n".join(lines)


def node_text(node: Node) -> str:
    """A box, or a rounded one for what comes from elsewhere."""
    label = f'"{escaped(node.tensor)}<br/>{escaped(node.shape)}"'
    return f"[{label}]" if node.made else f"([{label}])"


def quoted(text: str) -> str:
    """A label in quotes."""
    return f'"{escaped(text)}"'


def escaped(text: str) -> str:
    """Text that cannot end its label."""
    return "".join(ESCAPES.get(character, character) for character in text)
