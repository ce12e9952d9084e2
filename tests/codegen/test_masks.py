"""Masks: additive ones that hold minus infinity, dropout, brackets with huge scores; no NaN and no warning."""

import math
import types

import numpy as np
import pytest

from indexcalc.codegen import numpy_module, target_module
from indexcalc.generation import loaded
from indexcalc.language import read_problem
from indexcalc.rewrite.derive import derive

ATTENTION = """
title "t"
index i, j, l : T
index k : d
input Q[i,k], K[j,k], V[j,k], M[i,j], R[i,j]
param p = 0.25
S[i,j] = {scores}
A[i,j] = {weights}
D[i,j] = A[i,j] * R[i,j] / (1 - p)
O[i,k] = sum[j](D[i,j] * V[j,k])
upstream G[i,k] = dL/dO[i,k]
derive Q, K, V, S
"""
SCORES = "1/sqrt(d) * sum[k](Q[i,k] * K[j,k])"
BRACKET = "[j <= i] * exp(S[i,j]) / sum[l]([l <= i] * exp(S[i,l]))"


def module_of(scores, weights):
    source = numpy_module(derive(read_problem(ATTENTION.format(scores=scores, weights=weights))))
    module = types.ModuleType("generated")
    exec(source, module.__dict__)
    return module, source


def by_hand(Q, K, V, hidden, R, G):
    d = Q.shape[1]
    scores = np.where(hidden, -np.inf, Q @ K.T / d**0.5)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    A = e / e.sum(axis=1, keepdims=True)
    dA = (G @ V.T) * R / 0.75
    dS = A * (dA - (dA * A).sum(axis=1, keepdims=True))
    return (A * R / 0.75) @ V, dS @ K / d**0.5, dS.T @ Q / d**0.5, (A * R / 0.75).T @ G


@pytest.mark.parametrize("size", [1.0, 1e4])
@pytest.mark.parametrize("weights", ["softmax[j](S[i,j])", BRACKET])
def test_hidden_entries_are_zero_forward_and_backward(weights, size):
    additive = weights != BRACKET
    module, _ = module_of(SCORES + (" + M[i,j]" if additive else ""), weights)
    rng = np.random.default_rng(2)
    Q, K, V, G = (rng.standard_normal((5, 4)) for _ in range(4))
    Q[0] *= size
    hidden = ~np.tri(5, dtype=bool)
    M = np.where(hidden, -np.inf, 0.0)
    R = (rng.random((5, 5)) < 0.75).astype(float)
    values = module.forward(Q, K, V, M if additive else np.zeros_like(M), R)
    gradients = module.backward(values, G)
    output, dQ, dK, dV = by_hand(Q, K, V, hidden, R, G)
    np.testing.assert_allclose(values.O, output)
    assert np.all(values.A[hidden] == 0)
    for found, expected in ((gradients.dQ, dQ), (gradients.dK, dK), (gradients.dV, dV)):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12 * size)
    assert np.all(gradients.dS[hidden] == 0)


def test_huge_hidden_scores_do_no_harm():
    module, source = module_of(SCORES, BRACKET)
    Q = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    K = np.array([[0.0, 0.0], [2e4, -2e4], [-2e4, 3e4]])
    one = np.ones((3, 3))
    values = module.forward(Q, K, np.eye(3)[:, :2], one, one)
    np.testing.assert_allclose(values.A[0], [1, 0, 0])
    gradients = module.backward(values, np.ones((3, 2)))
    assert all(np.all(np.isfinite(gradient)) for gradient in gradients)
    assert source.split("def backward")[0].count("np.tri(") == 1


@pytest.mark.parametrize(
    ("scores", "weights", "said"),
    [
        (SCORES + " + M[i,j]", "softmax[j](S[i,j])", True),
        (SCORES, BRACKET.replace("<=", "<"), True),
        (SCORES, BRACKET, False),
        (SCORES, "softmax[j](S[i,j])", False),
    ],
)
def test_the_docstring_says_what_a_masked_row_gives(scores, weights, said):
    module, _ = module_of(scores, weights)
    assert ("A row of S that is masked throughout gives NaN." in module.forward.__doc__) == said


def test_the_authors_scalars_keep_their_sign():
    _, source = module_of(SCORES, "softmax[j](S[i,j])")
    assert "A * R / (1 - p)" in source


HIDDEN_NUMBER = """index q : D
input Z[q], h[q]
H[q] = Z[q] * exp(gelu(sign(softplus(h[q])))) / (sum[q](Z[q] * exp(gelu(sign(softplus(h[q]))))) + 0.2)
derive Z
"""
BOUNDED_NUMBER = """index q : D
input Z[q], h[q]
H[q] = Z[q] * exp(gelu(1)) / (sum[q](Z[q] * exp(gelu(1))) + 0.2) + 0 * h[q]
derive Z
"""


@pytest.mark.parametrize("target", ["torch", "jax"])
@pytest.mark.parametrize("text", [HIDDEN_NUMBER, BOUNDED_NUMBER])
def test_numbers_keep_their_digits_and_the_dtype_of_arrays(target, text):
    library = pytest.importorskip(target)
    if target == "jax":
        library.config.update("jax_enable_x64", True)
    derivation = derive(read_problem(text))
    own, other = loaded(numpy_module(derivation)), loaded(target_module(derivation, target).source)
    given = np.array([0.7, 0.0, 1.9]), np.array([-1.0, 0.3, 2.0])
    weights = given[0] * np.exp(0.5 * (1 + math.erf(math.sqrt(0.5))))
    expected = weights / (weights.sum() + 0.2)
    array = library.as_tensor if target == "torch" else library.numpy.asarray
    for module, convert in ((own, np.asarray), (other, array)):
        np.testing.assert_allclose(np.asarray(module.forward(*map(convert, given)).H), expected, rtol=1e-14)
        single = module.forward(*(convert(one.astype(np.float32)) for one in given)).H
        # JAX has no double precision unless it is told to, as here.
        assert target == "jax" or np.asarray(single).dtype == np.float32
