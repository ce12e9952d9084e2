"""Matching finds a product under any names of its indices, and nothing that only looks like it."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from indexcalc.algebra.build import product
from indexcalc.algebra.match import find_products
from indexcalc.algebra.renaming import rename_base
from indexcalc.algebra.terms import Delta, Fn, Index, Iverson, Partial, Term, free_indices
from tests.support.build import D, N, add, at, ell, fn, i, i2, j, k, k2, term
from tests.support.programs import expressions


def bindings(pattern, subject, summed=()):
    """Every binding that is found, by name."""
    return [
        {key.name: value.name for key, value in match.binding.items()}
        for match in find_products(pattern.powers, summed, subject)
    ]


def count(pattern, subject):
    """How often the first match holds the pattern; None for no match."""
    return next((match.count for match in find_products(pattern.powers, (), subject)), None)


def test_indices_are_bound_slot_by_slot():
    assert bindings(term(at("A", i, j)), term(at("A", j, ell))) == [{"i": "j", "j": "l"}]
    assert bindings(term(at("A", i, j)), term(at("A", ell, ell))) == [{"i": "l", "j": "l"}]


def test_a_repeated_index_matches_only_a_diagonal():
    assert bindings(term(at("A", i, i)), term(at("A", j, ell))) == []
    assert bindings(term(at("A", i, i)), term(at("A", j, j))) == [{"i": "j"}]


def test_extents_must_agree():
    assert bindings(term(at("A", i, j)), term(at("A", i, Index("q", D)))) == []


def test_a_binding_holds_for_the_whole_product():
    pattern = term(fn("exp", term(at("S", i, j))), (at("Z", i), -1))
    assert bindings(pattern, term(fn("exp", term(at("S", j, ell))), (at("Z", j), -1))) == [{"i": "j", "j": "l"}]
    assert bindings(pattern, term(fn("exp", term(at("S", j, ell))), (at("Z", ell), -1))) == []


@pytest.mark.parametrize(
    ("exponent", "expected"),
    [(2, 1), (3, 1), (4, 2), (-2, -1), (-5, -2), (1, None), (-1, None), (sp.Rational(5, 2), 1)],
)
def test_exponents_say_how_often(exponent, expected):
    assert count(term((at("x", i), 2)), term((at("x", j), exponent))) == expected


def test_the_scarcest_factor_says_how_often():
    pattern = term(at("x", i), (at("y", i), -1))
    assert count(pattern, term((at("x", i), 5), (at("y", i), -3))) == 3
    assert count(pattern, term((at("x", i), -2), (at("y", i), 3))) == -2
    assert count(pattern, term((at("x", i), 2), (at("y", i), 3))) is None


def test_deltas_match_either_way_round_and_brackets_do_not():
    x = at("x", i)
    assert {"i": "j", "j": "l"} in bindings(term(x, Delta(i, j)), term(at("x", j), Delta(ell, j)))
    assert bindings(term(x, Iverson(i, "<", j)), term(at("x", j), Iverson(ell, "<", j))) == []
    assert bindings(term(x, Iverson(i, "<", j)), term(at("x", j), Iverson(j, "<=", ell))) == []


def test_sums_match_in_any_order_with_their_coefficients():
    pattern = term((add(term(at("x", i)), term(at("m"), coeff=-1)), 2))
    right = term((add(term(at("m"), coeff=-1), term(at("x", j))), 2))
    wrong = term((add(term(at("m")), term(at("x", j))), 2))
    assert bindings(pattern, right) == [{"i": "j"}]
    assert bindings(pattern, wrong) == []


def test_functions_match_with_their_constants():
    two, three = sp.Integer(2), sp.Integer(3)
    pattern = term(Fn("max", ((term(at("x", i)),), (term(coeff=two),))))
    assert bindings(pattern, term(Fn("max", ((term(at("x", j)),), (term(coeff=two),))))) == [{"i": "j"}]
    assert bindings(pattern, term(Fn("max", ((term(at("x", j)),), (term(coeff=three),))))) == []
    assert bindings(pattern, term(Fn("min", ((term(at("x", j)),), (term(coeff=two),))))) == []


def test_a_derivative_matches_only_itself():
    partial = Partial(at("Y", i), at("X", j))
    assert bindings(term(partial), term(partial)) == [{}]
    assert bindings(term(partial), term(Partial(at("Y", j), at("X", i)))) == []


class TestSums:
    pattern = term(at("A", i, k), at("B", k, j), over=(k,))

    def match(self, subject):
        return bindings(self.pattern, subject, (k,))

    def test_they_must_be_sums_of_the_subject(self):
        assert self.match(term(at("A", i, k2), at("B", k2, j), over=(k2,))) == [{"i": "i", "k": "k2", "j": "j"}]
        assert self.match(term(at("A", i, k2), at("B", k2, j))) == []

    def test_no_other_factor_may_use_them(self):
        assert self.match(term(at("A", i, k2), at("B", k2, j), at("w", k2), over=(k2,))) == []

    def test_the_product_itself_may_not_use_them_elsewhere(self):
        square = term(at("A", i, j), at("B", j, ell), over=(j,))
        bad = term(at("A", i2, i2), at("B", i2, j), over=(i2,))
        assert bindings(square, bad, (j,)) == []

    def test_two_of_them_need_two_sums(self):
        both = term(at("A", i, j), over=(i, j))
        assert bindings(both, term(at("A", i, j), over=(i, j)), (i, j)) == [{"i": "i", "j": "j"}]
        assert bindings(both, term(at("A", i, i), over=(i,)), (i, j)) == []

    def test_their_factors_need_their_whole_exponent(self):
        assert self.match(term((at("A", i, k2), 2), at("B", k2, j), over=(k2,))) == []

    def test_the_other_sums_of_the_subject_may_be_bound_to_free_indices(self):
        subject = term(at("A", i, k2), at("B", k2, j), at("w", i), over=(k2, i))
        assert self.match(subject) == [{"i": "i", "k": "k2", "j": "j"}]


def test_matching_many_equal_factors_is_bounded():
    indices = [Index(f"q{n}", N) for n in range(9)]
    pattern = term(*(at("A", a, b) for a, b in pairwise(indices)), at("A", indices[0], indices[0]))
    subject = term(*(at("A", a, b) for a in indices for b in indices if a != b))
    start = time.perf_counter()
    assert list(find_products(pattern.powers, (), subject)) == []
    assert time.perf_counter() - start < 5


@settings(max_examples=60, deadline=None, derandomize=True)
@given(expressions(), st.data())
def test_a_renamed_product_is_found_and_its_binding_gives_it_back(drawn, data):
    (first, *_), _ = drawn
    free = free_indices(product(1, first.powers))
    images = {}
    for extent in dict.fromkeys(index.extent for index in free):
        group = [index for index in free if index.extent == extent]
        images.update(zip(group, data.draw(st.permutations(group)), strict=True))
    powers = [(rename_base(base, images), exponent) for base, exponent in first.powers]
    match = next(find_products(first.powers, (), product(1, powers)))
    assert match.count == 1
    assert {(rename_base(base, match.binding), exponent) for base, exponent in first.powers} == set(powers)


@pytest.mark.parametrize(("one", "other"), [(-1, -2), (1, -1), (2, 3), (sp.Rational(-1, 2), sp.Rational(1, 2))])
def test_coefficients_inside_a_sum_must_agree(one, other):
    # -1 and -2 have the same hash.
    def bracket(coeff):
        return term(add(term(), product(coeff, term(at("y", i)).powers)))

    assert count(bracket(one), bracket(one)) == 1
    assert count(bracket(one), bracket(other)) is None
    assert count(term(fn("exp", bracket(one))), term(fn("exp", bracket(other)))) is None


@settings(max_examples=80, deadline=None, derandomize=True)
@given(expressions(), st.sampled_from([-2, -1, 2, 3]), st.sampled_from([-2, -1, 2, 3]))
def test_what_is_found_is_there(drawn, one, other):
    (first, *_), _ = drawn
    free = free_indices(product(1, first.powers))
    rest = product(other, first.powers)
    pattern = term(add(product(one, first.powers), term(at("u", *free[:1]))))
    subject = term(add(rest, term(at("u", *free[:1]))))
    for match in find_products(pattern.powers, (), subject):
        for (base, _), position in zip(pattern.powers, match.positions, strict=True):
            assert rename_base(base, match.binding) == subject.powers[position][0]


def test_sums_of_a_pattern_are_sought_where_the_subject_has_sums():
    others = [Index(f"o{number}", N) for number in range(40)]
    apart = [at("z", one, two) for one, two in pairwise(others)]
    # Bound to no sum by the first factor, i would be tried with all ways for the next two, until the last refuses it.
    wanted = [at("z", i, i2), at("z", j, ell), at("z", Index("a", N), Index("b", N)), at("w", i)]
    pattern, subject = (
        Term(sp.S.One, tuple((base, sp.S.One) for base in bases), (i,)) for bases in (wanted, [*apart, *wanted])
    )
    (found, *_) = bindings(pattern, subject, (i,))
    assert found["i"] == "i"
