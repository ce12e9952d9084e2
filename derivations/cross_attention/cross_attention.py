# ruff: noqa: E741, RUF100 (O: as the author wrote)
"""Cross-attention: queries from one input, keys and values from another: forward and
backward pass.

Extents:
    T_q: positions of the queries (indices i)
    D_q: width of the query input (indices m)
    T_kv: positions of the keys and values (indices j, l)
    D_kv: width of the key-value input (indices n)
    d: query and key dimension (indices k)
    d_v: value dimension (indices p)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X_Q": ("T_q", "D_q"),
    "X_KV": ("T_kv", "D_kv"),
    "W_Q": ("D_q", "d"),
    "W_K": ("D_kv", "d"),
    "W_V": ("D_kv", "d_v"),
    "O": ("T_q", "d_v"),
    "G": ("T_q", "d_v"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("T_kv", "d")
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X_Q: np.ndarray  # [T_q, D_q] query input
    X_KV: np.ndarray  # [T_kv, D_kv] key-value input, such as an encoder's output
    W_Q: np.ndarray  # [D_q, d] query projection
    W_K: np.ndarray  # [D_kv, d] key projection
    W_V: np.ndarray  # [D_kv, d_v] value projection
    Q: np.ndarray  # [T_q, d] queries
    K: np.ndarray  # [T_kv, d] keys
    V: np.ndarray  # [T_kv, d_v] values
    S: np.ndarray  # [T_q, T_kv] scaled scores
    A: np.ndarray  # [T_q, T_kv] attention weights, softmax over keys
    O: np.ndarray  # [T_q, d_v] output


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dV: np.ndarray  # [T_kv, d_v] dL/dV
    dA: np.ndarray  # [T_q, T_kv] dL/dA
    dS: np.ndarray  # [T_q, T_kv] dL/dS
    dQ: np.ndarray  # [T_q, d] dL/dQ
    dK: np.ndarray  # [T_kv, d] dL/dK
    dW_Q: np.ndarray  # [D_q, d] dL/dW_Q
    dW_K: np.ndarray  # [D_kv, d] dL/dW_K
    dW_V: np.ndarray  # [D_kv, d_v] dL/dW_V
    dX_Q: np.ndarray  # [T_q, D_q] dL/dX_Q
    dX_KV: np.ndarray  # [T_kv, D_kv] dL/dX_KV


def forward(
    X_Q: np.ndarray, X_KV: np.ndarray, W_Q: np.ndarray, W_K: np.ndarray, W_V: np.ndarray
) -> Values:
    """Forward pass.

    Args:
        X_Q: [T_q, D_q] query input.
        X_KV: [T_kv, D_kv] key-value input, such as an encoder's output.
        W_Q: [D_q, d] query projection.
        W_K: [D_kv, d] key projection.
        W_V: [D_kv, d_v] value projection.
    """
    X_Q, X_KV, W_Q, W_K, W_V = _checked(X_Q=X_Q, X_KV=X_KV, W_Q=W_Q, W_K=W_K, W_V=W_V)
    d = W_Q.shape[1]
    # Q[i,k] = sum[m](X_Q[i,m] * W_Q[m,k])
    Q = X_Q @ W_Q
    # K[j,k] = sum[n](X_KV[j,n] * W_K[n,k])
    K = X_KV @ W_K
    # V[j,p] = sum[n](X_KV[j,n] * W_V[n,p])
    V = X_KV @ W_V
    # S[i,j] = 1/sqrt(d) * sum[k](Q[i,k] * K[j,k])
    S = Q @ K.T / d**0.5
    # S_max[i] = max[l](S[i,l])
    S_max = S.max(axis=1)
    # exp_S[i,l] = exp(S[i,l] - S_max[i])
    exp_S = np.exp(S - S_max[:, None])
    # Z[i] = sum[l](exp_S[i,l])
    Z = exp_S.sum(axis=1)
    # A[i,j] = exp_S[i,j] / Z[i]
    A = exp_S / Z[:, None]
    # O[i,p] = sum[j](A[i,j] * V[j,p])
    O = A @ V
    return Values(X_Q, X_KV, W_Q, W_K, W_V, Q, K, V, S, A, O)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [T_q, d_v] the upstream gradient dL/dO.
    """
    *_, G = _checked(O=values.O, G=G)
    X_Q = values.X_Q
    X_KV = values.X_KV
    W_Q = values.W_Q
    W_K = values.W_K
    W_V = values.W_V
    Q = values.Q
    K = values.K
    V = values.V
    A = values.A
    O = values.O
    d = W_Q.shape[1]
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
    # dW_Q[m,k] = sum[i](dQ[i,k] * X_Q[i,m])
    dW_Q = X_Q.T @ dQ
    # dW_K[n,k] = sum[j](dK[j,k] * X_KV[j,n])
    dW_K = X_KV.T @ dK
    # dW_V[n,p] = sum[j](dV[j,p] * X_KV[j,n])
    dW_V = X_KV.T @ dV
    # dX_Q[i,m] = sum[k](dQ[i,k] * W_Q[m,k])
    dX_Q = dQ @ W_Q.T
    # dX_KV[j,n] = sum[k](dK[j,k] * W_K[n,k]) + sum[p](dV[j,p] * W_V[n,p])
    dX_KV = dK @ W_K.T + dV @ W_V.T
    return Gradients(dV, dA, dS, dQ, dK, dW_Q, dW_K, dW_V, dX_Q, dX_KV)


def _checked(**given: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype, if their axes agree with `AXES`."""
    arrays = _promoted(*given.values())
    seen = {}
    for name, array in zip(given, arrays, strict=True):
        axes, shape = AXES[name], array.shape
        if len(axes) != len(shape):
            expected = ", ".join(axes) or "none"
            message = f"{name} has {len(shape)} axes; expected: {expected}"
            raise ValueError(message)
        for place, (extent, size) in enumerate(zip(axes, shape, strict=True)):
            length, other = seen.setdefault(extent, (size, name))
            if size != length:
                message = f"axis {place} of {name} has length {size}, but {extent} "
                raise ValueError(message + f"is {length} in {other}")
    for extent in NEVER_EMPTY:
        if extent in seen and seen[extent][0] == 0:
            raise ValueError(f"{extent} is 0 in {seen[extent][1]}; 1 is the least")
    return arrays


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {getattr(array, "dtype", None) for array in arrays}
    floats = [dtype for dtype in dtypes if dtype is not None and dtype.kind in "fcO"]
    if len(dtypes) == len(floats) == 1:
        return arrays
    dtype = np.result_type(*floats) if floats else float
    return tuple([np.asarray(array, dtype) for array in arrays])
