"""A brief note shows a part of what the full one shows: every result and every delta, and no equation of its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from indexcalc.calculus.steps import Derivation
from indexcalc.cli.app import app
from indexcalc.language.read import load_problem
from indexcalc.notes import Detail, html_note, latex_note, markdown_note
from indexcalc.notes.blocks import Display, Table, displays_of
from indexcalc.notes.outline import outline
from indexcalc.notes.sides import side_terms
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("attention", "layer_norm", "softmax_cross_entropy", "clip", "lstm", "gaussian_process", "logistic_hessian")


def shipped(name: str) -> Derivation:
    return derive(load_problem(ROOT / "derivations" / name / f"{name}.ixc"))


@pytest.fixture(params=[*PROBLEMS, *SHIPPED])
def derivation(request) -> Derivation:
    return derive(PROBLEMS[request.param]()) if request.param in PROBLEMS else shipped(request.param)


def equations(derivation: Derivation, detail: Detail) -> set[object]:
    blocks = outline(derivation, detail=detail)
    return {(display.left, side_terms(side)) for display in displays_of(blocks) for side in display.sides}


def boxed(derivation: Derivation, detail: Detail) -> set[object]:
    return {(d.left, d.sides[-1]) for d in displays_of(outline(derivation, detail=detail)) if d.boxed}


def test_a_brief_note_shows_no_other_equation_than_the_full_one_and_its_steps(derivation):
    steps = {(step.subject, step.after) for section in derivation.sections for step in section.all_steps()}
    assert equations(derivation, Detail.BRIEF) <= equations(derivation, Detail.FULL) | steps


def test_a_brief_note_shows_every_result_and_every_delta(derivation):
    results = {(section.equation.lhs, section.equation.terms) for section in derivation.sections if section.target}
    assert results <= equations(derivation, Detail.BRIEF)
    assert boxed(derivation, Detail.BRIEF) <= boxed(derivation, Detail.FULL)
    tables = [
        [
            block.rows
            for block in outline(derivation, detail=detail)
            if isinstance(block, Table) and "Deltas" in block.header
        ]
        for detail in Detail
    ]
    assert tables[0] == tables[1]


def test_a_brief_note_is_shorter(derivation):
    def size(detail: Detail) -> tuple[int, int]:
        note = markdown_note(derivation, detail=detail)
        return note.count("```math"), len(note)

    (displays, length), (others, whole) = size(Detail.BRIEF), size(Detail.FULL)
    assert displays <= others
    assert length < whole


def test_attention_in_brief_is_as_short_as_a_note_by_hand():
    note = markdown_note(shipped("attention"), detail=Detail.BRIEF)
    prose = re.sub(r"\$`.*?`\$", "X", re.sub(r"```.*?```", "", note, flags=re.DOTALL))
    assert note.count("```math") <= 60
    assert len(re.sub(r"[|#*-]", " ", prose).split()) <= 1600


def test_chains_end_in_a_result_of_its_own():
    """Steps that only write an expression in another way are one chain, and the box holds the result alone."""
    chains = [d for d in displays_of(outline(shipped("layer_norm"), detail=Detail.BRIEF)) if len(d.sides) > 2]
    assert chains
    assert not any(isinstance(chain, Display) and chain.boxed for chain in chains)


@pytest.mark.parametrize("write", [markdown_note, latex_note, html_note])
def test_every_format_has_both(write):
    derivation = shipped("linear")
    assert write(derivation) == write(derivation, detail=Detail.FULL)
    assert len(write(derivation, detail=Detail.BRIEF)) < len(write(derivation))


def test_the_command_takes_it(tmp_path):
    for detail in Detail:
        found = CliRunner().invoke(app, ["derive", "linear", "--out", str(tmp_path / detail), "--detail", detail])
        assert found.exit_code == 0
    brief, full = ((tmp_path / detail / "linear.md").read_text(encoding="utf-8") for detail in Detail)
    assert "## Symbols" in full
    assert "## Symbols" not in brief
    found = CliRunner().invoke(app, ["derive", "linear", "--out", str(tmp_path / "new"), "--detail", "long"])
    assert found.exit_code == 2
    assert not (tmp_path / "new").exists()


def test_what_deltas_collapse_stands_before_they_do_though_the_steps_are_told_together():
    note = markdown_note(shipped("attention"), detail=Detail.BRIEF)
    where = r"which reads it in $`\sum_{c} A_{ac} \, V_{cb}`$. There, $`\delta_{cj}`$ collapses the sum over $`c`$."
    back = (
        r"= \sum_{a, b} G_{ab} \, \frac{\partial O_{ab}}{\partial A_{ij}} = \sum_{a, b} G_{ab} \, \delta_{ai} \, V_{jb}"
    )
    assert where in note
    assert f"{back}\n```" in note


def test_what_an_exchange_makes_of_the_derivative_of_a_consumer_is_said():
    note = markdown_note(shipped("attention"), detail=Detail.BRIEF)
    assert r"they give $`\partial S_{ab}/\partial K_{jk} = \frac{1}{\sqrt{d}} \, Q_{ak} \, \delta_{bj}`$" in note


def test_a_brief_note_has_the_cost_in_all():
    notes = {detail: markdown_note(shipped("attention"), detail=detail) for detail in Detail}
    assert {detail for detail, note in notes.items() if "| Pass |" in note} == {Detail.FULL}
    assert all("| backward |" in note for note in notes.values())
