"""What is held against its own largest entry is the same to the last bit in both passes."""

import numpy as np
import pytest

import indexcalc as ic
from indexcalc.codegen.fast.module import fast_module
from indexcalc.generation import loaded

TEXT = """
index j : N
index n : M
input h[j], q[n], P[n]
U[n,j] = -h[j] * q[n] / softplus(-P[n]/3) + q[n]
X[j] = {extreme}[n](U[n,j]) * h[j]
upstream G[j] = dL/dX[j]
"""


@pytest.mark.parametrize("extreme", ["max", "min"])
def test_no_gradient_of_an_extreme_is_lost_to_rounding(extreme):
    module = loaded(fast_module(ic.derive(ic.read_problem(TEXT.format(extreme=extreme)))).source)
    assert "U" in module.Values._fields
    rng = np.random.default_rng(0)
    for _ in range(50):
        h, q, P, G = (rng.normal(size=size) for size in (5, 4, 4, 5))
        _, both = module.value_and_grad(h, q, P, G)
        again = module.backward(module.forward(h, q, P), G)
        for one, other in zip(again, both, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_the_largest_of_what_is_computed_again_is_found_again():
    """Another order of a sum rounds otherwise, and then no entry is equal to the largest one that was kept."""
    text = """
index t, u, s : M
index h : H
input Y[s,h,u]
o[h,t] = sum[s](M * Y[s,h,s] * exp(Y[s,h,t]))
A[h] = max[u](o[h,u])
upstream G[h] = dL/dA[h]
derive Y
"""
    plain, again = (
        loaded(fast_module(ic.derive(ic.read_problem(text + line))).source) for line in ("", "recompute o\n")
    )
    for seed in range(30):
        entries = np.random.default_rng(seed).normal(size=(5, 2, 5))
        (_, expected), (_, found) = (module.value_and_grad(entries, np.ones(2)) for module in (plain, again))
        np.testing.assert_allclose(found.dY, expected.dY, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("scale", [100.0, 1000.0, 30000.0])
def test_log_probabilities_of_large_scores_keep_their_digits(scale):
    """Rounded beside a score of 1000, a logarithm of 1.1 has an error of 3e-5; the difference of scores is exact."""
    text = """
index i : N
index j, k : M
input x[i,j], w[i]
R[i,j] = w[i] + logsoftmax[j](x[i,j])
upstream G[i,j] = dL/dR[i,j]
derive x
"""
    module = loaded(fast_module(ic.derive(ic.read_problem(text))).source)
    near = np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 4.0], [0.0, 0.5, -0.25], [-8.0, 0.0, 4.0]])
    w = np.array([0.5, 0.0, -0.25, 1.0])
    Z = np.exp(near).sum(axis=1, keepdims=True)
    expected = w[:, None] + near - np.log(Z)
    arrays = (near + scale).astype(np.float32), w.astype(np.float32)
    G = np.ones_like(arrays[0])
    for R in (module.forward(*arrays).R, module.value_and_grad(*arrays, G)[0]):
        np.testing.assert_allclose(R, expected, rtol=3e-7, atol=3e-7)
