from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from indexcalc.algebra.terms import Delta, Iverson, Partial
from indexcalc.errors import LimitError, ProgramError
from indexcalc.proof import evaluate as module
from indexcalc.proof.evaluate import Environment, evaluate, evaluate_lanes, number, numbers_of, run_program
from tests.support.build import D, M, N, P, add, at, attention, ell, fn, i, j, k, m, softmax_in_numpy, term

SIZES = {N: 3, M: 2, D: 4, P: 5}
RNG = np.random.default_rng(7)
X, Y, Q = RNG.normal(size=(3, 3)), RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4))
TENSORS = {"X": X, "Y": Y, "Q": Q, "s": np.asarray(2.5), "v": np.array([1.0, 2.0, 3.0])}


def value(*terms, free=()):
    return evaluate(terms, free, TENSORS, SIZES)


def test_a_contraction_is_a_matrix_product():
    np.testing.assert_allclose(value(term(at("Q", i, k), at("Y", j, k), over=(k,)), free=(i, j)), Q @ Y.T)


def test_the_axes_come_in_the_order_asked_for():
    np.testing.assert_allclose(value(term(at("Y", i, k)), free=(k, i)), Y.T)


def test_a_repeated_index_reads_the_diagonal():
    np.testing.assert_allclose(value(term(at("X", i, i)), free=(i,)), np.diag(X))
    np.testing.assert_allclose(value(term(at("X", i, i), over=(i,))), np.trace(X))


def test_an_index_that_no_factor_has_is_broadcast():
    result = value(term(at("v", i)), free=(i, m))
    assert result.shape[0] == 3
    np.testing.assert_allclose(np.broadcast_to(result, (3, 2)), np.array([[1, 1], [2, 2], [3, 3]]))


def test_a_sum_may_hide_a_free_index():
    result = value(term(at("v", i), over=(i,)), free=(i,))
    np.testing.assert_allclose(np.broadcast_to(result, 3), [6.0, 6.0, 6.0])


def test_deltas_and_brackets():
    np.testing.assert_allclose(value(term(Delta(i, j)), free=(i, j)), np.eye(3))
    np.testing.assert_allclose(value(term(Iverson(j, "<=", i)), free=(i, j)), np.tril(np.ones((3, 3))))
    np.testing.assert_allclose(value(term(Iverson(j, "<", i)), free=(i, j)), np.tril(np.ones((3, 3)), -1))
    np.testing.assert_allclose(value(term(Iverson(j, "!=", i)), free=(i, j)), 1 - np.eye(3))


def test_a_delta_in_a_sum_selects():
    np.testing.assert_allclose(value(term(Delta(ell, j), at("X", i, ell), over=(ell,)), free=(i, j)), X)


def test_powers_brackets_and_scalars():
    centred = add(term(at("v", i)), term(at("s"), coeff=-1))
    np.testing.assert_allclose(value(term((centred, 3), coeff=2), free=(i,)), 2 * (TENSORS["v"] - 2.5) ** 3)
    np.testing.assert_allclose(value(term((at("v", i), sp.Rational(-1, 2))), free=(i,)), TENSORS["v"] ** -0.5)
    np.testing.assert_allclose(value(term((at("X", i, j), -1)), free=(i, j)), 1 / X)
    np.testing.assert_allclose(value(term(coeff=sp.sqrt(D) / N)), 2 / 3)


def test_functions_nest():
    inner = fn("tanh", term(at("v", i), coeff=2), term(coeff=-1))
    np.testing.assert_allclose(value(term(fn("exp", term(inner))), free=(i,)), np.exp(np.tanh(2 * TENSORS["v"] - 1)))


def test_a_derivative_is_read_by_its_own_and_the_others_indices():
    partial = Partial(at("Y", i, k), at("v", j))
    known = RNG.normal(size=(3, 4, 3))
    env = Environment({}, numbers_of(SIZES), {partial: known[np.newaxis]})
    result = evaluate_lanes((term(partial, over=(k,)),), (j, i), env)[0]
    np.testing.assert_allclose(result, known.sum(axis=1).T)


def test_no_terms_are_zero():
    assert np.all(value(free=(i,)) == 0)


def test_a_program_is_run_in_order():
    problem = attention()
    inputs = {"Q": Q, "K": Y, "V": RNG.normal(size=(3, 5))}
    values = run_program(problem.program, inputs, SIZES)
    weights = softmax_in_numpy(Q @ Y.T / 2)
    np.testing.assert_allclose(values["A"], weights)
    np.testing.assert_allclose(values["O"], weights @ inputs["V"])


def test_a_tensor_that_is_given_is_not_computed():
    problem = attention()
    inputs = {"Q": Q, "K": Y, "V": RNG.normal(size=(3, 5))}
    values = run_program(problem.program, {**inputs, "A": np.eye(3)}, SIZES)
    np.testing.assert_allclose(values["O"], inputs["V"])


def test_what_is_missing_is_said():
    with pytest.raises(ProgramError, match="the tensor W"):
        value(term(at("W", i)), free=(i,))
    with pytest.raises(ProgramError, match="the index j is free"):
        value(term(at("X", i, j)), free=(i,))
    with pytest.raises(ProgramError, match="no value is given for eps"):
        number(sp.Symbol("eps") + N, numbers_of(SIZES))
    with pytest.raises(ProgramError, match=r"Y has shape \(3, 4\), but its slots have sizes \(3, 3\)"):
        value(term(at("Y", i, j)), free=(i, j))
    with pytest.raises(ProgramError, match="the input Q"):
        run_program(attention().program, {}, SIZES)


def test_a_grid_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(module, "GRID_LIMIT", 8)
    with pytest.raises(LimitError, match="9 grid points"):
        value(term(at("X", i, j), over=(i, j)))
