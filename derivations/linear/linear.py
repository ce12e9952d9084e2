"""Linear layer: forward and backward pass.

Extents:
    N: rows of the batch (indices n)
    F: input features (indices f)
    M: output features (indices o)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, F] inputs
    W: np.ndarray  # [M, F] weights
    b: np.ndarray  # [M] bias
    Y: np.ndarray  # [N, M] output, X W^T + b


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dX: np.ndarray  # [N, F] dL/dX
    dW: np.ndarray  # [M, F] dL/dW
    db: np.ndarray  # [M] dL/db


def forward(X: np.ndarray, W: np.ndarray, b: np.ndarray) -> Values:
    """Forward pass.

    Args:
        X: [N, F] inputs.
        W: [M, F] weights.
        b: [M] bias.
    """
    # Y[n,o] = sum[f](X[n,f] * W[o,f]) + b[o]
    Y = X @ W.T + b
    return Values(X, W, b, Y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, M] the upstream gradient dL/dY.
    """
    X, W = values.X, values.W
    # dX[n,f] = sum[o](G[n,o] * W[o,f])
    dX = G @ W
    # dW[o,f] = sum[n](G[n,o] * X[n,f])
    dW = G.T @ X
    # db[o] = sum[n](G[n,o])
    db = G.sum(axis=0)
    return Gradients(dX, dW, db)
