"""The sum that a delta collapses: found in the layout, and the one that the derivation collapses."""

from __future__ import annotations

import re

import pytest

from indexcalc.algebra.terms import Index
from indexcalc.calculus.steps import Collapse
from indexcalc.notes import Detail, html_note
from indexcalc.notes.blocks import displays_of
from indexcalc.notes.collapses import COLLAPSE_MARK, SUM_MARK, with_collapses
from indexcalc.notes.formula import Aligned, Boxed, Bracketed, Fraction, Marked, Node, Root, Row, Scripted
from indexcalc.notes.formula_reader import read_formula
from indexcalc.notes.html import page_of
from indexcalc.notes.levels import parts_of
from indexcalc.notes.names import index_mark
from indexcalc.notes.outline import outline
from indexcalc.notes.render import display_latex
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS


def marks_in(node: Node) -> list[str]:
    """The marks of a formula in order."""
    match node:
        case Marked(mark, body):
            return [mark, *marks_in(body)]
        case Row(items):
            return [mark for item in items for mark in marks_in(item)]
        case Bracketed(body=body) | Boxed(body) | Root(body=body):
            return marks_in(body)
        case Fraction(above, below):
            return marks_in(above) + marks_in(below)
        case Scripted(base, below, above):
            return [mark for part in (base, below, above) if part is not None for mark in marks_in(part)]
        case Aligned(lines):
            return [mark for line in lines for cell in line for mark in marks_in(cell)]
    return []


def written(formula: str) -> str:
    """A formula with a mark on every i, j and k, and on d as the delta."""
    letters = re.compile(r"(?<![\\a-z])[ijk]+(?![a-z])")
    spelled = letters.sub(lambda found: "".join(rf"\mark{{{letter}}}{{{letter}}}" for letter in found[0]), formula)
    return spelled.replace("d_", r"\mark{delta}{\delta}_")


@pytest.mark.parametrize(
    ("formula", "found"),
    [
        (r"\sum_{j} d_{ij} x_{j}", ["0:j"]),
        (r"\sum_{j} d_{ji}", ["0:j"]),
        (r"\sum_{k, j} d_{i,j}", ["0:j"]),
        (r"d_{ij}", []),
        (r"\sum_{i, j} d_{ij}", []),
        (r"\sum_{j} x_{j} + d_{ij}", []),
        (r"\sum_{j} (x_{j} + d_{ij})", ["0:j"]),
        (r"(\sum_{j} x_{j}) d_{ij}", []),
        (r"\sum_{j} \frac{d_{ij}}{x} - \sum_{k} d_{ik}", ["0:j", "1:k"]),
        (r"\sum_{j} d_{i,2j+k}", []),
        (r"\sum_{i} d_{i,2j+k}", ["0:i"]),
        (
            "\\begin{aligned}\nx &= \\sum_{j} x \\\\\n&\\qquad \\cdot d_{ij} \\\\\n&\\qquad + d_{ij}\n\\end{aligned}",
            ["0:j"],
        ),
        ("\\begin{aligned}\nx &= (\\sum_{j} x \\\\\n&\\qquad \\cdot x) \\, d_{ij}\n\\end{aligned}", []),
    ],
)
def test_a_delta_collapses_the_sum_over_its_index(formula: str, found: list[str]) -> None:
    marks = marks_in(with_collapses(read_formula(written(formula))))
    assert [mark.removeprefix(COLLAPSE_MARK) for mark in marks if mark.startswith(COLLAPSE_MARK)] == found
    sums = [mark for mark in marks if mark.startswith(SUM_MARK)]
    assert len(sums) == len(set(sums)) == formula.count(r"\sum")


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_what_is_marked_is_what_the_derivation_collapses(name: str) -> None:
    derivation = derive(PROBLEMS[name]())
    blocks = outline(derivation)
    notation = page_of(derivation, parts_of(derivation), Detail.FULL, {}).notation
    steps = [step.detail for section in derivation.sections for step in section.all_steps()]
    killed = {index_mark(detail.killed) for detail in steps if isinstance(detail, Collapse)}
    assert all(isinstance(detail.killed, Index) for detail in steps if isinstance(detail, Collapse))
    marked = set()
    for display in displays_of(blocks):
        for mark in marks_in(with_collapses(read_formula(display_latex(display, notation)))):
            if mark.startswith(COLLAPSE_MARK):
                marked.add(mark.removeprefix(COLLAPSE_MARK).partition(":")[2])
    assert marked
    assert marked <= killed


@pytest.mark.parametrize("name", sorted(PROBLEMS))
def test_every_collapse_on_the_page_has_its_sum(name: str) -> None:
    page = html_note(derive(PROBLEMS[name]()))
    for formula in re.findall(r"<math.*?</math>", page, re.DOTALL):
        sums = set(re.findall(r'data-sum="(\d+)"', formula))
        assert set(re.findall(r'data-collapses="(\d+)"', formula)) <= sums
