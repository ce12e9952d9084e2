# ruff: noqa: E741, RUF100 (O: as the author wrote)
"""One attention head predicts the next token: all weights trainable: forward and backward
pass.

Extents:
    T: token positions (indices i, j, l)
    D: embedding dimension (indices m)
    d: query and key dimension (indices k)
    d_v: value dimension (indices p)
    N_V: tokens of the vocabulary (indices v, w)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("T", "D"),
    "WQ": ("D", "d"),
    "WK": ("D", "d"),
    "WV": ("D", "d_v"),
    "WO": ("d_v", "N_V"),
    "e": ("T",),
    "y": ("N_V",),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("T", "d", "N_V")
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [T, D] embeddings of the input tokens
    WQ: np.ndarray  # [D, d] query weights
    WK: np.ndarray  # [D, d] key weights
    WV: np.ndarray  # [D, d_v] value weights
    WO: np.ndarray  # [d_v, N_V] output weights
    e: np.ndarray  # [T] 1 at the last position, else 0
    y: np.ndarray  # [N_V] 1 at the target token, else 0
    Q: np.ndarray  # [T, d] queries
    K: np.ndarray  # [T, d] keys
    V: np.ndarray  # [T, d_v] values
    S: np.ndarray  # [T, T] scores
    SS: np.ndarray  # [T, T] scaled scores
    A: np.ndarray  # [T, T] attention weights, softmax over keys
    O: np.ndarray  # [T, d_v] attention output
    c: np.ndarray  # [d_v] context: the output at the last position
    z: np.ndarray  # [N_V] logits
    P: np.ndarray  # [N_V] probabilities of the next token
    L: np.ndarray  # scalar loss: -log of the target's probability


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dz: np.ndarray  # [N_V] dL/dz
    dWO: np.ndarray  # [d_v, N_V] dL/dWO
    dc: np.ndarray  # [d_v] dL/dc
    dO: np.ndarray  # [T, d_v] dL/dO
    dV: np.ndarray  # [T, d_v] dL/dV
    dA: np.ndarray  # [T, T] dL/dA
    dSS: np.ndarray  # [T, T] dL/dSS
    dS: np.ndarray  # [T, T] dL/dS
    dQ: np.ndarray  # [T, d] dL/dQ
    dK: np.ndarray  # [T, d] dL/dK
    dWQ: np.ndarray  # [D, d] dL/dWQ
    dWK: np.ndarray  # [D, d] dL/dWK
    dWV: np.ndarray  # [D, d_v] dL/dWV


def forward(
    X: np.ndarray,
    WQ: np.ndarray,
    WK: np.ndarray,
    WV: np.ndarray,
    WO: np.ndarray,
    e: np.ndarray,
    y: np.ndarray,
) -> Values:
    """Forward pass.

    Args:
        X: [T, D] embeddings of the input tokens.
        WQ: [D, d] query weights.
        WK: [D, d] key weights.
        WV: [D, d_v] value weights.
        WO: [d_v, N_V] output weights.
        e: [T] 1 at the last position, else 0.
        y: [N_V] 1 at the target token, else 0.
    """
    X, WQ, WK, WV, WO, e, y = _checked(X=X, WQ=WQ, WK=WK, WV=WV, WO=WO, e=e, y=y)
    d = WQ.shape[1]
    # Q[i,k] = sum[m](X[i,m] * WQ[m,k])
    Q = X @ WQ
    # K[j,k] = sum[m](X[j,m] * WK[m,k])
    K = X @ WK
    # V[j,p] = sum[m](X[j,m] * WV[m,p])
    V = X @ WV
    # S[i,j] = sum[k](Q[i,k] * K[j,k])
    S = Q @ K.T
    # SS[i,j] = 1/sqrt(d) * S[i,j]
    SS = S / d**0.5
    # SS_max[i] = max[l](SS[i,l])
    SS_max = SS.max(axis=1)
    # exp_SS[i,l] = exp(SS[i,l] - SS_max[i])
    exp_SS = np.exp(SS - SS_max[:, None])
    # Z[i] = sum[l](exp_SS[i,l])
    Z = exp_SS.sum(axis=1)
    # A[i,j] = exp_SS[i,j] / Z[i]
    A = exp_SS / Z[:, None]
    # O[i,p] = sum[j](A[i,j] * V[j,p])
    O = A @ V
    # c[p] = sum[i](e[i] * O[i,p])
    c = O.T @ e
    # z[v] = sum[p](c[p] * WO[p,v])
    z = WO.T @ c
    # z_max = max[w](z[w])
    z_max = z.max()
    # exp_z[w] = exp(z[w] - z_max)
    exp_z = np.exp(z - z_max)
    # Z_P = sum[w](exp_z[w])
    Z_P = exp_z.sum()
    # P[v] = exp_z[v] / Z_P
    P = exp_z / Z_P
    # L = -sum[v](y[v] * ((z[v] - z_max) - log(Z_P)))
    L = -(y @ (z - z_max - np.log(Z_P)))
    return Values(X, WQ, WK, WV, WO, e, y, Q, K, V, S, SS, A, O, c, z, P, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    X = values.X
    WO = values.WO
    e = values.e
    y = values.y
    Q = values.Q
    K = values.K
    V = values.V
    A = values.A
    O = values.O
    c = values.c
    P = values.P
    d = Q.shape[1]
    # dz[v] = P[v] - y[v]
    dz = P - y
    # dWO[p,v] = dz[v] * c[p]
    dWO = dz * c[:, None]
    # dc[p] = sum[v](dz[v] * WO[p,v])
    dc = WO @ dz
    # dO[i,p] = dc[p] * e[i]
    dO = dc * e[:, None]
    # dV[j,p] = sum[i](dO[i,p] * A[i,j])
    dV = A.T @ dO
    # dA[i,j] = sum[p](dO[i,p] * V[j,p])
    dA = dO @ V.T
    # r[i] = sum[p](dO[i,p] * O[i,p])
    r = np.einsum("ip,ip->i", dO, O)
    # dSS[i,j] = A[i,j] * (dA[i,j] - r[i])
    dSS = A * (dA - r[:, None])
    # dS[i,j] = 1/sqrt(d) * dSS[i,j]
    dS = dSS / d**0.5
    # dQ[i,k] = sum[j](dS[i,j] * K[j,k])
    dQ = dS @ K
    # dK[j,k] = sum[i](dS[i,j] * Q[i,k])
    dK = dS.T @ Q
    # dWQ[m,k] = sum[i](dQ[i,k] * X[i,m])
    dWQ = X.T @ dQ
    # dWK[m,k] = sum[j](dK[j,k] * X[j,m])
    dWK = X.T @ dK
    # dWV[m,p] = sum[j](dV[j,p] * X[j,m])
    dWV = X.T @ dV
    return Gradients(dz, dWO, dc, dO, dV, dA, dSS, dS, dQ, dK, dWQ, dWK, dWV)


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
