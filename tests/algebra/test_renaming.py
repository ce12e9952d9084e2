from __future__ import annotations

from itertools import islice

import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from indexcalc.algebra.canonical import same, sum_key
from indexcalc.algebra.renaming import (
    fresh_indices,
    fresh_names,
    put_in_place,
    rename_apart,
    rename_bound,
    substitute,
    times,
    under,
)
from indexcalc.algebra.terms import Access, Index, Term, free_indices, index_names, with_inner_terms
from tests.support.build import N, at, ell, i, j, k, k2, term
from tests.support.programs import COLUMNS, ROWS, expressions
from tests.support.values import SIZES, assert_same_value, random_tensors, value_of

FRESH = {index: Index(f"{index.name}9", index.extent) for index in (*ROWS, *COLUMNS)}


def test_fresh_names_avoid_what_is_taken_and_never_end():
    assert list(islice(fresh_names({"b"}), 3)) == ["a", "c", "d"]
    assert list(islice(fresh_names(set("abcdefghijklmnopqrstuvwxyz")), 2)) == ["a1", "b1"]
    assert fresh_indices((i, k), {"a"}) == (Index("b", N), Index("c", k.extent))


def test_a_sum_makes_way_for_an_incoming_index():
    """sum_j X_ij at i = j is sum_a X_ja: the trap of every substitution."""
    (found,) = substitute((term(at("X", i, j), over=(j,)),), {i: j})
    assert free_indices(found) == (j,)
    assert same((found,), (term(at("X", j, ell), over=(ell,)),))
    assert not same((found,), (term(at("X", j, j), over=(j,)),))


def test_a_summed_index_is_not_replaced():
    closed = (term(at("X", i), over=(i,)),)
    assert substitute(closed, {i: j}) == closed


def test_indices_may_be_exchanged_at_once():
    assert substitute((term(at("X", i, j)),), {i: j, j: i}) == (term(at("X", j, i)),)


def test_times_keeps_both_sums_apart():
    """(sum_i x_i)(sum_i y_i) is not sum_i x_i y_i."""
    found = times(term(at("x", i), over=(i,)), term(at("y", i), over=(i,)))
    assert len(found.summed) == 2
    assert same((found,), (term(at("x", i), at("y", j), over=(i, j)),))


def test_times_does_not_bind_a_free_index_of_the_other():
    found = times(term(at("x", i), over=(i,)), term(at("y", i)))
    assert free_indices(found) == (i,)
    assert same((times(term(at("y", i)), term(at("x", i), over=(i,))),), (found,))


def test_under_reads_the_dummies_of_the_outer_term():
    found = under(term(at("x", i), over=(i,)), term(at("y", i)))
    assert same((found,), (term(at("x", j), at("y", j), over=(j,)),))
    found = under(term(at("x", i), over=(i,)), term(at("y", i), over=(i,)))
    assert same((found,), (term(at("x", i), at("y", j), over=(i, j)),))


def test_put_in_place_distributes():
    outer = term(at("A", i, j), at("Z", j), over=(j,))
    found = put_in_place(outer, 1, (term(at("X", j, k), over=(k,)), term(at("Y", j, i), over=(i,))))
    expected = (
        term(at("A", i, j), at("X", j, k), over=(j, k)),
        term(at("A", i, j), at("Y", j, ell), over=(j, ell)),
    )
    assert same(found, expected)


@given(expressions())
def test_renaming_dummies_keeps_value_and_key(drawn):
    terms, tensors = drawn
    renamed = tuple(rename_bound(t, {index: FRESH[index] for index in t.summed}) for t in terms)
    assert_same_value(terms, renamed, free_indices(terms), random_tensors(tensors))
    assert sum_key(renamed) == sum_key(terms)


@given(expressions(), st.permutations(ROWS), st.permutations(COLUMNS))
def test_substitution_never_captures(drawn, rows, columns):
    """Renaming the free indices, to names that the sums use as well, permutes the axes and nothing else."""
    terms, tensors = drawn
    renaming = dict(zip((*ROWS, *COLUMNS), (*rows, *columns), strict=True))
    free, values = free_indices(terms), random_tensors(tensors)
    found = substitute(terms, {index: renaming[index] for index in free})
    assert set(free_indices(found)) == {renaming[index] for index in free}
    np.testing.assert_allclose(
        value_of(found, tuple(renaming[index] for index in free), values), value_of(terms, free, values), atol=1e-9
    )


@given(expressions(), st.permutations(ROWS), st.permutations(COLUMNS))
def test_names_that_dummies_could_take_may_be_replaced(drawn, rows, columns):
    """The free indices have the names that fresh ones get first, and are renamed to names that the sums use."""
    terms, tensors = drawn
    free, values = free_indices(terms), random_tensors(tensors)
    letters = tuple(Index(letter, index.extent) for letter, index in zip("abcdef", free, strict=False))
    named = substitute(terms, dict(zip(free, letters, strict=True)))
    renaming = dict(zip((*ROWS, *COLUMNS), (*rows, *columns), strict=True))
    back = tuple(renaming[index] for index in free)
    found = substitute(named, dict(zip(letters, back, strict=True)))
    np.testing.assert_allclose(value_of(found, back, values), value_of(terms, free, values), atol=1e-9)


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(expressions())
def test_substitution_on_the_diagonal(drawn):
    """Two free indices made one: the diagonal of the value."""
    terms, tensors = drawn
    free, values = free_indices(terms), random_tensors(tensors)
    pairs = [(a, b) for a in free for b in free if a != b and a.extent == b.extent]
    assume(pairs)
    (one, other), rest = pairs[0], tuple(index for index in free if index not in pairs[0])
    whole = value_of(terms, (one, other, *rest), values)
    found = value_of(substitute(terms, {one: other}), (other, *rest), values)
    places = np.arange(SIZES[other.extent])
    np.testing.assert_allclose(found, whole[places, places], atol=1e-9)


@given(expressions(), expressions())
def test_the_product_of_two_terms_has_the_product_of_their_values(left, right):
    values = random_tensors((*left[1], *(t.__class__("R" + t.name, t.slots) for t in right[1])))
    one, other = left[0][0], prefixed(right[0][0])
    free = tuple(dict.fromkeys((*free_indices(one), *free_indices(other))))
    found = value_of((times(one, other),), free, values)
    np.testing.assert_allclose(
        found, value_of((one,), free, values) * value_of((other,), free, values), rtol=1e-9, atol=1e-9
    )


def prefixed(single):
    """The term with every tensor's name prefixed, so that two drawn terms read different tensors."""
    return Term(single.coeff, tuple((prefixed_base(base), e) for base, e in single.powers), single.summed)


def prefixed_base(base):
    match base:
        case Access(tensor, slots):
            return Access("R" + tensor, slots)
    return with_inner_terms(base, lambda terms: tuple(map(prefixed, terms)))


@given(expressions(), st.sets(st.sampled_from([index.name for index in (*ROWS, *COLUMNS)])))
def test_rename_apart_avoids_names_and_keeps_the_value(drawn, avoid):
    terms, tensors = drawn
    free = free_indices(terms)
    for single in terms:
        apart = rename_apart(single, avoid)
        assert not {index.name for index in apart.summed} & avoid
        assert len({index.name for index in apart.summed}) == len(single.summed)
        assert_same_value((single,), (apart,), free, random_tensors(tensors))
        assert index_names(apart) >= {index.name for index in free_indices(single)}


def test_extents_keep_indices_apart():
    assert substitute((term(at("X", k, k2)),), {k: k2}) == (term(at("X", k2, k2)),)
