"""The normal form keeps the value, and unfolding is bounded."""

from __future__ import annotations

import time

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings

from indexcalc import read_problem
from indexcalc.algebra.terms import free_indices, tensors_of
from indexcalc.calculus.steps import Rule
from indexcalc.errors import LimitError, UnsupportedError
from indexcalc.program import Identity
from indexcalc.proof.evaluate import evaluate
from indexcalc.proof.sampling import sample_point
from indexcalc.rewrite.derive import derive
from indexcalc.rewrite.normal import Knowledge, normal_form, unfold_all, unfold_everywhere, unfold_factors
from tests.support.build import D, N, P, add, at, attention, fn, i, j, term
from tests.support.programs import M as COLUMN
from tests.support.programs import N as ROW
from tests.support.programs import problems

SIZES = {N: 3, D: 2, P: 4}


def chain(length: int, link: str) -> str:
    """Equations y1, y2, ... where each reads the one before, and a claim that can't be proved."""
    lines = "\n".join(f"y{n}[i] = {link.replace('?', f'y{n - 1}[i]')}" for n in range(1, length))
    return f"index i : N\ninput y0[i]\n{lines}\nderive y0\nprove sum[i](y{length - 1}[i]) = 3\n"


@pytest.mark.parametrize("link", ["tanh(?)", "sin(?) + ?^2", "1/2*? + 1/7*?^2", "exp(-?)/(1 + ?^2)", "log(2 + ?^2)"])
def test_a_claim_on_a_long_chain_is_given_up_in_bounded_time(link):
    problem = read_problem(chain(60, link))
    start = time.perf_counter()
    derivation = derive(problem)
    assert len(derivation.unproved) == 1
    assert time.perf_counter() - start < 20


def test_unfolding_too_much_says_so():
    program = read_problem(chain(60, "sin(?) + ?^2")).program
    last = program.equations[-1]
    with pytest.raises(LimitError, match="unfolding"):
        unfold_all(last.terms, Knowledge(program.definitions), tuple(program.definitions))


def test_a_name_in_a_denominator_stays_and_its_definition_becomes_a_rule():
    program = attention().program
    rows = (term(at("A", i, j), over=(j,)),)
    steps = normal_form(Identity(rows, ()), rows, Knowledge(program.definitions), {"A", "Z"})
    assert [step.rule for step in steps] == [Rule.UNFOLD, Rule.FOLD]
    assert steps[-1].after == (term(coeff=1),)


def test_a_definition_with_sums_is_put_in_for_each_factor():
    program = attention().program
    squared = (term((at("O", i, j), 2)),)
    (unfolded,) = unfold_factors(squared, program.definitions["O"])
    assert len(unfolded.summed) == 2
    assert tensors_of(unfolded) == ("A", "V")


def test_a_sum_free_definition_is_put_in_at_any_depth():
    program = attention().program
    deep = term(fn("tanh", term((add(term(at("A", i, j)), term(coeff=1)), sp.Rational(-1, 2)))))
    unfolded = unfold_everywhere(deep, program.definitions["A"])
    rng = np.random.default_rng(0)
    values = sample_point(program, SIZES, rng).values
    expected = np.tanh((values["A"] + 1) ** -0.5)
    assert "A" not in tensors_of(unfolded)
    np.testing.assert_allclose(evaluate((unfolded,), (i, j), values, SIZES), expected, rtol=1e-12)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problems())
def test_every_step_to_the_normal_form_keeps_the_value(problem):
    program = problem.program
    equation = program.equations[-1]
    sizes = {ROW: 3, COLUMN: 2}
    try:
        point = sample_point(program, sizes, np.random.default_rng(1))
        steps = normal_form(equation.lhs, equation.terms, Knowledge(program.definitions), tuple(program.definitions))
    except (UnsupportedError, LimitError):
        return
    slots = equation.lhs.slots
    expected = point.values[equation.name]
    scale = np.abs(expected).max(initial=1.0)
    for step in steps:
        assert set(free_indices(step.after)) <= set(slots)
        found = evaluate(step.after, slots, point.values, sizes)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6 * scale, err_msg=step.rule.name)


def test_multiplying_out_too_much_says_so():
    program = read_problem("index i : N\ninput a[i], b[i]\ny[i] = (a[i] + b[i])^5\n").program
    terms = program.equations[0].terms
    with pytest.raises(LimitError, match="more than 24 terms"):
        normal_form(Identity(terms, ()), terms, Knowledge(program.definitions, terms=24), ())
    normal_form(Identity(terms, ()), terms, Knowledge(program.definitions, terms=40), ())
