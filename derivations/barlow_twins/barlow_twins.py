"""Barlow Twins: the cross-correlation of two views brought to the identity: forward and
backward pass.

Extents:
    N: samples of the batch (indices n)
    D: features (indices i, j)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, D] embeddings of the first view
    Y: np.ndarray  # [N, D] embeddings of the second view
    mu: np.ndarray  # [D] mean of the feature over the batch, first view
    nu: np.ndarray  # [D] mean of the feature over the batch, second view
    vx: np.ndarray  # [D] variance of the feature over the batch, first view
    vy: np.ndarray  # [D] variance of the feature over the batch, second view
    rx: np.ndarray  # [D] reciprocal standard deviation, first view
    ry: np.ndarray  # [D] reciprocal standard deviation, second view
    xh: np.ndarray  # [N, D] normalised first view
    yh: np.ndarray  # [N, D] normalised second view
    C: np.ndarray  # [D, D] cross-correlation of the views
    L: np.ndarray  # scalar invariance, and redundancy
    lam: float  # weight of the redundancy between features


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dC: np.ndarray  # [D, D] dL/dC
    dX: np.ndarray  # [N, D] dL/dX
    dY: np.ndarray  # [N, D] dL/dY


def forward(
    X: np.ndarray, Y: np.ndarray, *, lam: float = 0.005, eps: float = 1e-05
) -> Values:
    """Forward pass.

    Args:
        X: [N, D] embeddings of the first view.
        Y: [N, D] embeddings of the second view.
        lam: weight of the redundancy between features.
        eps: keeps the root away from zero.
    """
    N, D = X.shape
    # mu[i] = 1/N * sum[n](X[n,i])
    mu = X.sum(axis=0) / N
    # nu[j] = 1/N * sum[n](Y[n,j])
    nu = Y.sum(axis=0) / N
    # vx[i] = 1/N * sum[n]((X[n,i] - mu[i])^2)
    vx = ((X - mu) ** 2).sum(axis=0) / N
    # vy[j] = 1/N * sum[n]((Y[n,j] - nu[j])^2)
    vy = ((Y - nu) ** 2).sum(axis=0) / N
    # rx[i] = 1 / sqrt(vx[i] + eps)
    rx = 1.0 / np.sqrt(vx + eps)
    # ry[j] = 1 / sqrt(vy[j] + eps)
    ry = 1.0 / np.sqrt(vy + eps)
    # xh[n,i] = (X[n,i] - mu[i]) * rx[i]
    xh = (X - mu) * rx
    # yh[n,j] = (Y[n,j] - nu[j]) * ry[j]
    yh = (Y - nu) * ry
    # C[i,j] = 1/N * sum[n](xh[n,i] * yh[n,j])
    C = xh.T @ yh / N
    # L = sum[i]((1 - C[i,i])^2) + lam * sum[i,j]([i != j] * C[i,j]^2)
    part = lam * np.where(~np.eye(D, dtype=bool), C**2, 0.0).sum()
    L = ((1.0 - np.einsum("ii->i", C)) ** 2).sum() + part
    return Values(X, Y, mu, nu, vx, vy, rx, ry, xh, yh, C, L, lam)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    rx = values.rx
    ry = values.ry
    xh = values.xh
    yh = values.yh
    C = values.C
    lam = values.lam
    D = rx.shape[0]
    N = xh.shape[0]
    mask = np.eye(D, dtype=bool)
    # dC[i,j] = -2 * (1 - C[i,i]) * delta[i,j] + 2*lam * [i != j] * C[i,j]
    dC = np.where(~mask, 2 * lam * C, 0.0) - np.where(
        mask, (2 * (1.0 - np.einsum("ii->i", C)))[:, None], 0.0
    )
    # dyh[n,j] = 1/N * sum[i](dC[i,j] * xh[n,i])
    dyh = xh @ dC / N
    # s[j] = 1/N * sum[n](dyh[n,j] * yh[n,j])
    s = np.einsum("nj,nj->j", dyh, yh) / N
    # dY[n,j] = ry[j] * (dyh[n,j] - s[j] * yh[n,j])
    dyh -= s * yh
    dY = np.multiply(ry, dyh, out=dyh)
    # dxh[n,i] = 1/N * sum[j](dC[i,j] * yh[n,j])
    dxh = yh @ dC.T / N
    # v[i] = 1/N * sum[n](dxh[n,i] * xh[n,i])
    v = np.einsum("ni,ni->i", dxh, xh) / N
    # dX[n,i] = rx[i] * (dxh[n,i] - v[i] * xh[n,i])
    dxh -= v * xh
    dX = np.multiply(rx, dxh, out=dxh)
    return Gradients(dC, dX, dY)
