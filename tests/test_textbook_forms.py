"""What the engine derives is what a textbook prints, and costs no more."""

from __future__ import annotations

from functools import cache

import pytest

from indexcalc.algebra.canonical import same
from indexcalc.calculus.steps import Derivation
from indexcalc.language import load_problem
from indexcalc.library import shipped_paths
from indexcalc.program import Program
from indexcalc.proof.gradcheck import check_backward
from indexcalc.rewrite.derive import derive
from tests.textbook.forms import FORMS
from tests.textbook.reading import operations, textbook_program, written_out

PATHS = shipped_paths()
every_form = pytest.mark.parametrize("name", FORMS)


@cache
def derivation_of(name: str) -> Derivation:
    return derive(load_problem(PATHS[name]))


@cache
def textbook(name: str) -> Program:
    return textbook_program(derivation_of(name).problem, PATHS[name].read_text(encoding="utf-8"), FORMS[name])


@every_form
def test_the_textbook_is_right(name):
    # The oracles differentiate the forward pass by numbers: they know neither the engine nor the table.
    report = check_backward(derivation_of(name).problem, textbook(name))
    assert report.ok, "\n".join(map(str, report.failures))


@pytest.mark.parametrize(
    ("name", "gradient"), [(name, gradient) for name in FORMS for gradient in textbook(name).outputs]
)
def test_a_gradient_is_the_form_of_the_textbook(name, gradient):
    ours, theirs = derivation_of(name).backward, textbook(name)
    assert same(written_out(ours, gradient), written_out(theirs, gradient)), (
        f"derived: {ours.definitions[gradient].terms}\ntextbook: {theirs.definitions[gradient].terms}"
    )


@every_form
def test_a_backward_pass_costs_no_more_than_that_of_the_textbook(name):
    derivation = derivation_of(name)
    ours, theirs = operations(derivation, derivation.backward), operations(derivation, textbook(name))
    assert all(own <= other for own, other in zip(ours, theirs, strict=True)), f"{ours} is more than {theirs}"
