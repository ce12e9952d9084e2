"""Spectral normalisation of a weight matrix, its singular vectors held fixed: forward and
backward pass.

Extents:
    M: rows (indices o, q)
    F: columns (indices f, g)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    W: np.ndarray  # [M, F] weights
    u: np.ndarray  # [M] left singular vector, from power iteration
    v: np.ndarray  # [F] right singular vector, from power iteration
    sigma: np.ndarray  # scalar largest singular value
    W_sn: np.ndarray  # [M, F] weights of spectral norm one


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dW: np.ndarray  # [M, F] dL/dW


def forward(W: np.ndarray, u: np.ndarray, v: np.ndarray) -> Values:
    """Forward pass.

    Args:
        W: [M, F] weights.
        u: [M] left singular vector, from power iteration.
        v: [F] right singular vector, from power iteration.
    """
    # sigma = sum[o,f](u[o] * W[o,f] * v[f])
    sigma = np.einsum("f,f->", (u[:, None] * W).sum(axis=0), v, optimize=True)
    # W_sn[o,f] = W[o,f] / sigma
    W_sn = W / sigma
    return Values(W, u, v, sigma, W_sn)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [M, F] the upstream gradient dL/dW_sn.
    """
    u, v, sigma, W_sn = values.u, values.v, values.sigma, values.W_sn
    # r = sum[o,f](G[o,f] * W_sn[o,f])
    r = np.einsum("of,of->", G, W_sn, optimize=True)
    # dW[o,f] = (G[o,f] - r * u[o] * v[f]) / sigma
    dW = (G - r * u[:, None] * v) / sigma
    return Gradients(dW)
