"""The section on cost: every equation once, totals before and after, and what is held."""

from __future__ import annotations

import pytest

from indexcalc.algebra.terms import Access
from indexcalc.cost import cost_report
from indexcalc.language import read_problem
from indexcalc.notes import latex_note, markdown_note
from indexcalc.notes.blocks import Polynomial, Table
from indexcalc.notes.costs import cost_blocks
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS

DERIVED = {name: derive(problem()) for name, problem in PROBLEMS.items()}
every_problem = pytest.mark.parametrize("name", sorted(DERIVED))


def tables(name: str) -> list[Table]:
    return [block for block in cost_blocks(DERIVED[name]) if isinstance(block, Table)]


@every_problem
def test_every_equation_has_its_cost_and_no_two_rows_are_alike(name: str) -> None:
    derivation = DERIVED[name]
    table, _ = tables(name)
    listed = [span for row in table.rows for span in row[-1] if isinstance(span, Access)]
    equations = (*derivation.problem.program.equations, *derivation.backward.equations)
    assert sorted(entry.tensor for entry in listed) == sorted(equation.name for equation in equations)
    assert len({row[:-1] for row in table.rows}) == len(table.rows)


@every_problem
def test_the_totals_are_those_of_the_report(name: str) -> None:
    report = cost_report(DERIVED[name])
    _, totals = tables(name)
    shown = {row[0]: (row[1], row[2]) for row in totals.rows}
    for label, cost in ((("forward",), report.forward), (("backward",), report.backward)):
        assert shown[label] == ((Polynomial(cost.flops),), (Polynomial(cost.moved),))
    assert len(shown) == len(totals.rows)


def test_the_note_says_what_simplification_saves_and_what_is_held() -> None:
    note = markdown_note(DERIVED["layer_norm"])
    section = note[note.index("## Cost and memory") :]
    assert "| backward, before simplification | $`17 H N" in section
    report = cost_report(DERIVED["layer_norm"])
    held = f"Inputs and results hold $`{report.ends}`$ entries. Besides them, at most $`{report.peak}`$ entries"
    assert held in section
    assert r"forward & \(8 H N + 5 N\)" in latex_note(DERIVED["layer_norm"])


def test_where_nothing_changes_there_is_no_row_for_it() -> None:
    note = markdown_note(DERIVED["linear"])
    assert "before simplification" not in note
    assert "and there is no other tensor to hold." in note


def test_extents_that_add_up_stand_in_brackets_in_products():
    text = """
    index n : N
    index k : K
    index i : N-K+1
    index b : B
    input x[b,n], w[k]
    y[b,i] = sum[k](x[b,i+k] * w[k])
    """
    note = markdown_note(derive(read_problem(text)))
    assert r"| $`y`$ | $`B \times (N - K + 1)`$ |" in note
    assert r"| forward | $`2 (N - K + 1) B K`$ |" in note
