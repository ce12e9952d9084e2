"""Huber loss of a linear model: squares of small residuals, sizes of large ones: forward
and backward pass.

Extents:
    N: examples (indices n)
    F: features (indices f)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, F] features
    y: np.ndarray  # [N] observed values
    w: np.ndarray  # [F] weights
    r: np.ndarray  # [N] residuals
    c: np.ndarray  # [N] residuals, clipped to [-k, k]
    # scalar mean of r^2/2 where the residual is small, of k abs(r) - k^2/2 elsewhere
    L: np.ndarray
    k: float  # size from which a residual counts as large


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dr: np.ndarray  # [N] dL/dr
    dw: np.ndarray  # [F] dL/dw


def forward(X: np.ndarray, y: np.ndarray, w: np.ndarray, *, k: float = 1.345) -> Values:
    """Forward pass.

    Args:
        X: [N, F] features.
        y: [N] observed values.
        w: [F] weights.
        k: size from which a residual counts as large.
    """
    N = X.shape[0]
    # r[n] = sum[f](X[n,f] * w[f]) - y[n]
    r = X @ w - y
    # c[n] = max(min(r[n], k), -k)
    c = np.maximum(np.minimum(r, k), -k)
    # L = 1/N * sum[n](c[n] * r[n]) - 1/(2*N) * sum[n](c[n]^2)
    L = np.einsum("n,n->", c, r, optimize=True) / N - 0.5 * (c**2).sum() / N
    return Values(X, y, w, r, c, L, k)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    X, r, c, k = values.X, values.r, values.c, values.k
    N = X.shape[0]
    # dr[n] = 1/N * (r[n] - c[n]) * step(min(r[n], k) + k) * step(k - r[n]) + 1/N * c[n]
    part = (
        (r - c) * np.heaviside(np.minimum(r, k) + k, 0.0) * np.heaviside(k - r, 0.0) / N
    )
    dr = part + c / N
    # dw[f] = sum[n](dr[n] * X[n,f])
    dw = X.T @ dr
    return Gradients(dr, dw)
