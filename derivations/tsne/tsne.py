"""t-SNE: divergence of neighbour probabilities under a Student kernel: forward and
backward pass.

Extents:
    N: points (indices i, j, a, b)
    d: coordinates of the map (indices c)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "Y": ("N", "d"),
    "P": ("N", "N"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    Y: np.ndarray  # [N, d] points of the map
    P: np.ndarray  # [N, N] neighbour probabilities in the original space
    D: np.ndarray  # [N, N] squared distances in the map
    w: np.ndarray  # [N, N] Student kernel
    q: np.ndarray  # [N, N] neighbour probabilities in the map
    # scalar -sum P log q: the divergence without the part that Y can't change
    L: np.ndarray


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dD: np.ndarray  # [N, N] dL/dD
    dY: np.ndarray  # [N, d] dL/dY


def forward(Y: np.ndarray, P: np.ndarray) -> Values:
    """Forward pass.

    Args:
        Y: [N, d] points of the map.
        P: [N, N] neighbour probabilities in the original space.
    """
    Y, P = _checked(Y=Y, P=P)
    N = Y.shape[0]
    # D[i,j] = sum[c]((Y[i,c] - Y[j,c])^2)
    D = ((Y[:, None, :] - Y) ** 2).sum(axis=2)
    # w[i,j] = 1 / (1 + D[i,j])
    w = 1.0 / (1.0 + D)
    mask = np.eye(N, dtype=bool)
    # Z = sum[a,b]([a != b] * w[a,b])
    Z = np.where(~mask, w, 0.0).sum()
    # q[i,j] = [i != j] * w[i,j] / Z
    q = np.where(~mask, w / Z, 0.0)
    # L = log(Z) - sum[i,j](P[i,j] * log(w[i,j]))
    L = np.log(Z) - np.einsum("ij,ij->", P, np.log(w), optimize=True)
    return Values(Y, P, D, w, q, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    Y, P, w, q = values.Y, values.P, values.w, values.q
    # dD[i,j] = w[i,j] * (P[i,j] - q[i,j])
    dD = w * (P - q)
    # dY[i,c] = 2 * sum[j]((Y[i,c] - Y[j,c]) * (dD[i,j] + dD[j,i]))
    dY = 2 * np.einsum("icj,ij->ic", Y[..., None] - Y.T, dD + dD.T, optimize=True)
    return Gradients(dD, dY)


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
