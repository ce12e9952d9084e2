"""Ridge regression: least squares with a penalty on the weights: forward and backward
pass.

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
    L: np.ndarray  # scalar mean squared error and penalty
    lam: float  # strength of the penalty


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dr: np.ndarray  # [N] dL/dr
    dw: np.ndarray  # [F] dL/dw


def forward(X: np.ndarray, y: np.ndarray, w: np.ndarray, *, lam: float = 0.1) -> Values:
    """Forward pass.

    Args:
        X: [N, F] features.
        y: [N] observed values.
        w: [F] weights.
        lam: strength of the penalty.
    """
    N = X.shape[0]
    # r[n] = sum[f](X[n,f] * w[f]) - y[n]
    r = X @ w - y
    # L = 1/(2*N) * sum[n](r[n]^2) + lam/2 * sum[f](w[f]^2)
    L = 0.5 * (r**2).sum() / N + 0.5 * lam * (w**2).sum()
    return Values(X, y, w, r, L, lam)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    X, w, r, lam = values.X, values.w, values.r, values.lam
    N = X.shape[0]
    # dr[n] = 1/N * r[n]
    dr = r / N
    # dw[f] = sum[n](dr[n] * X[n,f]) + lam * w[f]
    dw = X.T @ dr + lam * w
    return Gradients(dr, dw)
