"""Diagrams and the table of symbols hold every tensor and every read."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from indexcalc.algebra.terms import tensors_of
from indexcalc.language.read import read_problem
from indexcalc.notes import markdown_note
from indexcalc.notes.blocks import Diagram, Edge, Node, Symbol, Table
from indexcalc.notes.diagram import LOSS, MOST_JOINED, diagram_blocks, joined_diagram, shown_diagrams
from indexcalc.notes.mermaid import mermaid_text
from indexcalc.notes.symbols import symbol_blocks
from indexcalc.problem import Upstream
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS

DERIVED = {name: derive(problem()) for name, problem in PROBLEMS.items()}


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_every_tensor_is_a_node_and_every_read_an_edge(name: str) -> None:
    forward, backward = diagram_blocks(DERIVED[name])
    program = DERIVED[name].problem.program
    hoisted = {equation.name for equation in program.equations if equation.hoisted}
    assert {node.tensor for node in forward.nodes} == set(program.tensors) - hoisted
    edges = {(edge.source, edge.sink) for edge in forward.edges}
    for equation in program.equations:
        for read in set(tensors_of(equation.terms)) - hoisted:
            sinks = program.consumers[equation.name] if equation.hoisted else (equation.name,)
            assert all((read, sink) in edges for sink in sinks)
    assert len(backward.nodes) == len(DERIVED[name].backward.tensors)
    reads = [(read, eq.name) for eq in DERIVED[name].backward.equations for read in tensors_of(eq.terms)]
    assert len(backward.edges) == len(reads)
    assert sum(edge.kept for edge in backward.edges) == sum(read in program.tensors for read, _ in reads)


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_the_joined_diagram_has_every_node_once_and_every_edge(name: str) -> None:
    passes, joined = tuple(diagram_blocks(DERIVED[name])), joined_diagram(DERIVED[name])
    names = [node.tensor for node in joined.nodes]
    assert len(set(names)) == len(names)
    assert {*names} == {node.tensor for one in passes for node in one.nodes}
    assert {*joined.edges} - {edge for one in passes for edge in one.edges} == {
        edge for edge in joined.edges if edge.operation == LOSS
    }
    assert {edge for one in passes for edge in one.edges} <= {*joined.edges}
    assert shown_diagrams(DERIVED[name]) == ((joined,) if len(names) <= MOST_JOINED else passes)
    upstream = DERIVED[name].problem.upstream
    assert {edge.source for edge in joined.edges if edge.operation == LOSS} == {up.of for up in upstream}


def test_a_folded_sum_passes_its_reads_on() -> None:
    forward, _ = diagram_blocks(DERIVED["attention"])
    assert Edge("S", "A", "softmax over j") in forward.edges
    assert all(node.tensor != "Z" for node in forward.nodes)


def test_labels_cannot_end_early() -> None:
    nodes = (Node('a"b', "2 × 3", made=False), Node("end", "<T>"))
    text = mermaid_text(Diagram("", nodes, (Edge('a"b', "end", 'x|"y"', kept=True),)))
    assert text.splitlines() == [
        "flowchart TD",
        '    n0(["a#quot;b<br/>2 × 3"])',
        '    n1["end<br/>#lt;T#gt;"]',
        '    n0 -.->|"x#124;#quot;y#quot;"| n1',
    ]


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_the_mermaid_text_is_well_formed(name: str) -> None:
    text = markdown_note(DERIVED[name])
    blocks = re.findall(r"```mermaid\n(.*?)\n```", text, re.DOTALL)
    assert len(blocks) == 2
    node = r'n\d+(?:\[|\(\[)"[^"]+"(?:\]|\]\))'
    edge = r'n\d+ (?:-->|-\.->)\|"[^"]+"\| n\d+'
    for block in blocks:
        first, *lines = block.splitlines()
        assert first == "flowchart TD"
        assert all(re.fullmatch(rf"    (?:{node}|{edge})", line) for line in lines)


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_the_table_of_symbols_holds_every_tensor(name: str) -> None:
    tables = [block for block in symbol_blocks(DERIVED[name]) if isinstance(block, Table)]
    listed = [row[0] for table in tables for row in table.rows]
    derivation = DERIVED[name]
    assert {cell for (cell,) in listed} == {
        Symbol(tensor) for tensor in (*derivation.problem.program.tensors, *derivation.backward.tensors)
    }
    assert len(listed) == len(set(listed))


def test_a_sum_that_is_an_output_has_a_node_although_the_reader_named_it():
    problem = read_problem("index i, j : N\ninput x[i]\nZ = sum[j](exp(x[j]))\np[i] = exp(x[i]) / Z\nderive x\n")
    named, last = problem.program.equations
    program = replace(problem.program, equations=(replace(named, hoisted=True), last), outputs=("Z", "p"))
    upstream = (*problem.upstream, Upstream("G", "Z"))
    found = joined_diagram(derive(replace(problem, program=program, upstream=upstream)))
    assert {name for edge in found.edges for name in (edge.source, edge.sink)} <= {n.tensor for n in found.nodes}
