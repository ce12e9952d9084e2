"""Differences of entries are written one way round."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from indexcalc.algebra.canonical import collect
from indexcalc.algebra.terms import free_indices
from indexcalc.rewrite.differences import with_ordered_differences
from tests.support.build import add, at, i, j, k, term
from tests.support.programs import expressions
from tests.support.values import assert_same_value, random_tensors


def difference(one, other):
    return add(term(at("X", one, k)), term(at("X", other, k), coeff=-1))


def test_a_free_index_comes_before_a_dummy():
    before = (
        term(at("D", i, j), difference(i, j), over=(j,)),
        term(at("D", i, j), difference(j, i), coeff=-1, over=(j,)),
    )
    after = with_ordered_differences(before, (i, k))
    assert collect(after) == (term(at("D", i, j), difference(i, j), coeff=2, over=(j,)),)


def test_free_indices_come_in_the_order_of_the_slots():
    (one,) = with_ordered_differences((term(difference(j, i)),), (i, j, k))
    assert one == term(difference(i, j), coeff=-1)


def test_a_square_and_other_sums_stay():
    square = (term((difference(j, i), 2)),)
    assert with_ordered_differences(square, (i, j, k)) == square
    other = (term(add(term(at("X", j, k)), term(at("W", i, k), coeff=-1))),)
    assert with_ordered_differences(other, (i, j, k)) == other


@settings(max_examples=150, deadline=None, derandomize=True)
@given(expressions(), st.data())
def test_the_value_is_kept(drawn, data):
    terms, tensors = drawn
    free = free_indices(terms)
    order = tuple(data.draw(st.permutations(free)))
    tensor = tensors[0]
    wrapped = []
    for one in terms:
        every = (*one.summed, *free)
        pick = [[a for a in every if a.extent == slot.extent] for slot in tensor.slots]
        if all(pick) and tensor.slots:
            left, right = (at(tensor.name, *(data.draw(st.sampled_from(options)) for options in pick)) for _ in "ab")
            factors = () if left == right else (add(term(left), term(right, coeff=-1)),)
            wrapped.append(term(*one.powers, *factors, coeff=one.coeff, over=one.summed))
    after = with_ordered_differences(tuple(wrapped), order)
    assert_same_value(tuple(wrapped), after, free_indices(tuple(wrapped)), random_tensors(tensors))
    assert with_ordered_differences(after, order) == after
