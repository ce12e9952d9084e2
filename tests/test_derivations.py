"""Every shipped derivation: its files are what the engine writes, its steps keep their values, its code is right.

And that the check can be trusted: every wrong variant of every gradient is caught. Where the files are the same, steps
and gradients have the values that they had when they were tried: unless all are asked for, some are tried each time.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from indexcalc.calculus.steps import Derivation
from indexcalc.errors import UnsupportedError
from indexcalc.generation import render, rendered_files, validate
from indexcalc.language import load_problem
from indexcalc.library import shipped_paths
from indexcalc.proof.gradcheck import FLOOR, backward_candidate, check_backward, compare, order_references, references
from indexcalc.proof.oracles import relative_error
from indexcalc.proof.report import FORWARD_METHOD
from indexcalc.proof.sampling import sample_point, size_sets, weights_for
from indexcalc.proof.steps import check_derivation
from indexcalc.proof.variants import wrong_programs
from indexcalc.rewrite.derive import derive

PATHS = shipped_paths()
every_derivation = pytest.mark.parametrize("name", PATHS)
some = pytest.mark.one_in(3)


@cache
def derivation_of(name: str) -> Derivation:
    return derive(load_problem(PATHS[name]))


@every_derivation
def test_the_files_beside_the_spec_are_what_the_engine_writes(name, golden):
    for file, text in rendered_files(name, render(derivation_of(name))).items():
        golden(PATHS[name].parent / file, text)


@every_derivation
def test_nothing_else_lies_beside_the_spec(name):
    files = {path.name for path in PATHS[name].parent.iterdir() if path.name != "__pycache__"}
    assert files - {"values.toml"} == {f"{name}{suffix}" for suffix in (".ixc", ".md", ".tex", ".py")}


@some
@every_derivation
def test_a_second_derivation_gives_the_same_texts(name):
    derivation_of(name)  # so that it is a second one in this process
    for file, text in rendered_files(name, render(derive(load_problem(PATHS[name])))).items():
        assert text == (PATHS[name].parent / file).read_text(encoding="utf-8")


@some
@every_derivation
def test_every_step_keeps_its_value(name):
    assert check_derivation(derivation_of(name), seed=1) == []


@every_derivation
@pytest.mark.parametrize("seed", [0, 1])
def test_the_generated_code_agrees_with_the_oracles(name, seed):
    derivation = derivation_of(name)
    report = validate(derivation, (PATHS[name].parent / f"{name}.py").read_text(encoding="utf-8"), seed=seed)
    assert report.ok, "\n".join(map(str, report.failures))
    gradients = {derivation.problem.gradient_names[target] for target in derivation.problem.targets}
    gradients |= {result.name for result in derivation.problem.results}
    assert gradients <= {comparison.tensor for comparison in report.comparisons}


@every_derivation
def test_everything_that_is_claimed_is_proved(name):
    assert derivation_of(name).unproved == ()


@some
@every_derivation
def test_every_wrong_variant_of_every_gradient_is_caught(name):
    derivation = derivation_of(name)
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
    kinds = {kind for name in PATHS for kind, _, _ in wrong_programs(derivation_of(name).backward)}
    assert len(kinds) >= 8
