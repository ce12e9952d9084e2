"""Closing tables: nothing is left out, and what is said of several tensors is said once."""

from __future__ import annotations

import pytest

from indexcalc.calculus.steps import Collapse
from indexcalc.notes import latex_note, markdown_note
from indexcalc.notes.blocks import Gradient, MatrixDisplays, Table
from indexcalc.notes.tables import delta_blocks, matrix_blocks
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS
from tests.notes.test_familiar import DERIVATION

DERIVED = {name: derive(problem()) for name, problem in PROBLEMS.items()} | {"long": DERIVATION}


@pytest.mark.parametrize("name", sorted(DERIVED))
def test_every_gradient_with_deltas_has_a_row_with_all_that_they_kill(name: str) -> None:
    derivation = DERIVED[name]
    (table,) = [block for block in delta_blocks(derivation) if isinstance(block, Table)]
    rows = {span.entry.tensor: row for row in table.rows for span in row[-1] if isinstance(span, Gradient)}
    for section in derivation.sections:
        killed = {step.detail.killed for step in section.all_steps() if isinstance(step.detail, Collapse)}
        if section.target is not None:
            assert killed <= set(rows[section.target][1])


def test_a_long_note_has_its_matrix_forms_in_the_list_of_assignments() -> None:
    assert any(isinstance(block, MatrixDisplays) for block in matrix_blocks(DERIVED["attention"]))
    assert not any(isinstance(block, MatrixDisplays) for block in matrix_blocks(DERIVATION))
    text = markdown_note(DERIVATION)
    assert text.index("## Matrix form") < text.index("written between whole arrays") < text.index("\\gets")


def test_a_long_table_may_break() -> None:
    assert r"\begin{longtable}[l]" in latex_note(DERIVATION)
