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
    q: np.ndarray  # [N] their sizes, cut at k
    L: np.ndarray  # scalar mean loss: r^2/2 up to k, then a straight line
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
    # abs_r[n] = abs(r[n])
    abs_r = np.abs(r)
    # q[n] = min(abs_r[n], k)
    q = np.minimum(abs_r, k)
    # L = 1/(2*N) * sum[n](q[n]^2) + k/N * sum[n]((abs_r[n] - q[n]))
    L = 0.5 * (q**2).sum() / N + k * (abs_r - q).sum() / N
    return Values(X, y, w, r, q, L, k)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    X, r, q, k = values.X, values.r, values.q, values.k
    N = X.shape[0]
    # dq[n] = 1/N * q[n] - k/N
    dq = q / N - k / N
    # dr[n] = sign(r[n]) * (dq[n] * step(k - abs(r[n])) + k/N)
    dr = np.sign(r) * (dq * np.heaviside(k - np.abs(r), 0.0) + k / N)
    # dw[f] = sum[n](dr[n] * X[n,f])
    dw = X.T @ dr
    return Gradients(dr, dw)
