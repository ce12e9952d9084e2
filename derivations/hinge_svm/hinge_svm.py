"""Support vector machine: hinge loss and penalty: forward and backward pass.

Extents:
    N: examples (indices n)
    F: features (indices f)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, F] features
    y: np.ndarray  # [N] labels, 1 or -1
    w: np.ndarray  # [F] weights
    b: np.ndarray  # scalar bias
    z: np.ndarray  # [N] scores
    s: np.ndarray  # [N] what each example lacks to the margin
    L: np.ndarray  # scalar mean hinge loss and penalty
    lam: float  # strength of the penalty


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dz: np.ndarray  # [N] dL/dz
    dw: np.ndarray  # [F] dL/dw
    db: np.ndarray  # scalar dL/db


def forward(
    X: np.ndarray, y: np.ndarray, w: np.ndarray, b: np.ndarray, *, lam: float = 0.01
) -> Values:
    """Forward pass.

    Args:
        X: [N, F] features.
        y: [N] labels, 1 or -1.
        w: [F] weights.
        b: scalar bias.
        lam: strength of the penalty.
    """
    N = X.shape[0]
    # z[n] = sum[f](X[n,f] * w[f]) + b
    z = X @ w + b
    # s[n] = 1 - y[n] * z[n]
    s = 1.0 - y * z
    # L = 1/N * sum[n](relu(s[n])) + lam/2 * sum[f](w[f]^2)
    L = np.maximum(s, 0.0).sum() / N + 0.5 * lam * (w**2).sum()
    return Values(X, y, w, b, z, s, L, lam)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    X, y, w, s, lam = values.X, values.y, values.w, values.s, values.lam
    N = X.shape[0]
    # dz[n] = -1/N * step(s[n]) * y[n]
    dz = -np.heaviside(s, 0.0) * y / N
    # dw[f] = sum[n](dz[n] * X[n,f]) + lam * w[f]
    dw = X.T @ dz + lam * w
    # db = sum[n](dz[n])
    db = dz.sum()
    return Gradients(dz, dw, db)
