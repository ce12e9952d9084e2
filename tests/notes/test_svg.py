"""Diagrams as SVG: every tensor a box, every read an arrow, boxes beside each other, texts escaped."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from indexcalc.notes.blocks import Diagram, Edge, Node
from indexcalc.notes.diagram import diagram_blocks, joined_diagram
from indexcalc.notes.svg import svg_text
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_every_node_is_a_box_and_every_edge_an_arrow(name: str) -> None:
    derivation = derive(PROBLEMS[name]())
    for diagram in (*diagram_blocks(derivation), joined_diagram(derivation)):
        root = ET.fromstring(svg_text(diagram, {}, "d"))
        assert [text.text for text in root.iter("text") if text.get("class") == "tensor"] == [
            node.tensor for node in diagram.nodes
        ]
        arrows = [path for path in root.iter("path") if str(path.get("class")).startswith("arrow")]
        assert len(arrows) == len({(edge.source, edge.sink) for edge in diagram.edges})
        kept = {(edge.source, edge.sink) for edge in diagram.edges if edge.kept}
        assert sum(path.get("class") == "arrow kept" for path in arrows) == len(kept)


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_boxes_do_not_overlap_and_are_inside(name: str) -> None:
    derivation = derive(PROBLEMS[name]())
    for diagram in (*diagram_blocks(derivation), joined_diagram(derivation)):
        root = ET.fromstring(svg_text(diagram, {}, "d"))
        width, height = float(root.get("width", "0")), float(root.get("height", "0"))
        boxes = [[float(rect.get(key, "nan")) for key in ("x", "y", "width", "height")] for rect in root.iter("rect")]
        for number, (x, y, wide, high) in enumerate(boxes):
            assert 0 <= x < x + wide <= width
            assert 0 <= y < y + high <= height
            for other_x, other_y, other_wide, other_high in boxes[:number]:
                beside = x >= other_x + other_wide or other_x >= x + wide
                assert beside or y >= other_y + other_high or other_y >= y + high


def test_a_box_leads_to_its_section() -> None:
    diagram = Diagram("", (Node("a", "N", made=False), Node("b", "N")), (Edge("a", "b", "copy"),))
    root = ET.fromstring(svg_text(diagram, {"b": "h7"}, "d"))
    (link,) = root.iter("a")
    assert link.get("href") == "#h7"
    assert [text.text for text in link.iter("text")] == ["b", "N", "copy"]


def test_texts_are_no_markup() -> None:
    nodes = (Node("<a>", '"&', made=False), Node("b", "<N>"))
    text = svg_text(Diagram("", nodes, (Edge("<a>", "b", "</text><script>"),)), {}, "d")
    root = ET.fromstring(text)
    assert not list(root.iter("script"))
    assert "</text><script>" in "".join(root.itertext())
    assert re.search("<a>", text) is None
