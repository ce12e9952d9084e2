"""Whole derivations: hard programs, and the backward pass differentiated again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from indexcalc.language import read_problem
from indexcalc.problem import Problem, Upstream
from indexcalc.program import Program, check_program
from indexcalc.proof.gradcheck import check_backward
from indexcalc.proof.oracles import total_gradient
from indexcalc.proof.sampling import sample_point, size_sets, weights_for
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


def second(problem: Problem, targets: tuple[str, ...]) -> Problem:
    """The first backward pass appended to the forward pass, and its gradients to be differentiated."""
    first = derive(problem)
    forward, backward = problem.program, first.backward
    known = set(forward.tensors)
    upstream = tuple(tensor for tensor in backward.inputs if tensor.name not in known)
    both = Program(
        title="twice",
        inputs=(*forward.inputs, *upstream),
        equations=(*forward.equations, *first.derived),
        outputs=backward.outputs,
        indices=forward.indices,
        parameters=forward.parameters,
        assumptions=forward.assumptions,
    )
    check_program(both)
    return Problem(both, tuple(Upstream(f"V_{name}", name) for name in backward.outputs), targets)


@pytest.mark.parametrize("name", ["softmax_rows", "layer_norm", "attention", "logistic_regression"])
def test_the_backward_pass_can_be_differentiated_again(name):
    problem = second(read_problem(SPECS[name]), (read_problem(SPECS[name]).targets[0],))
    derivation = derive(problem)
    assert check_derivation(derivation) == []
    report = check_backward(problem, derivation.backward)
    assert report.ok, "\n".join(map(str, report.failures))


def test_a_second_derivative_is_the_derivative_of_the_gradient():
    problem = read_problem("index i : n\ninput x[i]\nL = sum[i](exp(2 * x[i]))\nloss L\nderive x")
    twice = second(problem, ("x",))
    rng = np.random.default_rng(0)
    point = sample_point(twice.program, size_sets(twice.program, rng)[0], rng)
    weights = weights_for(twice, point, rng)
    found = total_gradient(twice.program, point, weights, "x")
    np.testing.assert_allclose(found, 4 * np.exp(2 * point.values["x"]) * weights["dx"], rtol=1e-12)
    assert check_backward(twice, derive(twice).backward).ok


def test_a_problem_is_not_changed_by_deriving_it():
    problem = read_problem(SPECS["attention"])
    copy = replace(problem)
    assert derive(problem).backward == derive(copy).backward
