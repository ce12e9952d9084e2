# ruff: noqa: E741, RUF100 (O: as the author wrote)
"""Causal attention: the mask as a bracket, each position sees itself and the past: forward
and backward pass.

Extents:
    T: token positions (indices i, j, l)
    d: head dimension (indices k)
    d_v: value dimension (indices p)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    Q: np.ndarray  # [T, d] queries
    K: np.ndarray  # [T, d] keys
    V: np.ndarray  # [T, d_v] values
    S: np.ndarray  # [T, T] scaled scores
    A: np.ndarray  # [T, T] weights on the past, softmax over the keys seen
    O: np.ndarray  # [T, d_v] output


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dV: np.ndarray  # [T, d_v] dL/dV
    dA: np.ndarray  # [T, T] dL/dA
    dS: np.ndarray  # [T, T] dL/dS
    dQ: np.ndarray  # [T, d] dL/dQ
    dK: np.ndarray  # [T, d] dL/dK


def forward(Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> Values:
    """Forward pass.

    Args:
        Q: [T, d] queries.
        K: [T, d] keys.
        V: [T, d_v] values.
    """
    T, d = Q.shape
    # S[i,j] = 1/sqrt(d) * sum[k](Q[i,k] * K[j,k])
    S = Q @ K.T / d**0.5
    # S_masked[i,l] = S[i,l] where l <= i, else -inf
    S_masked = np.where(np.tri(T, dtype=bool), S, -np.inf)
    # S_max[i] = max[l](S_masked[i,l])
    S_max = S_masked.max(axis=1)
    # exp_S[i,l] = exp(S_masked[i,l] - S_max[i])
    exp_S = S_masked - S_max[:, None]
    np.exp(exp_S, out=exp_S)
    # Z[i] = sum[l](exp_S[i,l])
    Z = exp_S.sum(axis=1)
    # A[i,j] = exp_S[i,j] / Z[i]
    A = np.divide(exp_S, Z[:, None], out=exp_S)
    # O[i,p] = sum[j](A[i,j] * V[j,p])
    O = A @ V
    return Values(Q, K, V, S, A, O)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [T, d_v] the upstream gradient dL/dO.
    """
    Q, K, V, A, O = values.Q, values.K, values.V, values.A, values.O
    d = Q.shape[1]
    # dV[j,p] = sum[i](G[i,p] * A[i,j])
    dV = A.T @ G
    # dA[i,j] = sum[p](G[i,p] * V[j,p])
    dA = G @ V.T
    # r[i] = sum[p](G[i,p] * O[i,p])
    r = np.einsum("ip,ip->i", G, O)
    # dS[i,j] = A[i,j] * (dA[i,j] - r[i])
    dS = A * (dA - r[:, None])
    # dQ[i,k] = 1/sqrt(d) * sum[j](dS[i,j] * K[j,k])
    dQ = dS @ K / d**0.5
    # dK[j,k] = 1/sqrt(d) * sum[i](dS[i,j] * Q[i,k])
    dK = dS.T @ Q / d**0.5
    return Gradients(dV, dA, dS, dQ, dK)
