"""A normalising flow with a linear layer: the likelihood through log |det W|: forward and
backward pass.

Extents:
    N: samples (indices n)
    D: dimensions (indices i, j, k)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "x": ("N", "D"),
    "W": ("D", "D"),
    "b": ("D",),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    x: np.ndarray  # [N, D] samples
    W: np.ndarray  # [D, D] weights
    b: np.ndarray  # [D] bias
    z: np.ndarray  # [N, D] samples, mapped to the base distribution
    W_inv: np.ndarray  # [D, D] inverse of W
    L: np.ndarray  # scalar negative log-likelihood


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dW: np.ndarray  # [D, D] dL/dW
    db: np.ndarray  # [D] dL/db


def forward(x: np.ndarray, W: np.ndarray, b: np.ndarray) -> Values:
    """Forward pass.

    Args:
        x: [N, D] samples.
        W: [D, D] weights.
        b: [D] bias.
    """
    x, W, b = _checked(x=x, W=W, b=b)
    N, D = x.shape
    # z[n,i] = sum[j](W[i,j] * x[n,j]) + b[i]
    z = x @ W.T + b
    # solve W_inv[j,k]: sum[j](W[i,j] * W_inv[j,k]) = delta[i,k]
    W_inv = np.linalg.inv(W)
    # L = 1/(2*N) * sum[n,i](z[n,i]^2) + D*log(2*pi)/2 - logdet(W)
    L = (
        0.5 * (z**2).sum() / N
        + 0.5 * D * float(np.log(2 * np.pi))
        - np.linalg.slogdet(W)[1]
    )
    return Values(x, W, b, z, W_inv, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    x, z, W_inv = values.x, values.z, values.W_inv
    N = x.shape[0]
    # dW[i,j] = 1/N * sum[n](z[n,i] * x[n,j]) - W_inv[j,i]
    dW = z.T @ x / N - W_inv.T
    # db[i] = 1/N * sum[n](z[n,i])
    db = z.sum(axis=0) / N
    return Gradients(dW, db)


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
