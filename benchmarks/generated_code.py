"""How fast generated code is: attention, forward and backward, against NumPy written by hand with ``matmul``.

Run it with ``python benchmarks/generated_code.py``. Both sides run in this process on the same
arrays, in turn, and must agree; what is printed is the ratio of the median times. The exit code is 1
if the ratio at the largest size misses its target. Small sizes show what the calls themselves cost.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from indexcalc.codegen import numpy_module
from indexcalc.generation import loaded
from indexcalc.language import read_problem
from indexcalc.rewrite.derive import derive

TARGET = 1.3
"""The most that generated code may take at the largest size, hand-written code taking 1."""

SIZES = ((8, 1024, 64), (8, 128, 64), (8, 32, 8), (1, 32, 8))
"""Heads, token positions, head dimension; the largest first."""

BATCHED = """
title "Attention of several heads"
index h : H
index i, j, l : T
index k, p : d
input Q[h,i,k], K[h,j,k], V[h,j,p]
S[h,i,j] = 1/sqrt(d) * sum[k](Q[h,i,k] * K[h,j,k])
A[h,i,j] = exp(S[h,i,j]) / sum[l](exp(S[h,i,l]))
O[h,i,p] = sum[j](A[h,i,j] * V[h,j,p])
upstream G[h,i,p] = dL/dO[h,i,p]
derive Q, K, V
"""
SINGLE = BATCHED.replace("index h : H\n", "").replace("[h,", "[")

Arrays = tuple[np.ndarray, ...]


def by_hand(Q: np.ndarray, K: np.ndarray, V: np.ndarray, G: np.ndarray) -> Arrays:
    """Attention and its gradients as a careful person writes them, with operations in place."""
    scale = Q.shape[-1] ** -0.5
    A = Q @ K.swapaxes(-1, -2)
    A *= scale
    A -= A.max(axis=-1, keepdims=True)
    np.exp(A, out=A)
    A /= A.sum(axis=-1, keepdims=True)
    output = A @ V
    dV = A.swapaxes(-1, -2) @ G
    dS = G @ V.swapaxes(-1, -2)
    dS -= (G * output).sum(axis=-1, keepdims=True)
    dS *= A
    dS *= scale
    return dS @ K, dS.swapaxes(-1, -2) @ Q, dV


def generated(spec: str) -> Callable[..., Arrays]:
    """The generated forward and backward pass of a spec as one function."""
    module = loaded(numpy_module(derive(read_problem(spec))))
    return lambda Q, K, V, G: module.backward(module.forward(Q, K, V), G)


def medians(functions: list[Callable[[], object]], least: float = 1.0) -> list[float]:
    """The median time of a call of each function, in seconds; they take turns for at least `least` seconds in all."""
    times: list[list[float]] = [[] for _ in functions]
    end = time.perf_counter() + least
    while time.perf_counter() < end or len(times[0]) < 10:
        for function, own in zip(functions, times, strict=True):
            start = time.perf_counter()
            function()
            own.append(time.perf_counter() - start)
    return [statistics.median(own) for own in times]


def main() -> int:
    """Print a table of times and ratios."""
    rng = np.random.default_rng(0)
    batched, single = generated(BATCHED), generated(SINGLE)
    print(f"NumPy {np.__version__}, float32, forward and backward pass, median times in milliseconds")
    print(f"{'heads':>6} {'T':>5} {'d':>4} {'by hand':>9} {'generated':>10} {'ratio':>6}")
    ratios = []
    for heads, length, width in SIZES:
        shape = (length, width) if heads == 1 else (heads, length, width)
        arrays = tuple(rng.standard_normal(shape).astype(np.float32) for _ in range(4))
        candidate = single if heads == 1 else batched
        for found, expected in zip(candidate(*arrays), by_hand(*arrays), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)
        hand, own = medians([partial(by_hand, *arrays), partial(candidate, *arrays)])
        ratios.append(own / hand)
        print(f"{heads:>6} {length:>5} {width:>4} {hand * 1e3:>9.3f} {own * 1e3:>10.3f} {own / hand:>6.2f}")
    verdict = "met" if ratios[0] <= TARGET else "MISSED"
    print(f"target at the largest size: {TARGET}, {verdict}")
    return 0 if ratios[0] <= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
