"""Factoring keeps the value, and takes out only what every term has."""

from __future__ import annotations

import pytest
import sympy as sp
from hypothesis import given, settings

from indexcalc.algebra.build import expand
from indexcalc.algebra.canonical import same
from indexcalc.algebra.factor import factor, factor_in_parts, positive_first
from indexcalc.algebra.terms import free_indices
from tests.support.build import M, add, at, i, j, k, term
from tests.support.programs import expressions
from tests.support.values import assert_same_value, random_tensors

gamma = sp.Symbol("gamma")
A, D, r, x, y = at("A", i, j), at("D", i, j), at("r", i), at("x", i), at("y", i)


def test_a_common_factor_is_taken_out():
    assert factor((term(A, D), term(A, r, coeff=-1))) == (term(A, add(term(D), term(r, coeff=-1))),)


def test_the_first_positive_term_comes_first():
    assert factor((term(A, r, coeff=-1), term(A, D))) == (term(A, add(term(D), term(r, coeff=-1))),)
    assert positive_first((term(x, coeff=-1), term(y))) == (term(y), term(x, coeff=-1))
    assert positive_first((term(x, coeff=-1), term(y, coeff=-1)))[0] == term(x, coeff=-1)


def test_terms_without_anything_in_common_stay():
    terms = (term(x), term(y))
    assert factor(terms) == terms


def test_different_sums_stay_apart():
    terms = (term(x, at("B", i, k), over=(k,)), term(x, y))
    assert factor(terms) == terms


def test_shared_sums_are_shared():
    (joined,) = factor((term(at("B", i, k), at("u", k), over=(k,)), term(at("B", i, k), at("v", k), over=(k,))))
    assert joined.summed == (k,)
    assert joined.powers == ((at("B", i, k), 1), (add(term(at("u", k)), term(at("v", k))), 1))


@pytest.mark.parametrize(
    ("one", "other", "common"),
    [(3, 2, 2), (-1, -2, -1), (sp.Rational(3, 2), sp.Rational(1, 2), sp.Rational(1, 2)), (1, -1, None)],
)
def test_the_exponent_nearer_to_zero_is_shared(one, other, common):
    factored = factor((term((x, one), y), term((x, other), at("w", i))))
    if common is None:
        assert len(factored) == 2
    else:
        assert factored[0].powers[0] == (x, common)


def test_terms_that_share_an_entry_are_joined_beside_those_that_do_not():
    w = at("w", i)
    joined = term(r, add(term(x), term(y, coeff=-1)))
    assert factor_in_parts((term(r, x), term(r, y, coeff=-1), term(w))) == (joined, term(w))
    assert factor_in_parts((term(w), term(r, x), term(r, y, coeff=-1))) == (joined, term(w))


def test_the_entry_that_most_terms_have_comes_first():
    terms = (term(x, y), term(x, r), term(A, r), term(D, r))
    (joined, rest) = factor_in_parts(terms)
    assert joined.powers[0] == (r, 1)
    assert rest == term(x, y)


def test_an_entry_that_stands_alone_is_no_factor_of_others():
    terms = (term(r), term(r, x, coeff=-1), term(y))
    assert factor_in_parts(terms) == terms


def test_terms_with_other_sums_are_not_joined():
    terms = (term(x, at("B", i, k), over=(k,)), term(x, y), term(r))
    assert factor_in_parts(terms) == terms


@settings(max_examples=60, deadline=None)
@given(expressions())
def test_joining_some_terms_keeps_the_value(drawn):
    terms, tensors = drawn
    joined = factor_in_parts(factor(terms))
    assert len(joined) <= len(terms)
    assert_same_value(terms, joined, free_indices(terms), random_tensors(tensors))


def test_a_scalar_is_taken_out_only_where_that_leaves_fewer():
    half = sp.Rational(1, 2)
    z = term(at("z", i), coeff=-1)
    for others in ((term(x, coeff=half), term(y, coeff=-half)), (term(x, coeff=half / M), term(y, coeff=half / M))):
        joined, alone = factor((*others, z))
        assert alone == z
        assert joined.coeff == others[0].coeff
    assert factor((term(x, coeff=half), z)) == (term(x, coeff=half), z)
    (joined,) = factor((term(x, coeff=2), term(y, coeff=4)))
    assert joined.coeff == 2


