"""Simplification keeps the value, ends, and says each rule it uses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, reject, settings

from indexcalc.algebra.build import multiply_bodies
from indexcalc.algebra.renaming import rename_apart
from indexcalc.algebra.terms import index_names
from indexcalc.calculus.steps import Cited, Rule
from indexcalc.errors import UnsupportedError
from indexcalc.language import read_problem
from indexcalc.proof.evaluate import evaluate
from indexcalc.proof.sampling import sample_point
from indexcalc.rewrite.tidy import Simplifier
from tests.support.build import Access, N, add, at, attention, ell, fn, i, j, k, term
from tests.support.programs import problems
from tests.support.values import SIZES


def tidied(simplifier, *terms):
    """The rules used, and what comes out."""
    steps = simplifier(at("y", i), terms)
    return [step.rule for step in steps], (steps[-1].after if steps else terms)


@pytest.fixture(scope="module")
def simplifier():
    return Simplifier(attention().program)


def test_like_terms_are_combined(simplifier):
    rules, after = tidied(simplifier, term(at("x", i)), term(at("x", i), coeff=2))
    assert rules == [Rule.COLLECT]
    assert after == (term(at("x", i), coeff=3),)


def test_an_expression_of_the_forward_pass_is_recalled(simplifier):
    weight = fn("exp", term(at("S", i, j)))
    rules, after = tidied(simplifier, term(weight, (at("Z", i), -1), at("w", j), over=(j,)))
    assert rules == [Rule.REUSE]
    assert after == (term(at("A", i, j), at("w", j), over=(j,)),)


def test_a_lemma_is_cited(simplifier):
    steps = simplifier(at("y", i), (term(at("A", i, ell), at("x", i), over=(ell,)),))
    assert [step.rule for step in steps] == [Rule.LEMMA]
    assert isinstance(steps[0].detail, Cited)
    assert steps[0].after == (term(at("x", i)),)


def test_a_definition_by_a_sum_is_folded(simplifier):
    rules, after = tidied(simplifier, term(at("Q", i, k), at("K", j, k), over=(k,)))
    assert rules == [Rule.FOLD]
    assert [base.tensor for base in after[0].bases if isinstance(base, Access)] == ["S"]


def test_deviations_from_a_mean_vanish_though_nobody_named_them():
    program = read_problem(
        "index n : N\nindex h : H\ninput x[n,h], w[n]\nm[n] = mean[h](x[n,h])\ny[n,h] = x[n,h]*m[n]\nderive x\n"
    ).program
    n, h = program.tensors["x"].slots
    deviation = add(term(at("x", n, h)), term(at("m", n), coeff=-1))
    rules, after = tidied(Simplifier(program), term(deviation, at("w", n), over=(h,)), term(at("w", n)))
    assert Rule.LEMMA in rules
    assert after == (term(at("w", n)),)


def test_nothing_to_do_is_no_step(simplifier):
    assert simplifier(at("y", i), (term(at("x", i)),)) == ()
    assert simplifier(at("y", i), ()) == ()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problems())
def test_simplifying_keeps_the_value(problem):
    program = problem.program
    try:
        point = sample_point(program, SIZES, np.random.default_rng(2))
    except UnsupportedError:
        reject()
    simplifier = Simplifier(program)
    for equation in program.equations:
        name, slots = equation.lhs.tensor, equation.lhs.slots
        square = tuple(
            multiply_bodies(one, rename_apart(other, index_names(one)))
            for one in equation.terms
            for other in equation.terms
        )
        expected = point.values[name] ** 2
        for step in simplifier(equation.lhs, square):
            found = evaluate(step.after, slots, point.values, SIZES)
            scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7 * scale, err_msg=step.rule.name)


def test_the_same_component_is_proved_once():
    program = attention().program
    simplifier = Simplifier(program)
    component = term(add(term(at("A", i, j)), term(coeff=-1 / N)), over=(j,))
    first = simplifier.vanishing(component)
    assert first is simplifier.vanishing(component)
    assert len(simplifier.memory) == 1


@pytest.mark.parametrize("batch", ["a", "a,b", "a,b,c"])
def test_deviations_from_a_mean_vanish_under_any_number_of_batch_indices(batch):
    program = read_problem(
        f'title "t"\nindex a : A\nindex b : B\nindex c : C\nindex m : M\ninput X[{batch},m]\n'
        f"mu[{batch}] = 1/M * sum[m](X[{batch},m])\ns[{batch}] = sum[m]((X[{batch},m] - mu[{batch}])^2)\nderive X\n"
    ).program
    ((deviation, _),) = program.definitions["s"].terms[0].powers
    (mean,) = program.definitions["mu"].terms
    proof = Simplifier(program).vanishing(term(deviation, over=mean.summed))
    assert proof is not None
    assert proof.identity.right == ()
    assert proof.identity.left == (term(deviation, over=mean.summed),)
