"""Softmax with cross-entropy loss: forward and backward pass.

Extents:
    N: rows of the batch (indices n)
    C: classes (indices c, l)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    z: np.ndarray  # [N, C] logits
    y: np.ndarray  # [N, C] target distribution, such as one-hot labels
    p: np.ndarray  # [N, C] probabilities
    L: np.ndarray  # scalar mean cross-entropy over the rows


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dz: np.ndarray  # [N, C] dL/dz


def forward(z: np.ndarray, y: np.ndarray) -> Values:
    """Forward pass.

    Args:
        z: [N, C] logits.
        y: [N, C] target distribution, such as one-hot labels.
    """
    N = z.shape[0]
    # z_max[n] = max[l](z[n,l])
    z_max = z.max(axis=1)
    # exp_z[n,l] = exp(z[n,l] - z_max[n])
    exp_z = np.exp(z - z_max[:, None])
    # Z[n] = sum[l](exp_z[n,l])
    Z = exp_z.sum(axis=1)
    # p[n,c] = exp_z[n,c] / Z[n]
    p = exp_z / Z[:, None]
    # L = -1/N * sum[n,c](y[n,c] * (z[n,c] - z_max[n] - log(Z[n])))
    part = np.einsum(
        "nc,nc->", y, z - z_max[:, None] - np.log(Z)[:, None], optimize=True
    )
    L = -part / N
    return Values(z, y, p, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    y, p = values.y, values.p
    N = y.shape[0]
    # dz[n,c] = 1/N * p[n,c] - 1/N * y[n,c]
    dz = p / N - y / N
    return Gradients(dz)
