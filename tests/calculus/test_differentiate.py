"""The derivative of one tensor by another, step by step."""

from __future__ import annotations

from itertools import pairwise

import pytest

from indexcalc.algebra.canonical import same
from indexcalc.algebra.terms import Delta, Index, Partial
from indexcalc.calculus.differentiate import Wanted, entry_against_entry, local_derivative, no_tidying
from indexcalc.calculus.steps import Rule
from indexcalc.program import Equation
from tests.support.build import D, N, P, add, at, attention, ell, fn, i, j, k, p, term

a, b, c = Index("a", N), Index("b", P), Index("c", N)


def derivative(equation, entry, wrt):
    names = frozenset({"i", "j", "l", "k", "p"})
    return local_derivative(equation, entry, Wanted(wrt, {}, names), no_tidying)


def test_one_delta_for_each_slot():
    _, value = entry_against_entry(Partial(at("V", c, b), at("V", j, p)), at("V", c, b))
    assert value == (term(Delta(c, j), Delta(b, p)),)


def test_the_steps_of_a_matrix_product():
    equation = attention().program.definitions["O"]
    found = derivative(equation, at("O", a, b), at("V", j, p))
    assert [s.rule for s in found.steps] == [Rule.FORWARD, Rule.PRODUCT, Rule.ENTRY, Rule.INSERT, Rule.COLLAPSE]
    assert found.steps[1].detail.tensors == ("A",)
    assert found.result == (term(at("A", a, j), Delta(b, p)),)


def test_each_step_starts_where_the_last_of_its_subject_ended():
    equation = attention().program.definitions["S"]
    found = derivative(equation, at("S", a, c), at("Q", i, k))
    own = [step for step in found.steps if step.subject == found.partial]
    assert all(one.after == two.before for one, two in pairwise(own))


@pytest.mark.parametrize(
    ("right", "rule"),
    [
        (term(fn("exp", term(at("x", i))), (at("x", i), -1)), Rule.QUOTIENT),
        (term((at("x", i), 3)), Rule.POINTWISE),
        (term(at("x", i), at("y", i)), Rule.PRODUCT),
        (term(at("y", i)), Rule.CONSTANT),
    ],
)
def test_the_rule_is_named_as_a_mathematician_would(right, rule):
    found = derivative(Equation(at("Y", i), (right,)), at("Y", a), at("x", j))
    assert found.steps[1].rule is rule


def test_what_does_not_depend_on_the_target_gives_zero():
    assert derivative(Equation(at("Y", i), (term(at("y", i)),)), at("Y", a), at("x", j)).result == ()


def test_a_diagonal_gets_both_deltas():
    found = derivative(Equation(at("t"), (term(at("A", i, i), over=(i,)),)), at("t"), at("A", i, j))
    assert found.result == (term(Delta(i, j)),)


def test_a_factor_that_occurs_twice_counts_twice():
    twice = Equation(at("y", i), (term(at("A", i, j), at("A", j, i), over=(j,)),))
    found = derivative(twice, at("y", a), at("A", i, ell))
    assert same(found.result, (term(at("A", ell, a), Delta(a, i)), term(at("A", a, i), Delta(a, ell))))


def test_a_bracket_is_differentiated_term_by_term():
    bracket = add(term(at("x", i)), term(at("x", i), at("y", i), coeff=-2))
    found = derivative(Equation(at("Y", i), (term((bracket, 2)),)), at("Y", a), at("x", j))
    inner = add(term(at("x", a)), term(at("x", a), at("y", a), coeff=-2))
    expected = term(inner, add(term(coeff=1), term(at("y", a), coeff=-2)), Delta(a, j), coeff=2)
    assert found.result == (expected,) or same(found.result, (expected,))


def test_names_of_the_author_are_never_captured():
    clash = Equation(
        at("S", i, j), (term(at("Q", i, Index("c", D)), at("K", j, Index("c", D)), over=(Index("c", D),)),)
    )
    found = derivative(clash, at("S", a, c), at("Q", i, k))
    assert found.result == (term(Delta(a, i), at("K", c, k)),)
