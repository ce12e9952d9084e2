# ruff: noqa: E741, RUF100 (O: as the author wrote)
"""Causal linear attention as a recurrence: forward and backward pass.

Extents:
    T: tokens (indices t)
    D: features of queries and keys (indices k)
    P: features of values (indices p)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "q": ("T", "D"),
    "K": ("T", "D"),
    "V": ("T", "P"),
    "O": ("T", "P"),
    "G": ("T", "P"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    q: np.ndarray  # [T, D] queries
    K: np.ndarray  # [T, D] keys
    V: np.ndarray  # [T, P] values
    S: np.ndarray  # [T, D, P] sum of outer products
    z: np.ndarray  # [T, D] sum of keys
    Z: np.ndarray  # [T]
    O: np.ndarray  # [T, P] outputs


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dq: np.ndarray  # [T, D] dL/dq
    dK: np.ndarray  # [T, D] dL/dK
    dV: np.ndarray  # [T, P] dL/dV


def forward(q: np.ndarray, K: np.ndarray, V: np.ndarray) -> Values:
    """Forward pass.

    Args:
        q: [T, D] queries.
        K: [T, D] keys.
        V: [T, P] values.
    """
    q, K, V = _checked(q=q, K=K, V=V)
    T, D = q.shape
    P = V.shape[1]
    S = np.zeros((T, D, P), dtype=q.dtype)
    for t in range(T):
        # S[t,k,p] = [1 <= t] * S[t-1,k,p] + K[t,k] * V[t,p]
        S[t] = K[t][:, None] * V[t]
        if 1 <= t:
            S[t] += S[t - 1]
    z = np.zeros((T, D), dtype=q.dtype)
    for t in range(T):
        # z[t,k] = [1 <= t] * z[t-1,k] + K[t,k]
        z[t] = K[t]
        if 1 <= t:
            z[t] += z[t - 1]
    # Z[t] = sum[k](q[t,k] * z[t,k])
    Z = np.einsum("tk,tk->t", q, z)
    # O[t,p] = sum[k](q[t,k] * S[t,k,p] / Z[t])
    O = np.einsum("tk,tkp->tp", q, S, optimize=True) / Z[:, None]
    return Values(q, K, V, S, z, Z, O)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [T, P] the upstream gradient dL/dO.
    """
    *_, G = _checked(O=values.O, G=G)
    q = values.q
    K = values.K
    V = values.V
    S = values.S
    z = values.z
    Z = values.Z
    O = values.O
    T, P = G.shape
    D = q.shape[1]
    # dq[t,k] = sum[p](G[t,p] * (S[t,k,p] - z[t,k] * O[t,p]) / Z[t])
    part = np.einsum("tp,tkp->tk", G, S - z[..., None] * O[:, None, :], optimize=True)
    dq = part / Z[:, None]
    # r[t] = sum[p](G[t,p] * O[t,p])
    r = np.einsum("tp,tp->t", G, O)
    dz = np.zeros((T, D), dtype=G.dtype)
    for t in reversed(range(T)):
        # dz[t,k] = dz[t+1,k] * [t+1 < T] - r[t] * q[t,k] / Z[t]
        dz[t] = -r[t] * q[t] / Z[t]
        if t + 1 < T:
            dz[t] += dz[t + 1]
    dS = np.zeros((T, D, P), dtype=G.dtype)
    for t in reversed(range(T)):
        # dS[t,k,p] = dS[t+1,k,p] * [t+1 < T] + G[t,p] * q[t,k] / Z[t]
        dS[t] = G[t] * q[t][:, None] / Z[t]
        if t + 1 < T:
            dS[t] += dS[t + 1]
    # dK[t,k] = sum[p](dS[t,k,p] * V[t,p]) + dz[t,k]
    dK = np.einsum("tkp,tp->tk", dS, V, optimize=True) + dz
    # dV[t,p] = sum[k](dS[t,k,p] * K[t,k])
    dV = np.einsum("tkp,tk->tp", dS, K, optimize=True)
    return Gradients(dq, dK, dV)


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
    return arrays


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {getattr(array, "dtype", None) for array in arrays}
    floats = [dtype for dtype in dtypes if dtype is not None and dtype.kind in "fcO"]
    if len(dtypes) == len(floats) == 1:
        return arrays
    dtype = np.result_type(*floats) if floats else float
    return tuple([np.asarray(array, dtype) for array in arrays])
