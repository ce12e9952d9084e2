"""Divergence of a diagonal Gaussian posterior from the standard normal: forward and
backward pass.

Extents:
    N: rows of the batch (indices n)
    Z: latent dimensions (indices z)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    mu: np.ndarray  # [N, Z] means
    lv: np.ndarray  # [N, Z] log-variances
    L: np.ndarray  # scalar mean divergence


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dmu: np.ndarray  # [N, Z] dL/dmu
    dlv: np.ndarray  # [N, Z] dL/dlv


def forward(mu: np.ndarray, lv: np.ndarray) -> Values:
    """Forward pass.

    Args:
        mu: [N, Z] means.
        lv: [N, Z] log-variances.
    """
    N, Z = mu.shape
    # L = -Z/2 - 1/(2*N) * sum[n,z](lv[n,z]) + 1/(2*N) * sum[n,z](mu[n,z]^2) + 1/(2*N) *
    #     sum[n,z](exp(lv[n,z]))
    L = (
        0.5 * (mu**2).sum() / N
        - 0.5 * Z
        - 0.5 * lv.sum() / N
        + 0.5 * np.exp(lv).sum() / N
    )
    return Values(mu, lv, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    mu, lv = values.mu, values.lv
    N = mu.shape[0]
    # dmu[n,z] = 1/N * mu[n,z]
    dmu = mu / N
    # dlv[n,z] = 1/(2*N) * (exp(lv[n,z]) - 1)
    dlv = 0.5 * (np.exp(lv) - 1.0) / N
    return Gradients(dmu, dlv)
