"""Softmax over rows: forward and backward pass.

Extents:
    N: rows of the batch (indices n)
    C: classes (indices c, l)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    z: np.ndarray  # [N, C] logits
    p: np.ndarray  # [N, C] probabilities


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dz: np.ndarray  # [N, C] dL/dz


def forward(z: np.ndarray) -> Values:
    """Forward pass.

    Args:
        z: [N, C] logits.
    """
    # z_max[n] = max[l](z[n,l])
    z_max = z.max(axis=1)
    # exp_z[n,l] = exp(z[n,l] - z_max[n])
    exp_z = np.exp(z - z_max[:, None])
    # Z[n] = sum[l](exp_z[n,l])
    Z = exp_z.sum(axis=1)
    # p[n,c] = exp_z[n,c] / Z[n]
    p = np.divide(exp_z, Z[:, None], out=exp_z)
    return Values(z, p)


def backward(values: Values, g: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        g: [N, C] the upstream gradient dL/dp.
    """
    p = values.p
    # r[n] = sum[c](g[n,c] * p[n,c])
    r = np.einsum("nc,nc->n", g, p)
    # dz[n,c] = p[n,c] * (g[n,c] - r[n])
    dz = p * (g - r[:, None])
    return Gradients(dz)
