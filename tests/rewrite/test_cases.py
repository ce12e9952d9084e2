"""Cases that cover all values of an index become one term."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.slots import place
from indexcalc.algebra.terms import Delta, Iverson, free_indices
from indexcalc.language import read_problem
from indexcalc.rewrite.cases import joined_cases
from indexcalc.rewrite.derive import derive
from tests.support.build import N, at, i, j, term
from tests.support.programs import expressions
from tests.support.values import assert_same_value, random_tensors

FIRST, LAST = Delta(i, place(0)), Delta(place(N - 1), i)
LATER, SOONER = Iverson(place(1), "<=", i), Iverson(i, "<", place(N - 1))


def test_the_first_step_and_the_later_ones_are_all_steps():
    before = (term(FIRST, at("x", place(0)), at("v", j)), term(LATER, at("x", i), at("v", j)))
    assert joined_cases(before) == (term(at("x", i), at("v", j)),)


def test_so_are_the_last_step_and_those_before_it():
    before = (term(SOONER, at("x", i)), term(at("y", j)), term(LAST, at("x", i)))
    assert joined_cases(before) == (term(at("x", i)), term(at("y", j)))


def test_so_are_one_place_and_all_others():
    one, others = Delta(i, place(2)), Iverson(place(2), "!=", i)
    assert joined_cases((term(one, at("x", i)), term(others, at("x", i)))) == (term(at("x", i)),)


def test_cases_that_leave_a_value_out_stay():
    before = (term(FIRST, at("x", i)), term(Iverson(place(2), "<=", i), at("x", i)))
    assert joined_cases(before) == before


def test_cases_that_overlap_stay():
    before = (term(FIRST, at("x", i)), term(Iverson(place(0), "<=", i), at("x", i)), term(LAST, at("x", i)))
    assert joined_cases(before) == before


def test_different_formulas_stay_apart():
    before = (term(FIRST, at("x", place(0))), term(LATER, at("y", i)))
    assert joined_cases(before) == before


def test_an_index_that_is_summed_is_left():
    before = (term(FIRST, at("x", i), over=(i,)), term(LATER, at("x", i), over=(i,)))
    assert joined_cases(before) == before


@settings(max_examples=150, deadline=None, derandomize=True)
@given(expressions(), st.sampled_from(((FIRST, LATER, place(0)), (LAST, SOONER, place(N - 1)))), st.data())
def test_cases_keep_their_value(drawn, cases, data):
    terms, tensors = drawn
    one, other, at_place = cases
    free = free_indices(terms)
    chosen = [index for index in free if index.extent == N]
    if not chosen:
        return
    index = data.draw(st.sampled_from(chosen))
    (delta,), (bracket,) = (
        [base for t in substitute((term(guard),), {i: index}) for base in t.bases] for guard in (one, other)
    )
    number = data.draw(st.integers(0, len(terms) - 1))
    whole = terms[number]
    fixed = whole if data.draw(st.booleans()) else substitute((whole,), {index: at_place})[0]
    parts = [term(*t.powers, guard, coeff=t.coeff, over=t.summed) for t, guard in ((fixed, delta), (whole, bracket))]
    before = (*terms[:number], *data.draw(st.permutations(parts)), *terms[number + 1 :])
    after = joined_cases(before)
    assert len(after) < len(before)
    assert_same_value(before, after, free, random_tensors(tensors))
    assert_same_value(terms, after, free, random_tensors(tensors))


def test_an_input_of_all_steps_of_a_recurrence_has_one_gradient():
    spec = """
    index t : T
    input u[t]
    a[0] = u[0]
    a[t] = tanh(a[t-1]) + u[t] for t in 1 .. T-1
    L = sum[t](a[t]^2)
    loss L
    derive u
    """
    derivation = derive(read_problem(spec, "cases.ixc"))
    (section,) = (section for section in derivation.sections if section.target == "u")
    assert section.equation.terms == (term(at("da", *section.equation.slots)),)
