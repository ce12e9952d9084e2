"""Hard cases, each a spec: derived, every step and proof checked, backward pass and generated code checked.

And once more through the backward pass itself: the gradient of a gradient is a derivation like any other.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from indexcalc.calculus.steps import Derivation, Rule
from indexcalc.consistency import check_program
from indexcalc.generation import render, validate
from indexcalc.language import load_problem
from indexcalc.library import shipped_paths
from indexcalc.problem import Problem, Upstream
from indexcalc.program import Program, Tensor
from indexcalc.proof.gradcheck import check_backward
from indexcalc.proof.steps import check_derivation
from indexcalc.rewrite.derive import derive
from tests.support.gradients import of_gradients

SPECS = {path.stem: path for path in sorted((Path(__file__).parent / "specs").glob("*.ixc"))}
every_spec = pytest.mark.parametrize("name", SPECS)

SHIPPED = shipped_paths()

SLOW_SECOND_DERIVATIVES = {"residual_stack", "high_powers"}


@cache
def derivation_of(name: str) -> Derivation:
    return derive(load_problem(SPECS[name] if name in SPECS else SHIPPED[name]))


def second_sweep(derivation: Derivation) -> Problem:
    """The program that computes the first gradient asked for, and the question for that gradient's own gradients."""
    problem, backward = derivation.problem, derivation.backward
    forward = problem.program
    given = tuple(Tensor(up.name, forward.tensors[up.of].slots) for up in problem.upstream)
    name = backward.outputs[0]
    both = Program(
        forward.title,
        (*forward.inputs, *given),
        (*forward.equations, *derivation.derived),
        (name,),
        forward.indices,
        parameters=forward.parameters,
        assumptions=forward.assumptions,
        unknowns=(*forward.unknowns, *backward.unknowns),
    )
    upstream = next(name for name in ("H", "H2") if name not in both.tensors)
    targets = tuple(tensor.name for tensor in both.inputs if tensor.values is None)
    return Problem(both, (Upstream(upstream, name),), targets)


def test_there_are_enough_hard_cases():
    assert len(SPECS) >= 25


@every_spec
def test_every_step_keeps_its_value(name):
    with np.errstate(all="ignore"):
        assert check_derivation(derivation_of(name), seed=1) == []


@every_spec
def test_the_backward_pass_agrees_with_the_oracles(name):
    derivation = derivation_of(name)
    report = check_backward(derivation.problem, derivation.backward)
    assert report.ok, "\n".join(map(str, report.failures))


UNPROVED = ("energy",)
"""Specs with a claim that holds by numbers, and that no proof reaches since differences stay together."""


@every_spec
def test_what_is_claimed_is_proved(name):
    assert bool(derivation_of(name).unproved) == (name in UNPROVED)


@every_spec
def test_the_generated_code_agrees_with_the_oracles(name):
    derivation = derivation_of(name)
    report = validate(derivation, render(derivation).code)
    assert report.ok, "\n".join(map(str, report.failures))


@pytest.mark.parametrize("name", sorted({*SPECS, *of_gradients()} - SLOW_SECOND_DERIVATIVES))
def test_the_backward_pass_can_be_differentiated_again(name):
    problem = second_sweep(derivation_of(name))
    check_program(problem.program)
    again = derive(problem)
    assert not set(problem.program.tensors) & {equation.name for equation in again.backward.equations}
    report = check_backward(problem, again.backward)
    assert report.ok, "\n".join(map(str, report.failures))


def test_every_rule_is_met_and_so_its_steps_are_checked():
    names = [*SPECS, *SHIPPED]
    met = {step.rule for name in names for step in derivation_of(name).all_steps()}
    # A local derivative is only asked for where there is a dependence, so CONSTANT has a test of its own kind.
    assert met | {Rule.CONSTANT} == set(Rule)
