"""Whole derivations: hard programs, and the backward pass differentiated again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexcalc.language import read_problem
from indexcalc.proof.gradcheck import check_backward
from indexcalc.proof.steps import check_derivation
from indexcalc.rewrite.derive import derive
from tests.rewrite.specs import SPECS


@pytest.mark.parametrize("name", SPECS)
def test_a_hard_program_is_derived_and_every_step_keeps_its_value(name):
    problem = read_problem(SPECS[name], slug=name)
    derivation = derive(problem)
    assert check_derivation(derivation) == []
    report = check_backward(problem, derivation.backward)
    assert report.ok, "\n".join(map(str, report.failures))


def test_a_problem_is_not_changed_by_deriving_it():
    problem = read_problem(SPECS["attention"])
    copy = replace(problem)
    assert derive(problem).backward == derive(copy).backward
