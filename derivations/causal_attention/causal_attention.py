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

AXES = {
    "Q": ("T", "d"),
    "K": ("T", "d"),
    "V": ("T", "d_v"),
    "O": ("T", "d_v"),
    "G": ("T", "d_v"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("T", "d")
"""The extents without which there is no result."""


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
    Q, K, V = _checked(Q=Q, K=K, V=V)
    T, d = Q.shape
    # S[i,j] = 1/sqrt(d) * sum[k](Q[i,k] * K[j,k])
    S = Q @ K.T / d**0.5
    # S_masked[i,l] = S[i,l] where l <= i, else -inf
    S_masked = np.where(np.tri(T, dtype=bool), S, -np.inf)
    # S_max[i] = max[l](S_masked[i,l])
    S_max = S_masked.max(axis=1)
    # exp_S[i,l] = exp(S_masked[i,l] - S_max[i])
    exp_S = np.exp(S_masked - S_max[:, None])
    # Z[i] = sum[l](exp_S[i,l])
    Z = exp_S.sum(axis=1)
    # A[i,j] = exp_S[i,j] / Z[i]
    A = exp_S / Z[:, None]
    # O[i,p] = sum[j](A[i,j] * V[j,p])
    O = A @ V
    return Values(Q, K, V, S, A, O)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [T, d_v] the upstream gradient dL/dO.
    """
    *_, G = _checked(O=values.O, G=G)
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
