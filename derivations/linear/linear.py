"""Linear layer: forward and backward pass.

Extents:
    N: rows of the batch (indices n)
    F: input features (indices f)
    M: output features (indices o)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "F"),
    "W": ("M", "F"),
    "b": ("M",),
    "Y": ("N", "M"),
    "G": ("N", "M"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, F] inputs
    W: np.ndarray  # [M, F] weights
    b: np.ndarray  # [M] bias
    Y: np.ndarray  # [N, M] output, X W^T + b


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dX: np.ndarray  # [N, F] dL/dX
    dW: np.ndarray  # [M, F] dL/dW
    db: np.ndarray  # [M] dL/db


def forward(X: np.ndarray, W: np.ndarray, b: np.ndarray) -> Values:
    """Forward pass.

    Args:
        X: [N, F] inputs.
        W: [M, F] weights.
        b: [M] bias.
    """
    X, W, b = _checked(X=X, W=W, b=b)
    # Y[n,o] = sum[f](X[n,f] * W[o,f]) + b[o]
    Y = X @ W.T + b
    return Values(X, W, b, Y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, M] the upstream gradient dL/dY.
    """
    *_, G = _checked(Y=values.Y, G=G)
    X, W = values.X, values.W
    # dX[n,f] = sum[o](G[n,o] * W[o,f])
    dX = G @ W
    # dW[o,f] = sum[n](G[n,o] * X[n,f])
    dW = G.T @ X
    # db[o] = sum[n](G[n,o])
    db = G.sum(axis=0)
    return Gradients(dX, dW, db)


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
