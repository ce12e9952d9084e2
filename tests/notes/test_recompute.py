"""What a note says of tensors that are not kept: where they are defined, in the summary, diagram, tables and sheet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from indexcalc.algebra.terms import Access
from indexcalc.calculus.steps import Derivation
from indexcalc.cost.streams import memory_of
from indexcalc.notes import displayed_equations, latex_note, markdown_note
from indexcalc.notes.blocks import Diagram, Display, Paragraph, Symbol, Table, displays_of
from indexcalc.notes.diagram import diagram_blocks
from indexcalc.notes.setup import recompute_blocks
from indexcalc.notes.symbols import symbol_blocks
from indexcalc.notes.tables import summary_blocks
from indexcalc.notes.views import storage_blocks
from indexcalc.proof.sampling import sample_point, size_sets, weights_for
from indexcalc.rewrite.derive import derive
from indexcalc.worksheet.sheet import worksheet
from indexcalc.worksheet.values import Values
from tests.notes.problems import attention


def recomputing(*names: str) -> Derivation:
    return derive(replace(attention(), recompute=names))


def text_of(block: Paragraph) -> str:
    shown = [span.tensor if isinstance(span, Symbol) else span for span in block.spans]
    return "".join(span for span in shown if isinstance(span, str))


@pytest.mark.parametrize(
    ("names", "sentences"),
    [
        ((), []),
        (
            ("S", "A"),
            [
                "S and A are not kept after the forward pass. "
                "The backward pass computes them again by the same equations, from Q and K."
            ],
        ),
        (
            ("A",),
            [
                "A is not kept after the forward pass. "
                "The backward pass computes it again by the same equations, from S."
            ],
        ),
        (("S",), ["S is not kept after the forward pass, and the backward pass does without."]),
    ],
)
def test_the_forward_pass_ends_with_what_is_not_kept(names: tuple[str, ...], sentences: list[str]) -> None:
    assert [text_of(block) for block in recompute_blocks(recomputing(*names)) if isinstance(block, Paragraph)] == (
        sentences
    )


def test_the_summary_computes_again_first_and_boxes_none_of_it() -> None:
    derivation = recomputing("S", "A")
    shown = [display for display in displays_of(tuple(summary_blocks(derivation))) if isinstance(display, Display)]
    names = [display.left.tensor for display in shown if isinstance(display.left, Access)]
    assert names[:4] == ["S", "Z", "A", "dV"]
    assert not any(display.boxed for display in shown[:3])


def test_recomputed_tensors_are_boxes_with_dotted_arrows() -> None:
    _, backward = diagram_blocks(recomputing("S", "A"))
    assert isinstance(backward, Diagram)
    assert backward.caption.endswith("or S and A, computed again from it.")
    assert [node.tensor for node in backward.nodes if not node.made] == ["Q", "K", "V", "O", "G = dL/dO"]
    assert all(edge.kept for edge in backward.edges if edge.source in {"S", "A"} or edge.sink in {"S", "A"})
    assert not any("Z" in (edge.source, edge.sink) for edge in backward.edges)


def test_the_tables_say_what_is_computed_again() -> None:
    derivation = recomputing("S", "A")
    _, backward = [block for block in symbol_blocks(derivation) if isinstance(block, Table)]
    assert [row[0] for row in backward.rows if row[2] == ("computed again",)] == [
        (Symbol("S"),),
        (Symbol("Z"),),
        (Symbol("A"),),
    ]
    (storage,) = [block for block in storage_blocks(derivation) if isinstance(block, Table)]
    again = [row[0] for row in storage.rows if str(row[3][0]).startswith("not kept: computed again from ")]
    assert again == [(Symbol("S"),), (Symbol("Z"),), (Symbol("A"),)]
    assert memory_of(derivation.problem.program, derivation.backward).unread == ()


def test_views_unfold_gradients_alone() -> None:
    text = markdown_note(recomputing("S", "A"), views=("entries",))
    entries = text[text.index("## One entry in one formula") : text.index("## Implementation summary")]
    assert "A_{ij}" in entries
    assert "e^{" not in entries


def test_every_equation_of_the_backward_pass_is_displayed() -> None:
    derivation = recomputing("S", "A")
    shown = displayed_equations(derivation)
    assert all((equation.lhs, equation.terms) in shown for equation in derivation.backward.equations)
    assert "computed again" in latex_note(derivation)


def test_a_sheet_works_every_tensor_out_once() -> None:
    derivation = recomputing("S", "A")
    problem, rng = derivation.problem, np.random.default_rng(0)
    point = sample_point(problem.program, size_sets(problem.program, rng)[0], rng)
    weights = weights_for(problem, point, rng)
    inputs = {tensor.name: point.values[tensor.name] for tensor in problem.program.inputs}
    values = Values(inputs, {"G": weights["O"]}, point.sizes, {})
    assert worksheet(derivation, values) == worksheet(recomputing(), values)
