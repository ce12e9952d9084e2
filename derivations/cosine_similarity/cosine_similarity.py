"""Cosine similarity of paired rows: forward and backward pass.

Extents:
    N: pairs of rows (indices n)
    H: features (indices h)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    x: np.ndarray  # [N, H] first rows
    y: np.ndarray  # [N, H] second rows
    a: np.ndarray  # [N] length of the first row
    b: np.ndarray  # [N] length of the second row
    c: np.ndarray  # [N] cosine of the angle between them


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dx: np.ndarray  # [N, H] dL/dx
    dy: np.ndarray  # [N, H] dL/dy


def forward(x: np.ndarray, y: np.ndarray) -> Values:
    """Forward pass.

    Args:
        x: [N, H] first rows.
        y: [N, H] second rows.
    """
    # x_sq[n] = sum[h](x[n,h]^2)
    x_sq = (x**2).sum(axis=1)
    # a[n] = sqrt(x_sq[n])
    a = np.sqrt(x_sq)
    # y_sq[n] = sum[h](y[n,h]^2)
    y_sq = (y**2).sum(axis=1)
    # b[n] = sqrt(y_sq[n])
    b = np.sqrt(y_sq)
    # c[n] = sum[h](x[n,h] * y[n,h] / a[n] / b[n])
    c = np.einsum("nh,nh->n", x, y) / (a * b)
    return Values(x, y, a, b, c)


def backward(values: Values, g: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        g: [N] the upstream gradient dL/dc.
    """
    x, y, a, b, c = values.x, values.y, values.a, values.b, values.c
    # dx[n,h] = g[n] * (y[n,h] / b[n] - x[n,h] * c[n] / a[n]) / a[n]
    dx = g[:, None] * (y / b[:, None] - x * c[:, None] / a[:, None]) / a[:, None]
    # dy[n,h] = g[n] * (x[n,h] / a[n] - y[n,h] * c[n] / b[n]) / b[n]
    dy = g[:, None] * (x / a[:, None] - y * c[:, None] / b[:, None]) / b[:, None]
    return Gradients(dx, dy)
