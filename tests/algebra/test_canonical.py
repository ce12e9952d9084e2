from __future__ import annotations

import random
import time
from itertools import product as pairs

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from indexcalc.algebra.canonical import collect, same, simplify_sum, sum_key, term_key
from indexcalc.algebra.renaming import rename_bound
from indexcalc.algebra.terms import Delta, Fn, Index, Iverson, Term, free_indices
from indexcalc.errors import LimitError
from tests.support.build import M, N, add, at, ell, fn, i, j, m, term
from tests.support.programs import expressions
from tests.support.values import assert_same_value, random_tensors, value_of


def shuffled(single, seed):
    """The same product with its factors, sums and the terms of its brackets in another order."""
    order = random.Random(seed)
    powers = list(single.powers)
    summed = list(single.summed)
    order.shuffle(powers)
    order.shuffle(summed)
    return Term(single.coeff, tuple(powers), tuple(summed))


@given(expressions(), st.integers(0, 99))
def test_the_order_of_factors_and_sums_does_not_matter(drawn, seed):
    for single in drawn[0]:
        assert term_key(shuffled(single, seed)) == term_key(single)


@given(expressions())
def test_the_order_of_terms_does_not_matter(drawn):
    assert sum_key(drawn[0][::-1]) == sum_key(drawn[0])
    assert same(drawn[0][::-1], drawn[0])


@given(expressions(), st.integers(0, 99))
def test_equal_keys_mean_equal_values(drawn, seed):
    terms, tensors = drawn
    free, values = free_indices(terms), random_tensors(tensors, seed)
    for one, other in pairs(terms, terms):
        if term_key(one) == term_key(other):
            left, right = (Term(sp.S.One, t.powers, t.summed) for t in (one, other))
            assert_same_value((left,), (right,), free, values)


@given(expressions(), expressions())
def test_sums_called_same_have_the_same_value(left, right):
    if same(left[0], right[0]):
        values = random_tensors((*left[1], *right[1]))
        assert_same_value(left[0], right[0], free_indices((*left[0], *right[0])), values)


@given(expressions())
def test_collecting_keeps_the_value_and_cancels(drawn):
    terms, tensors = drawn
    assert_same_value(terms, collect(terms), free_indices(terms), random_tensors(tensors))
    assert collect((*terms, *(Term(-t.coeff, t.powers, t.summed) for t in terms))) == ()
    doubled = collect((*terms, *terms))
    np.testing.assert_allclose(
        value_of(doubled, free_indices(terms), random_tensors(tensors)),
        2 * value_of(terms, free_indices(terms), random_tensors(tensors)),
        rtol=1e-9,
        atol=1e-9,
    )


def with_other_dummies(single):
    """The same product with other names for its dummies."""
    return rename_bound(single, {index: Index(f"{index.name}_other", index.extent) for index in single.summed})


@given(expressions(), st.integers(0, 99))
def test_collecting_asks_for_the_keys_of_all_that_are_alike(drawn, seed):
    """As many terms are left as there are keys, however the terms are written."""
    terms = (*drawn[0], *(with_other_dummies(shuffled(single, seed)) for single in drawn[0]))
    positive = tuple(Term(sp.S.One, single.powers, single.summed) for single in terms)
    assert len(collect(positive)) == len({term_key(single) for single in positive})


def test_collecting_asks_for_no_key_of_what_stands_alone():
    asked = []

    def key_of(single):
        asked.append(single)
        return term_key(single)

    alike = (term(at("X", i, j), over=(j,)), term(at("X", i, ell), over=(ell,)))
    others = (term(at("Y", i, j), over=(j,)), term(at("X", i, i)), term(at("X", i, j), at("X", j, j), over=(j,)))
    assert len(collect((*alike, *others), key_of)) == 4
    assert asked == list(alike)


DIFFERENT = [
    term(at("X", i, j)),
    term(at("X", j, i)),
    term(at("X", i, i)),
    term(at("X", i, j), over=(j,)),
    term(at("X", i, j), over=(i,)),
    term(at("X", i, j), over=(i, j)),
    term(at("X", i, i), over=(i,)),
    term((at("X", i, j), 2), over=(i, j)),
    term(at("X", i, j), at("X", j, i), over=(i, j)),
    term(at("X", i, j), at("X", i, ell), over=(i, j, ell)),
    term(at("X", i, j), at("X", j, ell), over=(i, j, ell)),
    term(at("X", i, ell), at("X", j, ell), over=(i, j, ell)),
    term(at("Y", m), over=(m,)),
    term(at("Y", i), over=(i,)),
    term(Delta(i, j)),
    term(Iverson(i, "<", j)),
    term(Iverson(j, "<", i)),
    term(Iverson(i, "<=", j)),
    term(Iverson(i, "!=", j)),
    term(fn("exp", term(at("X", i, j)))),
    term(fn("log", term(at("X", i, j)))),
    term(fn("exp", term(at("X", i, j), coeff=2))),
    term((fn("exp", term(at("X", i, j))), -1)),
    term(Fn("max", ((term(at("X", i, j)),), ()))),
    term(Fn("max", ((term(at("X", i, j)),), (term(),)))),
    term(add(term(at("X", i, j)), term(at("X", j, i)))),
    term(add(term(at("X", i, j)), term(at("X", j, i), coeff=-1))),
    term((add(term(at("X", i, j)), term(at("X", j, i))), 2)),
]


