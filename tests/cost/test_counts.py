"""Counts are polynomials in the extents: SymPy's arithmetic says the same, and so do numbers."""

from __future__ import annotations

import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from indexcalc.algebra.terms import Index
from indexcalc.cost.counts import NOTHING, Count, span, total

T, d, e = sp.symbols("T d d_v", positive=True, integer=True)
i, j, k, p = Index("i", T), Index("j", T), Index("k", d), Index("p", e)

index_sets = st.lists(st.sampled_from((i, j, k, p)), max_size=3)
counts = st.lists(st.builds(span, index_sets, st.integers(1, 4)), max_size=4).map(total)
size_tables = st.fixed_dictionaries({extent: st.integers(1, 9) for extent in (T, d, e)})


def test_a_count_reads_like_a_polynomial():
    count = total([span((i,), 3), span((i, j, k), 2), span((), 5), span((i, p)), span((i, j))])
    assert str(count) == "2 T^2 d + T^2 + T d_v + 3 T + 5"
    assert count.expr == 2 * T**2 * d + T**2 + T * e + 3 * T + 5
    assert (str(NOTHING), NOTHING.expr) == ("0", 0)
    assert str(span(())) == "1"


def test_extents_may_be_numbers_and_products():
    seven, twice, both = sp.Integer(7), 2 * d, d * T
    assert str(span((Index("a", seven), i))) == "7 T"
    assert str(span((Index("a", twice), Index("b", both)))) == "2 T d^2"
    assert str(span((Index("a", T - 1),), 2)) == "2 (T - 1)"
    assert span((Index("a", T - 1),), 2).at({T: 5}) == 8


def test_the_order_of_addition_does_not_matter():
    one, other = span((i, k)), span((j, j))
    assert one + other == other + one
    assert (one + other) * 3 == total([one, other] * 3)
    assert one * 0 == NOTHING


def test_leading_terms_divide_no_other():
    count = total([span((i, j, k), 2), span((i, j), 7), span((i, k), 3), span((i, p), 4), span((), 1)])
    assert str(count.leading()) == "2 T^2 d + 4 T d_v"


def test_covering():
    assert total([span((i, j), 2), span((i,))]).covers(total([span((i, j)), span((i,), 2)]))
    assert not total([span((i, j)), span((i,))]).covers(span((i,), 3))
    assert not span((i, k)).covers(span((i, p)))
    assert span((i, j)).covers(NOTHING)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(counts, counts, size_tables)
def test_numbers_are_the_polynomial_with_sizes_put_in(one, other, sizes):
    assert one.at(sizes) == one.expr.subs(sizes)
    assert (one + other).at(sizes) == one.at(sizes) + other.at(sizes)
    assert sp.expand((one + other).expr - one.expr - other.expr) == 0


@settings(max_examples=300, deadline=None, derandomize=True)
@given(counts, counts, size_tables)
def test_what_covers_is_never_smaller(one, other, sizes):
    if one.covers(other):
        assert one.at(sizes) >= other.at(sizes)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(counts)
def test_leading_terms_are_a_part_and_cover_each_other_term(count):
    leading = Count(count.leading().terms)
    assert set(leading.terms) <= set(count.terms)
    assert all(
        any(Count(((term[0], 10**6),)).covers(Count((other,))) for term in leading.terms) for other in count.terms
    )
