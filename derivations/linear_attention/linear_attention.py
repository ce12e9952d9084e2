# ruff: noqa: E741, RUF100 (O: as the author wrote)
"""Linear attention with an output gate: forward and backward pass.

Extents:
    n: positions of the queries (indices i)
    d: query and key dimension (indices k)
    m: positions of the keys and values (indices j)
    e: value dimension (indices p)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    Q: np.ndarray  # [n, d] queries
    K: np.ndarray  # [m, d] keys
    V: np.ndarray  # [m, e] values
    G: np.ndarray  # [n, e] gate
    KV: np.ndarray  # [d, e] state: all keys and values in one matrix
    QKV: np.ndarray  # [n, e] what the queries read from the state
    O: np.ndarray  # [n, e] gated output


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dG: np.ndarray  # [n, e] dL/dG
    dQKV: np.ndarray  # [n, e] dL/dQKV
    dQ: np.ndarray  # [n, d] dL/dQ
    dKV: np.ndarray  # [d, e] dL/dKV
    dK: np.ndarray  # [m, d] dL/dK
    dV: np.ndarray  # [m, e] dL/dV


def forward(Q: np.ndarray, K: np.ndarray, V: np.ndarray, G: np.ndarray) -> Values:
    """Forward pass.

    Args:
        Q: [n, d] queries.
        K: [m, d] keys.
        V: [m, e] values.
        G: [n, e] gate.
    """
    # KV[k,p] = sum[j](K[j,k] * V[j,p])
    KV = K.T @ V
    # QKV[i,p] = sum[k](Q[i,k] * KV[k,p])
    QKV = Q @ KV
    # O[i,p] = G[i,p] * QKV[i,p]
    O = G * QKV
    return Values(Q, K, V, G, KV, QKV, O)


def backward(values: Values, dO: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        dO: [n, e] the upstream gradient dL/dO.
    """
    Q, K, V, G, KV, QKV = values.Q, values.K, values.V, values.G, values.KV, values.QKV
    # dG[i,p] = dO[i,p] * QKV[i,p]
    dG = dO * QKV
    # dQKV[i,p] = dO[i,p] * G[i,p]
    dQKV = dO * G
    # dQ[i,k] = sum[p](dQKV[i,p] * KV[k,p])
    dQ = dQKV @ KV.T
    # dKV[k,p] = sum[i](dQKV[i,p] * Q[i,k])
    dKV = Q.T @ dQKV
    # dK[j,k] = sum[p](dKV[k,p] * V[j,p])
    dK = V @ dKV.T
    # dV[j,p] = sum[k](dKV[k,p] * K[j,k])
    dV = K @ dKV
    return Gradients(dG, dQKV, dQ, dKV, dK, dV)
