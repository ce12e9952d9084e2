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

AXES = {
    "Q": ("n", "d"),
    "K": ("m", "d"),
    "V": ("m", "e"),
    "G": ("n", "e"),
    "O": ("n", "e"),
    "dO": ("n", "e"),
}
"""The extents of the axes of every array that is given."""


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
    Q, K, V, G = _checked(Q=Q, K=K, V=V, G=G)
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
    *_, dO = _checked(O=values.O, dO=dO)
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