def test_different_products_have_different_keys():
    keys = [term_key(single) for single in DIFFERENT]
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (term(at("x", i), over=(i,)), term(at("x", j), over=(j,))),
        (term(Iverson(i, "!=", j)), term(Iverson(j, "!=", i))),
        (term(Delta(i, j)), term(Delta(j, i))),
        (term(add(term(at("X", i, j)), term(at("Y", i)))), term(add(term(at("Y", i)), term(at("X", i, j))))),
        (
            term(at("A", i, j), at("A", j, i), over=(i, j)),
            term(at("A", j, i), at("A", i, j), over=(j, i)),
        ),
    ],
)
def test_equal_products_have_equal_keys(one, other):
    assert term_key(one) == term_key(other)


def test_a_free_index_is_not_a_dummy_of_the_same_name():
    assert term_key(term(at("X", i, j), over=(j,))) != term_key(term(at("X", i, j)))
    assert term_key(term(at("X", Index("#0", N)))) != term_key(term(at("X", i), over=(i,)))


def test_a_dummys_extent_counts():
    assert term_key(term(at("x", Index("a", N)), over=(Index("a", N),))) != term_key(
        term(at("x", Index("a", M)), over=(Index("a", M),))
    )


def cycle(length, labels):
    """A closed chain of matrices: every index looks like every other."""
    names = [Index(f"{labels}{n}", N) for n in range(length)]
    factors = [at("A", names[n], names[(n + 1) % length]) for n in range(length)]
    return term(*factors, over=tuple(names))


def test_a_closed_chain_is_compared():
    assert term_key(cycle(9, "a")) == term_key(shuffled(cycle(9, "b"), 4))
    split = Term(sp.S.One, cycle(4, "a").powers + cycle(5, "b").powers, cycle(4, "a").summed + cycle(5, "b").summed)
    assert term_key(cycle(9, "a")) != term_key(split)


def rook(side, labels="a"):
    """A term whose indices form a rook's graph: so regular that colours alone never tell them apart."""
    cells = {(r, c): Index(f"{labels}{r}_{c}", N) for r in range(side) for c in range(side)}
    linked = [(a, b) for a in cells for b in cells if a != b and (a[0] == b[0] or a[1] == b[1])]
    return term(*(at("A", cells[a], cells[b]) for a, b in linked), over=tuple(cells.values()))


def test_a_term_too_symmetric_is_refused_quickly_never_called_different():
    started = time.perf_counter()
    with pytest.raises(LimitError, match="too symmetric"):
        term_key(rook(6))
    with pytest.raises(LimitError):
        same((rook(6),), (rook(6, "b"),))
    assert collect((rook(6), rook(6))) == (rook(6), rook(6))
    assert time.perf_counter() - started < 10


def test_many_equal_factors_are_fast():
    """Twelve interchangeable sums: factorially many names, yet one answer at once."""
    names = [Index(f"a{n}", N) for n in range(12)]
    star = term(*(at("A", i, name) for name in names), over=tuple(names))
    started = time.perf_counter()
    assert term_key(star) == term_key(shuffled(star, 1))
    assert time.perf_counter() - started < 1


def paired_sums(count, labels="a"):
    """Sums that only change places in pairs: no swap of two indices alone leaves the product as it is."""
    centre = Index(f"{labels}c", N)
    pairs = [(Index(f"{labels}{n}", N), Index(f"{labels}{n}_", N)) for n in range(count)]
    factors = [factor for one, two in pairs for factor in (at("A", centre, one), at("B", one, two))]
    return term(*factors, over=(centre, *(index for pair in pairs for index in pair)))


def test_sums_that_change_places_in_pairs_are_compared():
    """Each of the factorially many orders looks alike, so one of them is followed."""
    started = time.perf_counter()
    assert term_key(paired_sums(6)) == term_key(shuffled(paired_sums(6, "b"), 3))
    assert time.perf_counter() - started < 1


def test_scalars_that_cancel_are_zero():
    eps = sp.Symbol("eps", positive=True)
    assert simplify_sum([1 / (1 + eps), eps / (1 + eps), sp.S.NegativeOne]) == 0
    assert simplify_sum([sp.sqrt(N) ** 2, -N]) == 0
    assert simplify_sum([sp.Integer(2), sp.Integer(3)]) == 5
