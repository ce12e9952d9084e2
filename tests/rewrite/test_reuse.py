"""What the forward pass holds is recognised, at any depth and to any power."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from indexcalc.algebra.terms import Fn, free_indices, tensors_of, walk
from indexcalc.language import read_problem
from indexcalc.proof.gradcheck import check_backward
from indexcalc.proof.steps import check_derivation
from indexcalc.rewrite.derive import derive
from indexcalc.rewrite.reuse import reusable_tensors, reuse
from tests.support.build import add, at, attention, ell, fn, i, j, term
from tests.support.programs import problems

SUBJECT = at("Y", i)
HELD = reusable_tensors(attention().program)
E = fn("exp", term(at("S", i, j)))


def reused(*terms):
    steps = reuse(SUBJECT, terms, HELD)
    return steps[-1].after if steps else terms


def test_exponents_do_the_bookkeeping():
    assert reused(term((E, 2), (at("Z", i), -2))) == (term((at("A", i, j), 2)),)
    assert reused(term((E, 2), (at("Z", i), -1))) == (term(at("A", i, j), E),)
    assert reused(term((E, -1), at("Z", i))) == (term((at("A", i, j), -1)),)


def test_the_row_must_be_the_same():
    other = term(E, (at("Z", ell), -1))
    assert reused(other) == (other,)


def test_a_bracket_is_searched_too():
    inside = add(term(), term(E, (at("Z", i), -1), coeff=-1))
    assert reused(term(at("D", i, j), inside)) == (term(at("D", i, j), add(term(), term(at("A", i, j), coeff=-1))),)


def test_an_exponential_of_a_logarithm_is_a_quotient():
    problem = read_problem(
        "index i, j, l : n\ninput S[i,j]\nZ[i] = sum[l](exp(S[i,l]))\nK[i] = log(Z[i])\nP[i,j] = exp(S[i,j] - K[i])\n"
        "upstream G[i,j] = dL/dP[i,j]\nderive S"
    )
    held = reusable_tensors(problem.program)
    slots = problem.program.tensors["S"].slots
    quotient = term(fn("exp", term(at("S", *slots))), (at("Z", slots[0]), -1))
    (step,) = reuse(SUBJECT, (quotient,), held)
    assert step.after == (term(at("P", *slots)),)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(problems())
def test_a_held_definition_is_always_recognised(problem):
    held = reusable_tensors(problem.program)
    for equation in problem.program.equations:
        steps = reuse(equation.lhs, equation.terms, held)
        if len(equation.terms) == 1 and any(entry.lhs.tensor == equation.name for entry in held.every):
            assert steps, equation
        for step in steps:
            assert set(free_indices(step.after)) <= set(equation.lhs.slots)


@pytest.mark.parametrize(
    ("value", "found"),
    [("c * tanh(x[i] / c)", True), ("c * tanh(x[i])", False), ("c^2 * tanh(x[i] / c)", True)],
)
def test_a_multiple_is_undone_where_its_scalar_can_not_be_zero(value, found):
    problem = read_problem(f"index i : n\nparam c = 2\ninput x[i]\ny[i] = {value}\nupstream g[i] = dL/dy[i]\nderive x")
    (equation,) = derive(problem).backward.equations
    assert ("y" in tensors_of(equation.terms)) is found


GUARDED = """
index i, j : N
input y[i,j]
s[i,j] = [j <= i] * sqrt(y[i,j]^2 + 1)
upstream G[i,j] = dL/ds[i,j]
derive y
"""


def test_nothing_is_divided_by_what_a_bracket_makes_zero():
    derivation = derive(read_problem(GUARDED))
    (equation,) = derivation.backward.equations
    assert "s" not in tensors_of(equation.terms)


def test_what_a_bracket_guards_is_read_above_the_line():
    derivation = derive(read_problem(GUARDED.replace("sqrt(y[i,j]^2 + 1)", "exp(y[i,j])")))
    (equation,) = derivation.backward.equations
    assert "s" in tensors_of(equation.terms)


LOGISTIC = ["1/(1 + exp(-x[n]))", "3/(2 + 5*exp(-x[n]))", "-2/(3 - exp(0.5*x[n]))", "1/(a + exp(x[n]*a))"]


@pytest.mark.parametrize("formula", LOGISTIC)
def test_what_is_left_of_a_logistic_function_is_one_minus_it(formula):
    problem = read_problem(f"index n : N\nparam a = 0.7\ninput x[n]\np[n] = {formula}\nderive x\n")
    derivation = derive(problem)
    (gradient,) = derivation.backward.equations
    assert not any(isinstance(base, Fn) for base in walk(gradient.terms))  # p and a number are enough
    assert check_derivation(derivation) == []
    assert check_backward(problem, derivation.backward).ok


def test_the_gradient_of_a_logistic_loss_is_a_difference():
    problem = read_problem(
        "index n : N\ninput x[n], t[n] in [0,1]\np[n] = 1/(1 + exp(-x[n]))\n"
        "L = -sum[n](t[n]*log(p[n]) + (1 - t[n])*log(1 - p[n]))\nloss L\nderive x\n"
    )
    derivation = derive(problem)
    (gradient,) = derivation.backward.equations
    assert {term.bases for term in gradient.terms} == {(at("p", *gradient.slots),), (at("t", *gradient.slots),)}
    assert check_derivation(derivation) == []


def test_another_quotient_stays_as_it_is():
    problem = read_problem("index n : N\ninput x[n], v[n]\np[n] = 1/(2 + x[n])\ny[n] = v[n]*x[n]*p[n]\nderive v\n")
    (gradient,) = derive(problem).backward.equations
    (found,) = gradient.terms
    assert set(tensors_of(found)) == {"G_y", "x", "p"}