def test_rational_multiples_share_their_scalar():
    (joined,) = factor((term(x, coeff=1 / M), term(y, coeff=-2 / M)))
    assert joined.coeff == 1 / M
    (joined,) = factor((term(A, D, coeff=sp.Rational(1, 2)), term(A, r, coeff=sp.Rational(1, 3))))
    assert joined.coeff == sp.Rational(1, 6)


@pytest.mark.parametrize("shares", [(sp.Rational(1, 9), sp.Rational(2, 3), -1), (-1, 2)])
@pytest.mark.parametrize("scalar", [1 - 1 / sp.sqrt(M), sp.sqrt(M) * (M - 1), (1 - M) ** 2 / M], ids=str)
def test_a_scalar_that_may_be_zero_divides_no_other(scalar, shares):
    """Of ``(1 - 1/sqrt(M)) a - 2/3 (1 - 1/sqrt(M)) b`` nothing is left for M = 1, rather than 0/0."""
    (joined,) = factor(tuple(term(one, coeff=share * scalar) for one, share in zip((x, y, r), shares, strict=False)))
    assert joined.coeff.subs(M, 1) == 0
    (inner,) = joined.bases
    assert all(part.coeff.is_Rational for part in inner.terms)


@settings(max_examples=120, deadline=None, derandomize=True)
@given(expressions())
def test_factoring_keeps_the_value_and_expanding_undoes_it(drawn):
    terms, tensors = drawn
    factored = factor(terms)
    assert len(factored) <= len(terms)
    assert_same_value(terms, factored, free_indices(terms), random_tensors(tensors))
    assert same(expand(factored), expand(terms))


def test_a_sum_that_is_a_multiple_of_a_bracket_is_taken_apart():
    bracket = add(term(at("a", i)), term(at("p", i), coeff=-1))
    other = add(term(at("a", i)), term(at("q", i), coeff=-1))
    (one,) = factor((term(at("s", j), bracket), term(at("s", j), other, coeff=-1)))
    assert one == term(at("s", j), add(term(at("q", i)), term(at("p", i), coeff=-1)))


def test_symbolic_powers_share_the_lesser_in_a_last_form():
    terms = (term((at("q", i), gamma), at("a", i)), term((at("q", i), gamma + 1)))
    assert factor(terms) == terms
    assert factor(terms, symbolic=True) == (term((at("q", i), gamma), add(term(at("a", i)), term(at("q", i)))),)


@pytest.mark.parametrize(
    ("one", "other", "common"),
    [
        (gamma / M, -1 / M, 1 / M),
        (gamma / M, 2 / M**2, 1 / M),
        (2 * gamma / (M - 1), M / (M - 1), 1 / (M - 1)),
        (sp.sqrt(2) * gamma, sp.sqrt(2) / M, 1),
        (gamma, 1 / M, 1),
    ],
)
def test_a_last_form_has_scalars_in_front_that_every_term_has(one, other, common):
    terms = (term(r, x, coeff=one), term(r, y, coeff=other))
    (joined,) = factor(terms, symbolic=True)
    assert joined.coeff in (common, -common)
    assert same(expand((joined,)), expand(terms))
    (plain,) = factor(terms)
    assert plain.coeff == 1


def test_a_scalar_alone_is_no_reason_to_join_terms():
    """``-2 (1 - C) delta + 2 lam C`` says what stands on the diagonal and what off it."""
    terms = (term(x, coeff=gamma / M), term(y, coeff=-1 / M))
    assert factor(terms, symbolic=True) == terms


def test_a_bracket_that_is_put_together_begins_with_what_is_positive():
    """``-2 (x - r) - 2 (x - y)`` is ``2 (r - 2 x + y)``, not ``-2 (2 x - r - y)``."""
    terms = (term(add(term(x), term(r, coeff=-1)), coeff=-2), term(add(term(x), term(y, coeff=-1)), coeff=-2))
    assert factor(terms) == (term(add(term(r), term(x, coeff=-2), term(y)), coeff=2),)


def test_equal_rests_are_added_up():
    assert factor((term(A), term(A))) == (term(A, coeff=2),)
    assert factor((term(A, D), term(A, D), term(A, r))) == (term(A, add(term(D, coeff=2), term(r))),)
    assert factor((term(A, D), term(A, D, coeff=-1))) == ()
