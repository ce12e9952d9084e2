"""What the engine derives is what a textbook prints, and costs no more."""

from __future__ import annotations

from functools import cache

import pytest

from indexcalc.algebra.canonical import same
from indexcalc.calculus.steps import Derivation
from indexcalc.language import load_problem
from indexcalc.library import shipped_paths
from indexcalc.problem import Problem
from indexcalc.program import Program
from indexcalc.proof.gradcheck import check_backward
from indexcalc.rewrite.derive import derive
from tests.textbook.forms import FORMS
from tests.textbook.reading import operations, textbook_program, written_out

PATHS = shipped_paths()
every_form = pytest.mark.parametrize("name", FORMS)


@cache
def problem_of(name: str) -> Problem:
    return load_problem(PATHS[name])


@cache
def derivation_of(name: str) -> Derivation:
    return derive(problem_of(name))


@cache
def textbook(name: str) -> Program:
    return textbook_program(problem_of(name), PATHS[name].read_text(encoding="utf-8"), FORMS[name])


@every_form
def test_the_textbook_is_right(name):
    # The oracles differentiate the forward pass by numbers: they know neither the engine nor the table.
    report = check_backward(problem_of(name), textbook(name))
    assert report.ok, "\n".join(map(str, report.failures))


@pytest.mark.parametrize(
    ("name", "target"),
    [(name, target) for name in FORMS for target in problem_of(name).targets],
)
def test_a_gradient_is_the_form_of_the_textbook(name, target):
    gradient = problem_of(name).gradient_names[target]
    ours, theirs = derivation_of(name).backward, textbook(name)
    assert same(written_out(ours, gradient), written_out(theirs, gradient)), (
        f"derived: {ours.definitions[gradient].terms}\ntextbook: {theirs.definitions[gradient].terms}"
    )


@every_form
def test_a_backward_pass_costs_no_more_than_that_of_the_textbook(name):
    # Both are counted as written, so that `a * (b - c)` is less than `a * b - a * c`.
    ours, theirs = (operations(problem_of(name), found) for found in (derivation_of(name).backward, textbook(name)))
    assert ours <= theirs


@every_form
def test_a_backward_pass_names_no_more_tensors_than_that_of_the_textbook(name):
    ours, theirs = (
        [equation.name for equation in found.equations] for found in (derivation_of(name).backward, textbook(name))
    )
    assert len(ours) <= len(theirs), f"{ours} for {theirs}"
