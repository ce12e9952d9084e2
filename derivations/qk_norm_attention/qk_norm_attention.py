# ruff: noqa: E741, RUF100 (O: as the author wrote)
"""Attention with queries and keys of unit length: forward and backward pass.

Extents:
    T: token positions (indices i, j, l)
    d: head dimension (indices k)
    d_v: value dimension (indices p)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "Q": ("T", "d"),
    "K": ("T", "d"),
    "V": ("T", "d_v"),
    "g": (),
    "O": ("T", "d_v"),
    "G": ("T", "d_v"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("T",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    Q: np.ndarray  # [T, d] queries
    K: np.ndarray  # [T, d] keys
    V: np.ndarray  # [T, d_v] values
    g: np.ndarray  # scalar learned scale of the scores
    a: np.ndarray  # [T] length of the query
    b: np.ndarray  # [T] length of the key
    Qh: np.ndarray  # [T, d] queries of unit length
    Kh: np.ndarray  # [T, d] keys of unit length
    C: np.ndarray  # [T, T] cosines of their angles
    S: np.ndarray  # [T, T] scores
    A: np.ndarray  # [T, T] attention weights, softmax over keys
    O: np.ndarray  # [T, d_v] output


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dV: np.ndarray  # [T, d_v] dL/dV
    dA: np.ndarray  # [T, T] dL/dA
    dS: np.ndarray  # [T, T] dL/dS
    dQh: np.ndarray  # [T, d] dL/dQh
    dKh: np.ndarray  # [T, d] dL/dKh
    dQ: np.ndarray  # [T, d] dL/dQ
    dK: np.ndarray  # [T, d] dL/dK
    dg: np.ndarray  # scalar dL/dg


def forward(Q: np.ndarray, K: np.ndarray, V: np.ndarray, g: np.ndarray) -> Values:
    """Forward pass.

    Args:
        Q: [T, d] queries.
        K: [T, d] keys.
        V: [T, d_v] values.
        g: scalar learned scale of the scores.
    """
    Q, K, V, g = _checked(Q=Q, K=K, V=V, g=g)
    # Q_sq[i] = sum[k](Q[i,k]^2)
    Q_sq = (Q**2).sum(axis=1)
    # a[i] = sqrt(Q_sq[i])
    a = np.sqrt(Q_sq)
    # K_sq[j] = sum[k](K[j,k]^2)
    K_sq = (K**2).sum(axis=1)
    # b[j] = sqrt(K_sq[j])
    b = np.sqrt(K_sq)
    # Qh[i,k] = Q[i,k] / a[i]
    Qh = Q / a[:, None]
    # Kh[j,k] = K[j,k] / b[j]
    Kh = K / b[:, None]
    # C[i,j] = sum[k](Qh[i,k] * Kh[j,k])
    C = Qh @ Kh.T
    # S[i,j] = g * C[i,j]
    S = g * C
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
    return Values(Q, K, V, g, a, b, Qh, Kh, C, S, A, O)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [T, d_v] the upstream gradient dL/dO.
    """
    *_, G = _checked(O=values.O, G=G)
    V = values.V
    g = values.g
    a = values.a
    b = values.b
    Qh = values.Qh
    Kh = values.Kh
    C = values.C
    A = values.A
    O = values.O
    # dV[j,p] = sum[i](G[i,p] * A[i,j])
    dV = A.T @ G
    # D[i,j] = sum[p](G[i,p] * V[j,p])
    D = G @ V.T
    # r[i] = sum[p](G[i,p] * O[i,p])
    r = np.einsum("ip,ip->i", G, O)
    # dS[i,j] = A[i,j] * (D[i,j] - r[i])
    dS = A * (D - r[:, None])
    # dg = sum[i,j](dS[i,j] * C[i,j])
    dg = np.einsum("ij,ij->", dS, C, optimize=True)
    # dQh[i,k] = g * sum[j](dS[i,j] * Kh[j,k])
    dQh = dS @ Kh * g
    # dKh[j,k] = g * sum[i](dS[i,j] * Qh[i,k])
    dKh = dS.T @ Qh * g
    # s[i] = sum[k](dQh[i,k] * Qh[i,k])
    s = np.einsum("ik,ik->i", dQh, Qh)
    # dQ[i,k] = (dQh[i,k] - s[i] * Qh[i,k]) / a[i]
    dQ = (dQh - s[:, None] * Qh) / a[:, None]
    # u[j] = sum[k](dKh[j,k] * Kh[j,k])
    u = np.einsum("jk,jk->j", dKh, Kh)
    # dK[j,k] = (dKh[j,k] - u[j] * Kh[j,k]) / b[j]
    dK = (dKh - u[:, None] * Kh) / b[:, None]
    return Gradients(dV=dV, dA=D, dS=dS, dQh=dQh, dKh=dKh, dQ=dQ, dK=dK, dg=dg)


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
            length, other, _ = seen.setdefault(extent, (size, name, place))
            if size != length:
                message = f"axis {place} of {name} has length {size}, but {extent} "
                raise ValueError(message + f"is {length} in {other}")
    for extent in NEVER_EMPTY:
        if extent in seen and seen[extent][0] == 0:
            raise ValueError(f"{extent} is 0 in {seen[extent][1]}; 1 is the least")
    return arrays


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {array.dtype for array in arrays if hasattr(array, "dtype")}
    floating = [dtype for dtype in dtypes if dtype.kind not in "biu"]
    dtype = np.result_type(*floating) if floating else float
    return tuple([np.asarray(array, dtype) for array in arrays])
