"""Memory used again: only what nobody reads later, only floating numbers, never what is returned."""

from __future__ import annotations

import numpy as np

from indexcalc.codegen import numpy_module
from indexcalc.codegen.targets import target_module
from indexcalc.generation import loaded
from indexcalc.language import read_problem
from indexcalc.rewrite.derive import derive

ATTENTION = """
index i, j, l : T
index k, p : d
input Q[i,k], K[j,k], V[j,p]
S[i,j] = 1/sqrt(d) * sum[k](Q[i,k] * K[j,k])
A[i,j] = exp(S[i,j]) / sum[l](exp(S[i,l]))
O[i,p] = sum[j](A[i,j] * V[j,p])
upstream G[i,p] = dL/dO[i,p]
derive {targets}
"""
SOFTMAX = """
index n : N
index c, l : C
input z[n,c]
p[n,c] = exp(z[n,c]) / sum[l](exp(z[n,l]))
upstream G[n,c] = dL/dp[n,c]
derive z
"""


def source(text):
    return numpy_module(derive(read_problem(text)))


def test_what_is_read_for_the_last_time_is_written_over():
    text = source(ATTENTION.format(targets="Q, K, V"))
    assert "exp_S = S - S_max[:, None]\n    np.exp(exp_S, out=exp_S)" in text
    assert "A = np.divide(exp_S, Z[:, None], out=exp_S)" in text
    assert "dA -= r[:, None]\n    dS = np.multiply(A, dA, out=dA)" in text


def test_what_is_returned_is_not():
    text = source(ATTENTION.format(targets="A, Q, K, V"))
    assert "dA -=" not in text
    assert "out=dA" not in text


def test_nothing_that_is_kept_changes():
    module = loaded(source(ATTENTION.format(targets="Q, K, V")))
    Q, K, V, G = np.random.default_rng(0).standard_normal((4, 5, 3))
    values = module.forward(Q, K, V)
    before = [np.copy(array) for array in values]
    first, second = module.backward(values, G), module.backward(values, G)
    for old, new in zip(before, values, strict=True):
        np.testing.assert_array_equal(old, new)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, other)


def test_whole_numbers_are_taken_as_before():
    text = source(SOFTMAX)
    assert "np.exp(z - z_max[:, None])" in text
    module = loaded(text)
    z = np.arange(6).reshape(2, 3)
    np.testing.assert_allclose(module.forward(z).p.sum(axis=1), 1.0)


def test_other_libraries_have_no_such_words():
    text = target_module(derive(read_problem(ATTENTION.format(targets="Q, K, V"))), "torch").source
    assert "out=" not in text
