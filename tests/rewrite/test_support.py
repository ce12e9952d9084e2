"""Brackets beside tensors that are zero where the brackets are."""

from __future__ import annotations

import pytest
import sympy as sp

from indexcalc.algebra.slots import Index, place
from indexcalc.algebra.terms import Access, Iverson
from indexcalc.calculus.steps import Rule, Section
from indexcalc.program import Equation
from indexcalc.rewrite.support import with_needed_brackets
from tests.support.build import fn, term

T = sp.Symbol("T", positive=True, integer=True)
t = Index("t", T)
LATER = Iverson(place(1), "<=", t)


def section(name, *terms, slots=(t,)):
    return Section(Equation(Access(name, slots), tuple(terms)), None, (), ())


def rewritten(*terms, slots=(t,)):
    zero_first = section("a", term(LATER, Access("g", (t,))))
    return with_needed_brackets([zero_first, section("b", *terms, slots=slots)])[1]


def test_a_bracket_that_the_tensor_beside_it_has_goes():
    found = rewritten(term(LATER, Access("a", (t,)), Access("x", (t,))))
    assert found.equation.terms == (term(Access("a", (t,)), Access("x", (t,))),)
    assert [step.rule for step in found.steps] == [Rule.SUPPORT]


def test_it_goes_under_a_sum_too():
    found = rewritten(term(LATER, Access("a", (t,)), over=(t,)), slots=())
    assert found.equation.terms == (term(Access("a", (t,)), over=(t,)),)


@pytest.mark.parametrize(
    "kept",
    [
        term(LATER, Access("x", (t,))),
        term(LATER, Access("a", (t - 1,))),
        term(LATER, Access("a", (t,)), (Access("x", (t,)), -1)),
        term(LATER, Access("a", (t,)), fn("log", term(Access("x", (t,))))),
        term(LATER, (Access("a", (t,)), -1)),
        term(Iverson(place(2), "<=", t), Access("a", (t,))),
    ],
)
def test_it_stays_where_it_says_more_or_hides_what_has_no_value(kept):
    assert rewritten(kept).equation.terms == (kept,)


def test_what_reads_such_a_tensor_has_the_bracket_as_well():
    first = section("a", term(LATER, Access("g", (t,))))
    second = section("b", term(Access("a", (t,)), Access("y", (t,))))
    third = section("c", term(LATER, Access("b", (t,))))
    assert with_needed_brackets([first, second, third])[2].equation.terms == (term(Access("b", (t,))),)
