from __future__ import annotations

import pytest

from indexcalc.algebra.terms import (
    Access,
    Delta,
    Index,
    Partial,
    accesses_of,
    free_indices,
    index_names,
    occurring_indices,
    occurs_in,
    own_indices,
    tensors_of,
    walk,
)
from tests.support.build import M, N, add, at, fn, i, j, k, m, term


def test_an_index_is_its_name_and_its_extent():
    assert Index("i", N) == i
    assert Index("i", M) != i
    assert repr(i) == "i:N"


def test_terms_are_hashable_and_cannot_be_changed():
    one = term(at("X", i), fn("exp", term(at("Y", i))), over=(i,))
    assert {one: 1}[term(at("X", i), fn("exp", term(at("Y", i))), over=(i,))] == 1
    with pytest.raises(AttributeError):
        one.coeff = 2


def test_a_delta_is_symmetric():
    assert Delta(i, j) == Delta(j, i)
    assert hash(Delta(i, j)) == hash(Delta(j, i))
    assert Delta(i, j) != Delta(i, k)
    assert Delta(i, j) != at("X", i)
    assert Delta(i, j).other(i) == j
    assert Delta(i, j).other(j) == i


NESTED = term(at("X", i), add(term(at("Y", j)), term(fn("exp", term(at("Z", m, k))))), over=(k, j))


def test_walk_goes_outermost_first_in_authored_order():
    assert [getattr(base, "tensor", type(base).__name__) for base in walk(NESTED)] == ["X", "Add", "Y", "Fn", "Z"]
    assert tensors_of(NESTED) == ("X", "Y", "Z")
    assert occurring_indices((NESTED,)) == (i, j, m, k)


def test_free_indices_are_those_no_sum_binds():
    assert free_indices(NESTED) == (i, m)
    assert free_indices((NESTED, term(at("W", j)))) == (i, m, j)
    assert index_names(NESTED) == {"i", "j", "k", "m"}


def test_a_derivative_has_the_indices_of_both_sides():
    partial = Partial(at("Y", i), at("X", j, k))
    assert free_indices(partial) == (i, j, k)
    assert tensors_of(partial) == ("Y", "X")
    assert own_indices(partial) == ()


def test_accesses_of_one_tensor_are_distinct():
    several = term(at("X", i), at("Y", j), fn("exp", term(at("X", j)), term(at("X", i))))
    assert accesses_of(several, "X") == (Access("X", (i,)), Access("X", (j,)))
    assert occurs_in(j, several)
    assert not occurs_in(k, several)
