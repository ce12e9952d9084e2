"""Rows scaled to unit length: forward and backward pass.

Extents:
    N: rows (indices n)
    H: features (indices h)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    x: np.ndarray  # [N, H] rows
    r: np.ndarray  # [N] length of the row
    y: np.ndarray  # [N, H] unit vector along the row


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dx: np.ndarray  # [N, H] dL/dx


def forward(x: np.ndarray) -> Values:
    """Forward pass.

    Args:
        x: [N, H] rows.
    """
    # x_sq[n] = sum[h](x[n,h]^2)
    x_sq = (x**2).sum(axis=1)
    # r[n] = sqrt(x_sq[n])
    r = np.sqrt(x_sq)
    # y[n,h] = x[n,h] / r[n]
    y = x / r[:, None]
    return Values(x, r, y)


def backward(values: Values, g: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        g: [N, H] the upstream gradient dL/dy.
    """
    r, y = values.r, values.y
    # s[n] = sum[h](g[n,h] * y[n,h])
    s = np.einsum("nh,nh->n", g, y)
    # dx[n,h] = (g[n,h] - s[n] * y[n,h]) / r[n]
    dx = (g - s[:, None] * y) / r[:, None]
    return Gradients(dx)
