from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from indexcalc.algebra import build
from indexcalc.algebra.build import as_factor, expand, is_divisor, is_negative, power, scalar, scale, sum_over
from indexcalc.algebra.terms import Add, Delta, Iverson, Term, free_indices
from indexcalc.errors import LimitError, ProgramError
from indexcalc.proof.evaluate import evaluate
from tests.support.build import N, add, at, i, j, term
from tests.support.programs import expressions
from tests.support.values import assert_same_value, random_tensors, value_of

X, Y = at("X", i), at("Y", i)
HALF = sp.Rational(1, 2)


def test_equal_factors_add_their_exponents():
    assert term(X, (Y, 2), (X, 3)).powers == ((X, 4), (Y, 2))
    assert term((X, 2), (X, -2), Y).powers == ((Y, 1),)


def test_a_sum_over_nothing_counts_its_extent():
    assert term(X, coeff=2, over=(j,)) == Term(2 * N, ((X, sp.S.One),))
    assert term((X, 1), (X, -1), over=(i,)) == Term(N)


def test_deltas_and_brackets_are_idempotent():
    assert term((Delta(i, j), 2)).powers == ((Delta(i, j), 1),)
    assert term(Iverson(i, "<", j), Iverson(i, "<", j)).powers == ((Iverson(i, "<", j), 1),)
    assert term((Delta(i, j), 1), (Delta(j, i), -1)).powers == ()
    assert term(Delta(i, i), X).powers == ((X, 1),)


@pytest.mark.parametrize("relation", ["<", "!=", "<="])
def test_a_bracket_between_equal_indices_is_zero_or_one(relation):
    rest = term(X) if relation == "<=" else Term(sp.S.Zero)
    assert term(Iverson(i, relation, i), X) == rest
    assert term(Delta(j, i), Iverson(i, relation, j), X, over=(j,)) == (
        term(Delta(j, i), X, over=(j,)) if relation == "<=" else Term(sp.S.Zero)
    )


@pytest.mark.parametrize("base", [Delta(i, j), Iverson(i, "<", j)])
def test_division_by_what_may_be_zero_everywhere_is_refused(base):
    with pytest.raises(ProgramError, match="division by"):
        term((base, -1))


def test_a_coefficient_is_negative_only_with_all_of_its_parts():
    a, b = sp.symbols("a b")
    assert [is_negative(value) for value in (1 - a, a - 1, -a - b, -2 * a, a, -sp.sqrt(2) / 2)] == [
        *(False, False, True, True, False, True)
    ]
    kept = power((term(X, coeff=1 - a), term(Y)), sp.S.One)
    assert kept == Term(sp.S.One, ((add(term(X, coeff=1 - a), term(Y)), sp.S.One),))


def test_the_sign_of_a_bracket_goes_into_the_coefficient():
    assert power((term(X, coeff=-1), term(Y)), sp.S.One) == Term(
        sp.S.NegativeOne, ((add(term(X), term(Y, coeff=-1)), sp.S.One),)
    )
    assert power((term(X, coeff=-1), term(Y)), sp.Integer(2)).coeff == 1
    assert power((term(X, coeff=-1), term(Y)), HALF).coeff == 1


def test_a_root_of_a_square_is_not_taken_apart():
    root = power((term((X, 2)),), HALF)
    assert isinstance(root.powers[0][0], Add)
    assert power((term(X, coeff=4),), HALF) == Term(sp.Integer(2), ((X, HALF),))
    found = evaluate((root,), (i,), {"X": np.array([-2.0, 1.0, -3.0])}, {N: 3})
    np.testing.assert_allclose(found, [2.0, 1.0, 3.0])


def test_a_power_of_nothing():
    assert power((), sp.Integer(2)) == Term(sp.S.Zero)
    with pytest.raises(ProgramError, match="division by zero"):
        power((), sp.Integer(-1))
    with pytest.raises(ProgramError, match="must be named"):
        power((term(X, over=(i,)),), sp.Integer(2))


def test_scalars():
    assert scalar(0) == ()
    assert scalar(3) == (Term(sp.Integer(3)),)
    assert scale((term(X),), sp.S.Zero) == ()


def test_expanding_too_much_is_refused():
    wide = Add(tuple(term(at(f"X{n}", i)) for n in range(60)))
    with pytest.raises(LimitError, match=f"{build.EXPANSION_LIMIT} terms"):
        expand((term((wide, 4)),))


def test_a_square_is_multiplied_out():
    found = expand((term((add(term(X), term(Y)), 2)),))
    assert len(found) == 4
    assert found[0].powers == ((X, 2),)
    assert found[-1].powers == ((Y, 2),)


@given(expressions())
def test_expanding_keeps_the_value(drawn):
    terms, tensors = drawn
    assert_same_value(terms, expand(terms), free_indices(terms), random_tensors(tensors))


@given(expressions(), st.sampled_from((2, -3, HALF)))
def test_scaling_is_linear(drawn, factor):
    terms, tensors = drawn
    free, values = free_indices(terms), random_tensors(tensors)
    found = value_of(scale(terms, sp.sympify(factor)), free, values)
    np.testing.assert_allclose(found, float(factor) * value_of(terms, free, values), rtol=1e-12, atol=1e-12)


@given(expressions())
def test_a_sum_of_terms_is_the_sum_of_their_values(drawn):
    terms, tensors = drawn
    free, values = free_indices(terms), random_tensors(tensors)
    each = sum(value_of((single,), free, values) for single in terms)
    np.testing.assert_allclose(value_of(terms, free, values), each, rtol=1e-12, atol=1e-12)


@given(expressions())
def test_summing_over_a_free_index(drawn):
    terms, tensors = drawn
    free, values = free_indices(terms), random_tensors(tensors)
    if free:
        found = value_of(sum_over(terms, free[:1]), free[1:], values)
        np.testing.assert_allclose(found, value_of(terms, free, values).sum(axis=0), rtol=1e-10, atol=1e-10)


@given(expressions())
def test_the_invariants_of_a_term_hold(drawn):
    for built in drawn[0]:
        bases = [base for base, _ in built.powers]
        assert len(set(bases)) == len(bases)
        assert all(exponent != 0 for _, exponent in built.powers)
        assert all(exponent == 1 for base, exponent in built.powers if isinstance(base, Delta | Iverson))


def test_as_factor_leaves_a_single_term_alone():
    single = term(X, (Y, 2), coeff=3)
    assert as_factor((single,)) == single


def test_a_divisor_is_never_zero():
    size = sp.Symbol("N", positive=True, integer=True)
    scalar = sp.Symbol("a", real=True)
    for coeff in (sp.Integer(3), 2 / size, sp.sqrt(size), 1 / scalar, -size / scalar, 1 + size):
        assert is_divisor(coeff), coeff
    for coeff in (sp.Integer(0), scalar, 1 - scalar, size - 1, 1 / sp.sqrt(size) - 1 / size, scalar / size):
        assert not is_divisor(coeff), coeff
