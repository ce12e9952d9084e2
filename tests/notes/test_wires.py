"""The wires of a derivation: every collapse of the table of deltas once, each sum struck out, nothing else."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from indexcalc.algebra.terms import Index
from indexcalc.calculus.steps import Collapse, Derivation
from indexcalc.language.read import load_problem
from indexcalc.notes.tables import deltas_of
from indexcalc.notes.wires import joined, wire_svg, wiring_of
from indexcalc.problem import Problem
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS
from tests.support.programs import problems

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("layer_norm", "lstm", "gaussian_process", "conv2d", "logistic_hessian")


def assert_wires_are_deltas(derivation: Derivation) -> None:
    sections = dict.fromkeys(
        (*derivation.sections, *(section for order in derivation.orders for section in order.sections))
    )
    deltas = [found for section in sections for found, _ in deltas_of(section) if found.collapses or found.left]
    wiring = wiring_of(derivation)
    rows = wiring.rows if wiring is not None else ()
    assert len(rows) == len(deltas)
    for (_, wires), found in zip(rows, deltas, strict=True):
        steps = {
            (killed, after, wire.kept)
            for wire in wires
            if wire.start is None
            for killed, after in zip(wire.killed, (*wire.killed[1:], wire.end), strict=True)
        }
        assert steps == {(collapse.killed, collapse.survivor, kept) for collapse, kept in found.collapses}
        assert sum(len(wire.killed) for wire in wires) == len(found.collapses)
        assert [(wire.start, wire.end) for wire in wires if wire.start is not None] == [
            (delta.left, delta.right) for delta in found.left
        ]
        for wire in wires:
            root = ET.fromstring(wire_svg(wire, "x", lambda index: index.name))
            struck = [path for path in root.findall("path") if path.get("class") == "strike"]
            assert len(struck) == len(wire.killed)
            assert [bool(path.get("stroke-dasharray")) for path in struck] == [wire.kept] * len(struck)
            assert root.findtext("title") == wire.said


@pytest.mark.parametrize("name", [*PROBLEMS, *NAMES])
def test_every_collapse_is_a_wire(name: str) -> None:
    path = ROOT / "derivations" / name / f"{name}.ixc"
    assert_wires_are_deltas(derive(PROBLEMS[name]() if name in PROBLEMS else load_problem(path)))


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(problems())
def test_so_it_is_for_random_programs(problem: Problem) -> None:
    assert_wires_are_deltas(derive(problem))


def test_wires_go_on_where_an_index_that_took_a_place_goes_too() -> None:
    a, b, c, d = (Index(name, 3) for name in "abcd")

    def collapse(killed: Index, survivor: Index) -> tuple[Collapse, bool]:
        return Collapse(None, killed, survivor), False

    chain, other = joined([collapse(a, b), collapse(c, d), collapse(b, d)])
    assert (chain.killed, chain.end) == ((a, b), d)
    assert (other.killed, other.end) == ((c,), d)
    assert chain.said == "The sum over a is gone: a is b. The sum over b is gone: b is d."
    # A sum that another term keeps is told apart.
    assert len(joined([(collapse(a, b)[0], True), collapse(b, c)])) == 2
