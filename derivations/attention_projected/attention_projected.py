# ruff: noqa: E741, RUF100 (O: as the author wrote)
"""Self-attention with projections of one input: three paths into X: forward and backward
pass.

Extents:
    T: token positions (indices i, j, l)
    D: model dimension (indices m)
    d: query and key dimension (indices k)
    d_v: value dimension (indices p)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("T", "D"),
    "W_Q": ("D", "d"),
    "W_K": ("D", "d"),
    "W_V": ("D", "d_v"),
    "O": ("T", "d_v"),
    "G": ("T", "d_v"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("T", "d")
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [T, D] tokens
    W_Q: np.ndarray  # [D, d] query projection
    W_K: np.ndarray  # [D, d] key projection
    W_V: np.ndarray  # [D, d_v] value projection
    Q: np.ndarray  # [T, d] queries
    K: np.ndarray  # [T, d] keys
    V: np.ndarray  # [T, d_v] values
    S: np.ndarray  # [T, T] scaled scores
    A: np.ndarray  # [T, T] attention weights, softmax over keys
    O: np.ndarray  # [T, d_v] output


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dV: np.ndarray  # [T, d_v] dL/dV
    dA: np.ndarray  # [T, T] dL/dA
    dS: np.ndarray  # [T, T] dL/dS
    dQ: np.ndarray  # [T, d] dL/dQ
    dK: np.ndarray  # [T, d] dL/dK
    dW_Q: np.ndarray  # [D, d] dL/dW_Q
    dW_K: np.ndarray  # [D, d] dL/dW_K
    dW_V: np.ndarray  # [D, d_v] dL/dW_V
    dX: np.ndarray  # [T, D] dL/dX


def forward(X: np.ndarray, W_Q: np.ndarray, W_K: np.ndarray, W_V: np.ndarray) -> Values:
    """Forward pass.

    Args:
        X: [T, D] tokens.
        W_Q: [D, d] query projection.
        W_K: [D, d] key projection.
        W_V: [D, d_v] value projection.
    """
    X, W_Q, W_K, W_V = _checked(X=X, W_Q=W_Q, W_K=W_K, W_V=W_V)
    d = W_Q.shape[1]
    # Q[i,k] = sum[m](X[i,m] * W_Q[m,k])
    Q = X @ W_Q
    # K[j,k] = sum[m](X[j,m] * W_K[m,k])
    K = X @ W_K
    # V[j,p] = sum[m](X[j,m] * W_V[m,p])
    V = X @ W_V
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
    return Values(X, W_Q, W_K, W_V, Q, K, V, S, A, O)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [T, d_v] the upstream gradient dL/dO.
    """
    *_, G = _checked(O=values.O, G=G)
    X = values.X
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
    # dW_Q[m,k] = sum[i](dQ[i,k] * X[i,m])
    dW_Q = X.T @ dQ
    # dW_K[m,k] = sum[j](dK[j,k] * X[j,m])
    dW_K = X.T @ dK
    # dW_V[m,p] = sum[j](dV[j,p] * X[j,m])
    dW_V = X.T @ dV
    # dX[i,m] = sum[k](dQ[i,k] * W_Q[m,k]) + sum[k](dK[i,k] * W_K[m,k]) + sum[p](dV[i,p]
    #     * W_V[m,p])
    dX = dQ @ W_Q.T + dK @ W_K.T + dV @ W_V.T
    return Gradients(dV, dA, dS, dQ, dK, dW_Q, dW_K, dW_V, dX)


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
