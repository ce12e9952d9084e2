"""Rotary position embedding: a rotation of every pair of features: forward and backward
pass.

Extents:
    T: token positions (indices t)
    P: pairs of features (indices p)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [T, P * 2] queries or keys, pairs side by side
    theta: np.ndarray  # [T, P] angle: position times frequency of the pair
    R: np.ndarray  # [T, P, 2, 2] rotation by the angle
    Y: np.ndarray  # [T, P * 2] rotated features


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dX: np.ndarray  # [T, P * 2] dL/dX


def forward(X: np.ndarray, theta: np.ndarray) -> Values:
    """Forward pass.

    Args:
        X: [T, P * 2] queries or keys, pairs side by side.
        theta: [T, P] angle: position times frequency of the pair.
    """
    T = X.shape[0]
    P = theta.shape[1]
    X_split = X.reshape(T, P, 2)
    # R[t,p,q,r] = delta[q,r] * cos(theta[t,p]) + ([r < q] - [q < r]) * sin(theta[t,p])
    part_1 = np.tri(2, k=-1, dtype=X.dtype) - (~np.tri(2, dtype=bool)).astype(X.dtype)
    part_2 = part_1 * np.sin(theta)[:, :, None, None]
    R = np.where(np.eye(2, dtype=bool), np.cos(theta)[:, :, None, None], 0.0) + part_2
    # Y[t,(p,q)] = sum[r](R[t,p,q,r] * X[t,(p,r)])
    Y_split = np.einsum("tpqr,tpr->tpq", R, X_split, optimize=True)
    Y = Y_split.reshape(T, P * 2)
    return Values(X, theta, R, Y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [T, P * 2] the upstream gradient dL/dY.
    """
    R = values.R
    T = G.shape[0]
    P = R.shape[1]
    G_split = G.reshape(T, P, 2)
    # dX[t,(p,r)] = sum[q](G[t,(p,q)] * R[t,p,q,r])
    dX_split = np.einsum("tpq,tpqr->tpr", G_split, R, optimize=True)
    dX = dX_split.reshape(T, P * 2)
    return Gradients(dX)
