# ruff: noqa: E741, RUF100 (O: as the author wrote)
"""Flash attention: only the output and the row logsumexp are kept: forward and backward
pass.

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
    "dO": ("T", "d_v"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("T", "d")
"""The extents without which there is no result."""


class Values(NamedTuple):
    """What is kept of the forward pass: all but S and P."""

    Q: np.ndarray  # [T, d] queries
    K: np.ndarray  # [T, d] keys
    V: np.ndarray  # [T, d_v] values
    Lse: np.ndarray  # [T] logsumexp of the row
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
    Q, K, V = _checked(Q=Q, K=K, V=V)
    d = Q.shape[1]
    # S[i,j] = 1/sqrt(d) * sum[k](Q[i,k] * K[j,k])
    S = Q @ K.T / d**0.5
    # S_max[i] = max[l](S[i,l])
    S_max = S.max(axis=1)
    # Z[i] = sum[l](exp(S[i,l] - S_max[i]))
    Z = np.exp(S - S_max[:, None]).sum(axis=1)
    # Lse[i] = S_max[i] + log(Z[i])
    Lse = S_max + np.log(Z)
    # P[i,j] = exp(S[i,j] - Lse[i])
    P = np.exp(S - Lse[:, None])
    # O[i,p] = sum[j](P[i,j] * V[j,p])
    O = P @ V
    return Values(Q, K, V, Lse, O)


def backward(values: Values, dO: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        dO: [T, d_v] the upstream gradient dL/dO.
    """
    *_, dO = _checked(O=values.O, dO=dO)
    Q, K, V, Lse, O = values.Q, values.K, values.V, values.Lse, values.O
    d = Q.shape[1]
    # S[i,j] = 1/sqrt(d) * sum[k](Q[i,k] * K[j,k])
    S = Q @ K.T / d**0.5
    # P[i,j] = exp(S[i,j] - Lse[i])
    P = np.exp(S - Lse[:, None])
    # dV[j,p] = sum[i](dO[i,p] * P[i,j])
    dV = P.T @ dO
    # dP[i,j] = sum[p](dO[i,p] * V[j,p])
    dP = dO @ V.T
    # r[i] = sum[p](dO[i,p] * O[i,p])
    r = np.einsum("ip,ip->i", dO, O)
    # dS[i,j] = P[i,j] * (dP[i,j] - r[i])
    dS = P * (dP - r[:, None])
    # dQ[i,k] = 1/sqrt(d) * sum[j](dS[i,j] * K[j,k])
    dQ = dS @ K / d**0.5
    # dK[j,k] = 1/sqrt(d) * sum[i](dS[i,j] * Q[i,k])
    dK = dS.T @ Q / d**0.5
    return Gradients(dV, dS, dQ, dK)


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
