"""Principal components as a linear autoencoder with tied weights: forward and backward
pass.

Extents:
    N: samples (indices n)
    F: features (indices f, g)
    K: components (indices k)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "F"),
    "W": ("F", "K"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, F] centred samples
    W: np.ndarray  # [F, K] directions
    Z: np.ndarray  # [N, K] codes
    E: np.ndarray  # [N, F] what the reconstruction misses
    L: np.ndarray  # scalar mean squared error


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dW: np.ndarray  # [F, K] dL/dW


def forward(X: np.ndarray, W: np.ndarray) -> Values:
    """Forward pass.

    Args:
        X: [N, F] centred samples.
        W: [F, K] directions.
    """
    X, W = _checked(X=X, W=W)
    N = X.shape[0]
    # Z[n,k] = sum[f](X[n,f] * W[f,k])
    Z = X @ W
    # E[n,f] = X[n,f] - sum[k](Z[n,k] * W[f,k])
    E = X - Z @ W.T
    # L = 1/N * sum[n,f](E[n,f]^2)
    L = (E**2).sum() / N
    return Values(X, W, Z, E, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    X, W, Z, E = values.X, values.W, values.Z, values.E
    N = X.shape[0]
    # dZ[n,k] = -2/N * sum[f](E[n,f] * W[f,k])
    dZ = -2 * (E @ W) / N
    # dW[f,k] = sum[n](dZ[n,k] * X[n,f]) - 2/N * sum[n](E[n,f] * Z[n,k])
    dW = X.T @ dZ - 2 * (E.T @ Z) / N
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
