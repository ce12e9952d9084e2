"""Sums of several terms are recognised inside larger sums."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational

from indexcalc.algebra.build import expand
from indexcalc.algebra.canonical import collect, same
from indexcalc.algebra.renaming import times
from indexcalc.algebra.terms import Access, free_indices, tensors_of
from indexcalc.generation import generate
from indexcalc.language import read_problem
from indexcalc.program import Equation
from indexcalc.rewrite.derive import derive
from indexcalc.rewrite.gather import gathered
from indexcalc.rewrite.normal import unfold_factors
from tests.support.build import at, i, j, term
from tests.support.programs import expressions
from tests.support.values import assert_same_value, random_tensors, value_of

SCORE = Equation(at("D", i), (term(at("p", i, j), (at("z", i), -1), coeff=2, over=(j,)), term((at("z", i), -1))))


def test_a_quotient_of_a_sum_and_a_scalar_is_recognised():
    terms = (
        term(at("y", i), coeff=-1),
        term(at("p", i, j), (at("z", i), -2), coeff=6, over=(j,)),
        term((at("z", i), -2), coeff=3),
    )
    assert gathered(terms, SCORE) == (terms[0], term((at("z", i), -1), at("D", i), coeff=3))


def test_a_part_of_the_terms_is_not_enough():
    terms = (term(at("p", i, j), (at("z", i), -2), coeff=6, over=(j,)), term((at("z", i), -2), coeff=4))
    assert gathered(terms, SCORE) is None
    assert gathered(terms[:1], SCORE) is None


@pytest.mark.parametrize(("power", "left"), [(-1, 0), (-2, -1), (Rational(1, 2), Rational(3, 2)), (1, 2)])
def test_beside_a_power_of_the_name_powers_add_up(power, left):
    held = at("D", i)
    whole = tuple(times(term((held, power), coeff=3), part) for part in SCORE.terms)
    after = gathered(whole, SCORE)
    assert after is not None
    assert same(after, (term((held, left), coeff=3) if left else term(coeff=3),))


def test_a_gradient_in_which_a_sum_cancels_against_its_name_is_derived():
    problem = read_problem(
        "index n : N\nindex d : D\ninput u[n,d] in (-0.3,0.3), v[n,d] in (-0.3,0.3)\na[n] = 1 - sum[d](u[n,d]^2)\n"
        "x[n] = 1 + 2*sum[d]((u[n,d]-v[n,d])^2)/a[n]\ny[n] = log(x[n] + sqrt(x[n]^2-1))\n"
        "upstream G[n] = dL/dy[n]\nderive u"
    )
    assert any(row.tensor == "du" and row.ok for row in generate(derive(problem)).report.comparisons)


@settings(max_examples=120, deadline=None, derandomize=True)
@given(expressions(), st.data())
def test_the_value_is_kept(drawn, data):
    terms, tensors = drawn
    definition = collect(terms)
    if not definition:
        return
    slots = free_indices(definition)
    equation = Equation(Access("held", slots), definition)
    cofactor = term(*data.draw(st.sampled_from([(), (at("cofactor", *slots),)])), coeff=3)
    whole = collect((*(times(cofactor, part) for part in definition),))
    values = random_tensors(tensors)
    values["cofactor"] = values["held"] = value_of(definition, slots, values)
    after = gathered(whole, equation)
    if after is not None:
        assert_same_value(whole, after, slots, values)
        assert "held" in tensors_of(after)


def test_the_gradient_of_dice_reads_the_coefficient():
    problem = read_problem(
        "index n : N\nindex h : P\nparam eps = 1\ninput p[n,h], y[n,h]\n"
        "Z[n] = sum[h](p[n,h] + y[n,h]) + eps\nD[n] = (2 * sum[h](p[n,h] * y[n,h]) + eps) / Z[n]\n"
        "upstream G[n] = dL/dD[n]\nderive p"
    )
    share, equation = derive(problem).backward.equations
    row, column = equation.lhs.slots
    over = (at("Z", row), -1)
    expected = (
        term(at("G", row), at("y", row, column), over, coeff=2),
        term(at("G", row), at("D", row), over, coeff=-1),
    )
    assert same(expand(unfold_factors(equation.terms, share)), expected)
