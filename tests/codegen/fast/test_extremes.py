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
