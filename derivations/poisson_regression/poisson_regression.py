"""Poisson regression: counts whose logarithmic mean is linear: forward and backward pass.

Extents:
    N: examples (indices n)
    F: features (indices f)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, F] features
    y: np.ndarray  # [N] counts
    w: np.ndarray  # [F] weights
    b: np.ndarray  # scalar bias
    eta: np.ndarray  # [N] logarithm of the mean
    mu: np.ndarray  # [N] mean
    L: np.ndarray  # scalar mean negative log-likelihood, without log y!


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    deta: np.ndarray  # [N] dL/deta
    dw: np.ndarray  # [F] dL/dw
    db: np.ndarray  # scalar dL/db
    dX: np.ndarray  # [N, F] dL/dX


def forward(X: np.ndarray, y: np.ndarray, w: np.ndarray, b: np.ndarray) -> Values:
    """Forward pass.

    Args:
        X: [N, F] features.
        y: [N] counts.
        w: [F] weights.
        b: scalar bias.
    """
    N = X.shape[0]
    # eta[n] = sum[f](X[n,f] * w[f]) + b
    eta = X @ w + b
    # mu[n] = exp(eta[n])
    mu = np.exp(eta)
    # L = 1/N * sum[n](mu[n]) - 1/N * sum[n](y[n] * eta[n])
    L = mu.sum() / N - np.einsum("n,n->", y, eta, optimize=True) / N
    return Values(X, y, w, b, eta, mu, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    X, y, w, mu = values.X, values.y, values.w, values.mu
    N = X.shape[0]
    # deta[n] = 1/N * mu[n] - 1/N * y[n]
    deta = mu / N - y / N
    # dw[f] = sum[n](deta[n] * X[n,f])
    dw = X.T @ deta
    # db = sum[n](deta[n])
    db = deta.sum()
    # dX[n,f] = deta[n] * w[f]
    dX = deta[:, None] * w
    return Gradients(deta, dw, db, dX)
