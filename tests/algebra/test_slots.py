"""Expressions in slots: one form for one value, deltas equal by the difference of sides, brackets that say nothing."""

from __future__ import annotations

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from indexcalc.algebra.build import product, within
from indexcalc.algebra.renaming import rename_base, substitute
from indexcalc.algebra.slots import Index, Lookup, affine, combined, difference, place, renamed_slot, slot_text
from indexcalc.algebra.terms import Access, Delta, Iverson, Term, free_indices, tensors_of

N, K = sp.symbols("N K", positive=True, integer=True)
a, i, k = Index("a", N), Index("i", N - K + 1), Index("k", K)
ONE = sp.S.One

NUMBERS = st.integers(-3, 3).map(sp.Integer)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_sums_have_one_form(one, two, three):
    left = affine([(i, one), (k, two)], three)
    right = affine([(k, two), (i, one - 1), (i, ONE)], three)
    assert left == right
    assert difference(left, right) == place(0)
    assert combined(left, right, sp.S.NegativeOne) == place(0)


def test_an_index_alone_is_itself():
    assert affine([(i, ONE), (k, ONE), (k, -ONE)]) is i
    assert 2 * i + k - 1 == k - 1 + i + i


@pytest.mark.parametrize(
    ("slot", "text"),
    [
        (2 * i + k - 1, "2*i+k-1"),
        (a - i, "a-i"),
        (N - 1 - a, "N-a-1"),
        (place(N - K + 1), "N-K+1"),
        (3 - 2 * i, "3-2*i"),
        (place(0), "0"),
        (Lookup("tok", (i,), K), "tok[i]"),
    ],
)
def test_expressions_are_written_as_an_author_would(slot, text):
    assert slot_text(slot) == text.replace("N-a-1", "N-a-1")


def test_renaming_goes_into_lookups_and_sums():
    slot = Lookup("tok", (i + 1,), K) + 2 * i
    assert renamed_slot(slot, {i: a - k}) == Lookup("tok", (a - k + 1,), K) + 2 * a - 2 * k
    assert rename_base(Access("x", (slot,)), {i: a}) == Access("x", (Lookup("tok", (a + 1,), K) + 2 * a,))


def test_deltas_are_equal_by_the_difference_of_their_sides():
    assert Delta(a, i + k) == Delta(a - i, k) == Delta(k, a - i)
    assert hash(Delta(a, i + k)) == hash(Delta(a - i, k))
    assert Delta(a, i + k) != Delta(a, i - k)


def test_a_product_leaves_out_what_always_holds_and_is_zero_where_nothing_does():
    assert product(1, within(i + k, N)) == Term(ONE)
    assert product(1, [(Iverson(place(0), "<=", i - N), ONE)]).coeff == 0
    assert product(1, [(Delta(i + 1, i), ONE)]).coeff == 0
    assert product(1, [(Delta(i + k, a + k), ONE)]).bases == (Delta(i, a),)
    kept = product(1, within(a - k, N - K + 1))
    assert len(kept.powers) == 2


def test_a_delta_makes_its_bracket_sure():
    moved = Delta(2 * i + k - 1, a)
    found = product(1, [(Iverson(place(0), "<=", 2 * i + k - 1), ONE), (moved, ONE)])
    assert found.bases == (moved,)


def test_lookups_are_read_and_their_indices_are_free():
    entry = Access("E", (Lookup("tok", (i,), K), a))
    assert tensors_of(entry) == ("E", "tok")
    assert free_indices(entry) == (i, a)


def test_substitution_by_an_expression_captures_nothing():
    term = Term(ONE, ((Access("x", (i,)), ONE), (Access("w", (k,)), ONE)), (k,))
    (found,) = substitute((term,), {i: a - k})
    (renamed,) = found.summed
    assert renamed != k
    assert k in free_indices(found)


def test_a_number_stands_by_itself_where_a_lower_bound_alone_is_left():
    assert product(1, within(a - 5, N)).bases == (Iverson(place(5), "<=", a),)
    assert product(1, within(a - K, N)).bases == (Iverson(place(K), "<=", a),)
    assert product(1, within(a - i, N)).bases == (Iverson(place(0), "<=", a - i),)
