# ruff: noqa: E741, RUF100 (O: as the author wrote)
"""Attention with linear biases: a key counts less the farther it lies in the past: forward
and backward pass.

Extents:
    H: heads (indices h)
    T: token positions (indices i, j, l)
    d: head dimension (indices k)
    d_v: value dimension (indices p)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "Q": ("H", "T", "d"),
    "K": ("H", "T", "d"),
    "V": ("H", "T", "d_v"),
    "m": ("H",),
    "D": ("T", "T"),
    "O": ("H", "T", "d_v"),
    "G": ("H", "T", "d_v"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("T", "d")
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    Q: np.ndarray  # [H, T, d] queries
    K: np.ndarray  # [H, T, d] keys
    V: np.ndarray  # [H, T, d_v] values
    m: np.ndarray  # [H] slopes of the heads
    D: np.ndarray  # [T, T] distance i - j from the query back to the key
    S: np.ndarray  # [H, T, T] scores with biases
    A: np.ndarray  # [H, T, T] weights on the past, softmax over the keys seen
    O: np.ndarray  # [H, T, d_v] output


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dV: np.ndarray  # [H, T, d_v] dL/dV
    dA: np.ndarray  # [H, T, T] dL/dA
    dS: np.ndarray  # [H, T, T] dL/dS
    dQ: np.ndarray  # [H, T, d] dL/dQ
    dK: np.ndarray  # [H, T, d] dL/dK
    dm: np.ndarray  # [H] dL/dm


def forward(
    Q: np.ndarray, K: np.ndarray, V: np.ndarray, m: np.ndarray, D: np.ndarray
) -> Values:
    """Forward pass.

    Args:
        Q: [H, T, d] queries.
        K: [H, T, d] keys.
        V: [H, T, d_v] values.
        m: [H] slopes of the heads.
        D: [T, T] distance i - j from the query back to the key.
    """
    Q, K, V, m, D = _checked(Q=Q, K=K, V=V, m=m, D=D)
    _, T, d = Q.shape
    # S[h,i,j] = 1/sqrt(d) * sum[k](Q[h,i,k] * K[h,j,k]) - m[h] * D[i,j]
    S = Q @ K.swapaxes(-1, -2) / d**0.5 - m[:, None, None] * D
    # S_masked[h,i,l] = S[h,i,l] where l <= i, else -inf
    S_masked = np.where(np.tri(T, dtype=bool), S, -np.inf)
    # S_max[h,i] = max[l](S_masked[h,i,l])
    S_max = S_masked.max(axis=2)
    # exp_S[h,i,l] = exp(S_masked[h,i,l] - S_max[h,i])
    exp_S = np.exp(S_masked - S_max[..., None])
    # Z[h,i] = sum[l](exp_S[h,i,l])
    Z = exp_S.sum(axis=2)
    # A[h,i,j] = exp_S[h,i,j] / Z[h,i]
    A = exp_S / Z[..., None]
    # O[h,i,p] = sum[j](A[h,i,j] * V[h,j,p])
    O = A @ V
    return Values(Q, K, V, m, D, S, A, O)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [H, T, d_v] the upstream gradient dL/dO.
    """
    *_, G = _checked(O=values.O, G=G)
    Q, K, V, D, A, O = values.Q, values.K, values.V, values.D, values.A, values.O
    d = Q.shape[2]
    # dV[h,j,p] = sum[i](G[h,i,p] * A[h,i,j])
    dV = A.swapaxes(-1, -2) @ G
    # dA[h,i,j] = sum[p](G[h,i,p] * V[h,j,p])
    dA = G @ V.swapaxes(-1, -2)
    # r[h,i] = sum[p](G[h,i,p] * O[h,i,p])
    r = np.einsum("hip,hip->hi", G, O)
    # dS[h,i,j] = A[h,i,j] * (dA[h,i,j] - r[h,i])
    dS = A * (dA - r[..., None])
    # dQ[h,i,k] = 1/sqrt(d) * sum[j](dS[h,i,j] * K[h,j,k])
    dQ = dS @ K / d**0.5
    # dK[h,j,k] = 1/sqrt(d) * sum[i](dS[h,i,j] * Q[h,i,k])
    dK = dS.swapaxes(-1, -2) @ Q / d**0.5
    # dm[h] = -sum[i,j](dS[h,i,j] * D[i,j])
    dm = -np.einsum("hij,ij->h", dS, D, optimize=True)
    return Gradients(dV, dA, dS, dQ, dK, dm)


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
