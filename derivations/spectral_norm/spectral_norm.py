"""Spectral normalisation of a weight matrix, its singular vectors held fixed: forward and
backward pass.

Extents:
    M: rows (indices o, q)
    F: columns (indices f, g)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "W": ("M", "F"),
    "u": ("M",),
    "v": ("F",),
    "W_sn": ("M", "F"),
    "G": ("M", "F"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    W: np.ndarray  # [M, F] weights
    u: np.ndarray  # [M] left singular vector, from power iteration
    v: np.ndarray  # [F] right singular vector, from power iteration
    sigma: np.ndarray  # scalar largest singular value
    W_sn: np.ndarray  # [M, F] weights of spectral norm one


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dW: np.ndarray  # [M, F] dL/dW


def forward(W: np.ndarray, u: np.ndarray, v: np.ndarray) -> Values:
    """Forward pass.

    Args:
        W: [M, F] weights.
        u: [M] left singular vector, from power iteration.
        v: [F] right singular vector, from power iteration.
    """
    W, u, v = _checked(W=W, u=u, v=v)
    # sigma = sum[o,f](u[o] * W[o,f] * v[f])
    sigma = W.T @ u @ v
    # W_sn[o,f] = W[o,f] / sigma
    W_sn = W / sigma
    return Values(W, u, v, sigma, W_sn)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [M, F] the upstream gradient dL/dW_sn.
    """
    *_, G = _checked(W_sn=values.W_sn, G=G)
    u, v, sigma, W_sn = values.u, values.v, values.sigma, values.W_sn
    # r = sum[o,f](G[o,f] * W_sn[o,f])
    r = np.einsum("of,of->", G, W_sn, optimize=True)
    # dW[o,f] = (G[o,f] - r * u[o] * v[f]) / sigma
    dW = (G - r * u[:, None] * v) / sigma
    return Gradients(dW)


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
