"""Low-rank adaptation of a frozen linear layer: forward and backward pass.

Extents:
    N: rows of the batch (indices n)
    F: input features (indices f)
    M: output features (indices o)
    R: rank (indices r)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, F] inputs
    W: np.ndarray  # [M, F] frozen weights
    A: np.ndarray  # [R, F] down projection
    B: np.ndarray  # [M, R] up projection
    U: np.ndarray  # [N, R] inputs in the low-rank space
    Y: np.ndarray  # [N, M] output, X (W + alpha/R B A)^T
    alpha: float  # scale of the update, divided by the rank


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dB: np.ndarray  # [M, R] dL/dB
    dU: np.ndarray  # [N, R] dL/dU
    dA: np.ndarray  # [R, F] dL/dA
    dX: np.ndarray  # [N, F] dL/dX


def forward(
    X: np.ndarray, W: np.ndarray, A: np.ndarray, B: np.ndarray, *, alpha: float = 16
) -> Values:
    """Forward pass.

    Args:
        X: [N, F] inputs.
        W: [M, F] frozen weights.
        A: [R, F] down projection.
        B: [M, R] up projection.
        alpha: scale of the update, divided by the rank.
    """
    R = A.shape[0]
    # U[n,r] = sum[f](X[n,f] * A[r,f])
    U = X @ A.T
    # Y[n,o] = sum[f](X[n,f] * W[o,f]) + alpha/R * sum[r](U[n,r] * B[o,r])
    Y = X @ W.T + alpha * (U @ B.T) / R
    return Values(X, W, A, B, U, Y, alpha)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, M] the upstream gradient dL/dY.
    """
    X = values.X
    W = values.W
    A = values.A
    B = values.B
    U = values.U
    alpha = values.alpha
    R = A.shape[0]
    # dB[o,r] = alpha/R * sum[n](G[n,o] * U[n,r])
    dB = alpha * (G.T @ U) / R
    # dU[n,r] = alpha/R * sum[o](G[n,o] * B[o,r])
    dU = alpha * (G @ B) / R
    # dA[r,f] = sum[n](dU[n,r] * X[n,f])
    dA = dU.T @ X
    # dX[n,f] = sum[r](dU[n,r] * A[r,f]) + sum[o](G[n,o] * W[o,f])
    dX = dU @ A + G @ W
    return Gradients(dB, dU, dA, dX)
