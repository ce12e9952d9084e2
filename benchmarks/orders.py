"""Second derivatives beside JAX: ``python benchmarks/orders.py``, medians in milliseconds, of one process.

The times are those of calls in a row; behind them stands the ratio of calls in turn, each after one of the other side.

Each row is one shipped derivation (or a spec given here) in NumPy, against the same work in JAX, compiled. Where a
derivative is kept in parts, JAX has all of its entries: that is what it gives. Sizes are such that JAX can hold them.
Both sides get the same float32 arrays, and agree before they are timed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from comparison import blas, medians, medians_in_a_row  # noqa: E402

import indexcalc as ic  # noqa: E402
from indexcalc.generation import loaded  # noqa: E402

QUADRATIC = """
title "A quadratic form"
index i, j : N
input x[i], A[i,j]
L = sum[i,j](A[i,j] * x[i] * x[j])
hessian L by x
"""

Run = Callable[[], Any]


@dataclass(frozen=True)
class Row:
    """One comparison: what is computed here, what there, and all entries or the product on both sides."""

    name: str
    ours: Run
    theirs: Run
    agree: Callable[[Any, Any], float]
    allowed: float


def module_of(name: str) -> Any:
    """The NumPy module of a shipped derivation, or of a spec."""
    problem = ic.read_problem(name) if "\n" in name else ic.load_problem(ic.find_spec(name))
    return loaded(ic.numpy_module(ic.derive(problem)))


def fast_module_of(name: str, **sizes: int) -> Any:
    """The module of a shipped derivation for some sizes, which decide in which order products are multiplied."""
    derivation = ic.derive(ic.load_problem(ic.find_spec(name)))
    return loaded(ic.fast_module(derivation, ic.FastOptions(sizes=sizes)).source)


def both(module: Any, inputs: Sequence[np.ndarray], given: Sequence[np.ndarray] = ()) -> Run:
    """The forward pass and what comes after it."""
    return lambda: module.backward(module.forward(*inputs), *given)


def alone(module: Any, inputs: Sequence[np.ndarray]) -> Run:
    """The same in one thread: work so small is done before another one wakes up."""
    return lambda: module.backward(module.forward(*inputs, threads=1), threads=1)


def compiled(function: Callable[..., Any], *arrays: np.ndarray) -> Run:
    """A function of JAX, compiled, on arrays."""
    import jax  # noqa: PLC0415

    fast, held = jax.jit(function), [jax.numpy.asarray(array) for array in arrays]
    return lambda: jax.block_until_ready(fast(*held))


def gap(one: Any, other: Any) -> float:
    """The largest difference, in units of the largest entry."""
    one, other = np.asarray(one), np.asarray(other)
    return float(np.max(np.abs(one - other)) / np.max(np.abs(other)))


def rows() -> list[Row]:
    """All comparisons."""
    import jax  # noqa: PLC0415

    jnp, rng = jax.numpy, np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return rng.standard_normal(shape, dtype=np.float32)

    X, w, b = normal(2000, 500), normal(500) / np.float32(20), np.float32(0.1)
    t = (rng.random(2000) < 0.5).astype(np.float32)

    def logistic(v: Any, X: Any, t: Any) -> Any:
        z = X @ v + 0.1
        return jnp.mean(jax.nn.softplus(z) - t * z)

    z, y = normal(100, 64), np.eye(64, dtype=np.float32)[rng.integers(0, 64, 100)]

    def cross_entropy(z: Any, y: Any) -> Any:
        return -jnp.mean(jnp.sum(y * jax.nn.log_softmax(z), axis=1))

    R, W, P, Q = normal(150, 120), np.ones((150, 120), np.float32), normal(150, 16), normal(120, 16)

    def factorization(P: Any, Q: Any, R: Any, W: Any) -> Any:
        E = P @ Q.T - R
        return 0.5 * jnp.sum(W * E * E) + 0.05 * (jnp.sum(P * P) + jnp.sum(Q * Q))

    A, x = normal(2048, 2048), normal(2048)
    layers = [normal(256, 512) / 16, normal(512), normal(512, 128) / 20, normal(128)]
    ways = [normal(*layer.shape) for layer in layers]
    inputs, targets = normal(1024, 256), normal(1024, 128)

    def perceptron(*given: Any) -> Any:
        W1, b1, W2, b2, X, T = given
        return 0.5 * jnp.sum((jnp.tanh(X @ W1 + b1) @ W2 + b2 - T) ** 2) / X.shape[0]

    def along(*given: Any) -> Any:
        layers, ways, rest = given[:4], given[4:8], given[8:]
        gradient = jax.grad(lambda *own: perceptron(*own, *rest), argnums=(0, 1, 2, 3))
        return jax.jvp(gradient, layers, ways)[1]

    def in_all(parts: Any, dense: Any) -> float:
        return max(gap(part.dense(), block) for part, block in zip(parts, dense, strict=True))

    hessian = jax.hessian(factorization, argnums=(0, 1))
    perceptron_module = module_of("mlp_hessian_vector")
    return [
        Row(
            "logistic_hessian 2000x500",
            both(module_of("logistic_hessian"), (X, t, w, b)),
            compiled(lambda v, X, t: (jax.grad(logistic)(v, X, t), jax.hessian(logistic)(v, X, t)), w, X, t),
            lambda one, other: gap(one.H, other[1]),
            0.4,
        ),
        Row(
            "cross_entropy_hessian 100x64",
            both(module_of("cross_entropy_hessian"), (z, y)),
            compiled(jax.hessian(cross_entropy), z, y),
            lambda one, other: gap(one.H.dense(), other),
            0.001,
        ),
        Row(
            "matrix_factorization_hessian 150x120x16",
            alone(fast_module_of("matrix_factorization_hessian", U=150, I=120, K=16), (R, W, P, Q)),
            compiled(lambda P, Q, R, W: [block for row in hessian(P, Q, R, W) for block in row], P, Q, R, W),
            lambda one, other: in_all((one.H_P_P, one.H_P_Q, one.H_Q_Q), (other[0], other[1], other[3])),
            0.001,
        ),
        Row(
            "hessian of x^T A x, 2048",
            both(module_of(QUADRATIC), (x, A)),
            compiled(jax.hessian(lambda x, A: x @ A @ x), x, A),
            lambda one, other: gap(one.H.dense() if hasattr(one.H, "dense") else one.H, other),
            0.05,
        ),
        Row(
            "mlp_hessian_vector 1024x256x512x128",
            both(perceptron_module, (inputs, targets, *layers), ways),
            compiled(along, *layers, *ways, inputs, targets),
            lambda one, other: max(map(gap, (one.HV1, one.Hc1, one.HV2, one.Hc2), other)),
            1.2,
        ),
    ]


def main() -> int:
    """Print all rows; 1 where the sides disagree or a ratio is above what is allowed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="how long the sides of one row take turns")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    worst = 0
    print(f"NumPy {np.__version__} ({blas()}); medians of calls in a row, in milliseconds")
    for row in rows():
        if arguments.only not in row.name:
            continue
        apart = row.agree(row.ours(), row.theirs())
        runs = {"ours": row.ours, "theirs": row.theirs}
        found, turns = medians_in_a_row(runs, arguments.seconds), medians(runs, arguments.seconds)
        ours, theirs = 1e3 * found["ours"], 1e3 * found["theirs"]
        ratio = ours / theirs
        print(
            f"{row.name:42} {ours:9.3f} {theirs:9.2f}  ratio {ratio:.5f}, at most {row.allowed}; in turn "
            f"{turns['ours'] / turns['theirs']:.5f}  apart {apart:.1e}",
            flush=True,
        )
        worst |= ratio > row.allowed or apart > 1e-3
    return int(worst)


if __name__ == "__main__":
    raise SystemExit(main())
