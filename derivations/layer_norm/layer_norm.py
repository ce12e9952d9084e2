"""Layer normalisation with gain and bias: forward and backward pass.

Extents:
    N: rows of the batch (indices n)
    H: features (indices h)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, H] inputs
    g: np.ndarray  # [H] gain
    b: np.ndarray  # [H] bias
    mu: np.ndarray  # [N] mean of the row
    var: np.ndarray  # [N] variance of the row
    rs: np.ndarray  # [N] reciprocal standard deviation
    xh: np.ndarray  # [N, H] normalised input
    Y: np.ndarray  # [N, H] output


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dX: np.ndarray  # [N, H] dL/dX
    dg: np.ndarray  # [H] dL/dg
    db: np.ndarray  # [H] dL/db


def forward(
    X: np.ndarray, g: np.ndarray, b: np.ndarray, *, eps: float = 1e-05
) -> Values:
    """Forward pass.

    Args:
        X: [N, H] inputs.
        g: [H] gain.
        b: [H] bias.
        eps: keeps the root away from zero.
    """
    H = X.shape[1]
    # mu[n] = 1/H * sum[h](X[n,h])
    mu = X.sum(axis=1) / H
    # var[n] = 1/H * sum[h]((X[n,h] - mu[n])^2)
    var = ((X - mu[:, None]) ** 2).sum(axis=1) / H
    # rs[n] = 1 / sqrt(var[n] + eps)
    rs = 1.0 / np.sqrt(var + eps)
    # xh[n,h] = (X[n,h] - mu[n]) * rs[n]
    xh = (X - mu[:, None]) * rs[:, None]
    # Y[n,h] = g[h] * xh[n,h] + b[h]
    Y = g * xh + b
    return Values(X, g, b, mu, var, rs, xh, Y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, H] the upstream gradient dL/dY.
    """
    g, rs, xh = values.g, values.rs, values.xh
    H = G.shape[1]
    # dg[h] = sum[n](G[n,h] * xh[n,h])
    dg = np.einsum("nh,nh->h", G, xh)
    # db[h] = sum[n](G[n,h])
    db = G.sum(axis=0)
    # dxh[n,h] = G[n,h] * g[h]
    dxh = G * g
    # r[n] = 1/H * sum[h](dxh[n,h])
    r = dxh.sum(axis=1) / H
    # s[n] = 1/H * sum[h](dxh[n,h] * xh[n,h])
    s = np.einsum("nh,nh->n", dxh, xh) / H
    # dX[n,h] = rs[n] * (dxh[n,h] - r[n] - s[n] * xh[n,h])
    dxh -= r[:, None]
    dxh -= s[:, None] * xh
    dX = np.multiply(rs[:, None], dxh, out=dxh)
    return Gradients(dX, dg, db)
