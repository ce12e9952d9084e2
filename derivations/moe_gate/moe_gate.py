"""Mixture of experts: outputs weighted by a softmax gate: forward and backward pass.

Extents:
    N: rows of the batch (indices n)
    D: input features (indices m)
    E: experts (indices e, l)
    M: output features (indices o)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, D] inputs
    W: np.ndarray  # [D, E] gate weights
    F: np.ndarray  # [N, E, M] outputs of the experts
    z: np.ndarray  # [N, E] gate logits
    p: np.ndarray  # [N, E] gate, softmax over experts
    Y: np.ndarray  # [N, M] output


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dF: np.ndarray  # [N, E, M] dL/dF
    dp: np.ndarray  # [N, E] dL/dp
    dz: np.ndarray  # [N, E] dL/dz
    dW: np.ndarray  # [D, E] dL/dW
    dX: np.ndarray  # [N, D] dL/dX


def forward(X: np.ndarray, W: np.ndarray, F: np.ndarray) -> Values:
    """Forward pass.

    Args:
        X: [N, D] inputs.
        W: [D, E] gate weights.
        F: [N, E, M] outputs of the experts.
    """
    # z[n,e] = sum[m](X[n,m] * W[m,e])
    z = X @ W
    # z_max[n] = max[l](z[n,l])
    z_max = z.max(axis=1)
    # exp_z[n,l] = exp(z[n,l] - z_max[n])
    exp_z = np.exp(z - z_max[:, None])
    # Z[n] = sum[l](exp_z[n,l])
    Z = exp_z.sum(axis=1)
    # p[n,e] = exp_z[n,e] / Z[n]
    p = np.divide(exp_z, Z[:, None], out=exp_z)
    # Y[n,o] = sum[e](p[n,e] * F[n,e,o])
    Y = np.einsum("ne,neo->no", p, F, optimize=True)
    return Values(X, W, F, z, p, Y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, M] the upstream gradient dL/dY.
    """
    X, W, F, p, Y = values.X, values.W, values.F, values.p, values.Y
    # dF[n,e,o] = G[n,o] * p[n,e]
    dF = G[:, None, :] * p[..., None]
    # dp[n,e] = sum[o](G[n,o] * F[n,e,o])
    dp = np.einsum("no,neo->ne", G, F, optimize=True)
    # r[n] = sum[o](G[n,o] * Y[n,o])
    r = np.einsum("no,no->n", G, Y)
    # dz[n,e] = p[n,e] * (dp[n,e] - r[n])
    dz = p * (dp - r[:, None])
    # dW[m,e] = sum[n](dz[n,e] * X[n,m])
    dW = X.T @ dz
    # dX[n,m] = sum[e](dz[n,e] * W[m,e])
    dX = dz @ W.T
    return Gradients(dF, dp, dz, dW, dX)
