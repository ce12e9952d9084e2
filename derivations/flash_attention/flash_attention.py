# ruff: noqa: E741, RUF100 (O: as the author wrote)
"""Attention by its row logsumexp: forward and backward pass.

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
    Lse: np.ndarray  # [T] logsumexp of the row
    P: np.ndarray  # [T, T] attention weights, from the scores and the logsumexp
    O: np.ndarray  # [T, d_v] output


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dV: np.ndarray  # [T, d_v] dL/dV
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
    d = Q.shape[1]
    # S[i,j] = 1/sqrt(d) * sum[k](Q[i,k] * K[j,k])
    S = np.einsum("ik,jk->ij", Q, K, optimize=True) / d**0.5
    # S_max[i] = max[l](S[i,l])
    S_max = S.max(axis=1)
    # Z[i] = sum[l](exp(S[i,l] - S_max[i]))
    Z = np.exp(S - S_max[:, None]).sum(axis=1)
    # Lse[i] = S_max[i] + log(Z[i])
    Lse = S_max + np.log(Z)
    # P[i,j] = exp(S[i,j] - Lse[i])
    P = np.exp(S - Lse[:, None])
    # O[i,p] = sum[j](P[i,j] * V[j,p])
    O = np.einsum("ij,jp->ip", P, V, optimize=True)
    return Values(Q, K, V, S, Lse, P, O)


def backward(values: Values, dO: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        dO: [T, d_v] the upstream gradient dL/dO.
    """
    Q, K, V, P, O = values.Q, values.K, values.V, values.P, values.O
    d = Q.shape[1]
    # dV[j,p] = sum[i](dO[i,p] * P[i,j])
    dV = np.einsum("ip,ij->jp", dO, P, optimize=True)
    # dP[i,j] = sum[p](dO[i,p] * V[j,p])
    dP = np.einsum("ip,jp->ij", dO, V, optimize=True)
    # r[i] = sum[p](dO[i,p] * O[i,p])
    r = np.einsum("ip,ip->i", dO, O)
    # dS[i,j] = P[i,j] * (dP[i,j] - r[i])
    dS = P * (dP - r[:, None])
    # dQ[i,k] = 1/sqrt(d) * sum[j](dS[i,j] * K[j,k])
    dQ = np.einsum("ij,jk->ik", dS, K, optimize=True) / d**0.5
    # dK[j,k] = 1/sqrt(d) * sum[i](dS[i,j] * Q[i,k])
    dK = np.einsum("ij,ik->jk", dS, Q, optimize=True) / d**0.5
    return Gradients(dV, dS, dQ, dK)
