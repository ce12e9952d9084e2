"""RMS normalisation with gain: forward and backward pass.

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
    rms: np.ndarray  # [N] root mean square of the row
    xh: np.ndarray  # [N, H] normalised input
    Y: np.ndarray  # [N, H] output


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dX: np.ndarray  # [N, H] dL/dX
    dg: np.ndarray  # [H] dL/dg


def forward(X: np.ndarray, g: np.ndarray, *, eps: float = 1e-06) -> Values:
    """Forward pass.

    Args:
        X: [N, H] inputs.
        g: [H] gain.
        eps: keeps the root away from zero.
    """
    H = X.shape[1]
    # X_ms[n] = 1/H * sum[h](X[n,h]^2)
    X_ms = (X**2).sum(axis=1) / H
    # rms[n] = sqrt(X_ms[n] + eps)
    rms = np.sqrt(X_ms + eps)
    # xh[n,h] = X[n,h] / rms[n]
    xh = X / rms[:, None]
    # Y[n,h] = g[h] * xh[n,h]
    Y = g * xh
    return Values(X, g, rms, xh, Y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, H] the upstream gradient dL/dY.
    """
    g, rms, xh = values.g, values.rms, values.xh
    H = G.shape[1]
    # dg[h] = sum[n](G[n,h] * xh[n,h])
    dg = np.einsum("nh,nh->h", G, xh)
    # dxh[n,h] = G[n,h] * g[h]
    dxh = G * g
    # r[n] = 1/H * sum[h](dxh[n,h] * xh[n,h])
    r = np.einsum("nh,nh->n", dxh, xh) / H
    # dX[n,h] = (dxh[n,h] - r[n] * xh[n,h]) / rms[n]
    dxh -= r[:, None] * xh
    dX = np.divide(dxh, rms[:, None], out=dxh)
    return Gradients(dX, dg)
