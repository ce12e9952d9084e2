"""Every shipped derivation: its files are what the engine writes, its steps keep their values, its code is right.

And that the check can be trusted: every wrong variant of every gradient is caught. Where the files are the same, steps
and gradients have the values that they had when they were tried: unless all are asked for, some are tried each time.
"""

from __future__ import annotations

import numpy as np
import pytest

from indexcalc.errors import UnsupportedError
from indexcalc.generation import render, rendered_files, validate
from indexcalc.language import load_problem
from indexcalc.proof.gradcheck import FLOOR, backward_candidate, check_backward, compare, order_references, references
from indexcalc.proof.oracles import relative_error
from indexcalc.proof.report import FORWARD_METHOD
from indexcalc.proof.sampling import sample_point, size_sets, weights_for
from indexcalc.proof.steps import check_derivation
from indexcalc.proof.variants import wrong_programs
from indexcalc.rewrite.derive import derive
from tests.support.shipped import Shipped

some = pytest.mark.one_in(3)


def test_the_files_beside_the_spec_are_what_the_engine_writes(shipped, golden):
    for file, text in rendered_files(shipped.name, render(shipped.derivation)).items():
        golden(shipped.path.parent / file, text)


def test_nothing_else_lies_beside_the_spec(shipped):
    files = {path.name for path in shipped.path.parent.iterdir() if path.name != "__pycache__"}
    assert files - {"values.toml"} == {f"{shipped.name}{suffix}" for suffix in (".ixc", ".md", ".tex", ".py")}


@pytest.mark.one_in(10)
def test_a_second_derivation_gives_the_same_texts(shipped):
    first = shipped.derivation  # so that there is a second one in this process
    second = derive(load_problem(shipped.path))
    assert second is not first
    for file, text in rendered_files(shipped.name, render(second)).items():
        assert text == (shipped.path.parent / file).read_text(encoding="utf-8")


@some
def test_every_step_keeps_its_value(shipped):
    assert check_derivation(shipped.derivation, seed=1) == []


@pytest.mark.parametrize("seed", [0, 1])
def test_the_generated_code_agrees_with_the_oracles(shipped, seed):
    derivation = shipped.derivation
    report = validate(derivation, shipped.path.with_suffix(".py").read_text(encoding="utf-8"), seed=seed)
    assert report.ok, "\n".join(map(str, report.failures))
    gradients = {derivation.problem.gradient_names[target] for target in derivation.problem.targets}
    gradients |= {result.name for result in derivation.problem.results}
    assert gradients <= {comparison.tensor for comparison in report.comparisons}


def test_everything_that_is_claimed_is_proved(shipped):
    assert shipped.derivation.unproved == ()


@some
def test_every_wrong_variant_of_every_gradient_is_caught(shipped):
    derivation = shipped.derivation
    whole = derivation.put_together
    variants = list(wrong_programs(whole))
    assert {equation for _, equation, _ in variants} == {equation.name for equation in whole.equations}
    problem = derivation.problem
    rng = np.random.default_rng(0)
    point = sample_point(problem.program, size_sets(problem.program, rng)[0], rng)
    weights = weights_for(problem, point, rng)
    upstream = {up.name: weights[up.of] for up in problem.upstream}
    ways = {one.name: rng.normal(size=np.shape(point.values[one.of])) for one in problem.directions}
    # The oracles of one point serve all variants; what passes there meets the whole check.
    oracles = [r for r in references(problem, point, weights, {}, rng) if r.method != FORWARD_METHOD]
    oracles += order_references(problem, point, weights, ways, found={}, rng=rng)
    upstream |= ways
    right = backward_candidate(whole)(point, upstream)
    # A residual is zero, whatever it is: what it determines is wrong.
    determined = {residual: name for name, residual in whole.residuals.items()}
    caught: set[str] = set()
    for kind, equation, program in variants:
        try:
            with np.errstate(all="ignore"):
                found = backward_candidate(program)(point, upstream)
        except UnsupportedError:  # such as (-1)^gamma: a wrong formula need not have a value
            caught.add(equation)
            continue
        seen = determined.get(equation, equation)
        if relative_error(found[seen], right[seen], FLOOR) < 1e-9:
            continue  # not wrong: a step function squared, a symmetric tensor transposed, a copy read instead
        if whole.is_recurrent and all(relative_error(found[o], right[o], FLOOR) < 1e-12 for o in whole.outputs):
            continue  # wrong at a step of an intermediate that nothing reads, as before the first one
        caught.add(equation)
        if all(compare(oracle, found, {}, "").ok for oracle in oracles):
            assert not check_backward(problem, program).ok, f"{kind} in the equation of {equation} passes"
    assert caught == {equation.name for equation in whole.equations}


def test_the_variants_are_of_at_least_eight_kinds():
    names = ("attention", "conv2d", "gaussian_process", "lstm", "two_token_model")
    kinds = {kind for name in names for kind, _, _ in wrong_programs(Shipped(name).derivation.backward)}
    assert len(kinds) >= 8
