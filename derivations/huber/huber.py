"""Huber loss of a linear model: squares of small residuals, sizes of large ones: forward
and backward pass.

Extents:
    N: examples (indices n)
    F: features (indices f)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "F"),
    "y": ("N",),
    "w": ("F",),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, F] features
    y: np.ndarray  # [N] observed values
    w: np.ndarray  # [F] weights
    r: np.ndarray  # [N] residuals
    c: np.ndarray  # [N] residuals, clipped to [-k, k]
    # scalar mean of r^2/2 where the residual is small, of k abs(r) - k^2/2 elsewhere
    L: np.ndarray


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dr: np.ndarray  # [N] dL/dr
    dw: np.ndarray  # [F] dL/dw


def forward(X: np.ndarray, y: np.ndarray, w: np.ndarray, *, k: float = 1.345) -> Values:
    """Forward pass.

    Args:
        X: [N, F] features.
        y: [N] observed values.
        w: [F] weights.
        k: size from which a residual counts as large.
    """
    X, y, w = _checked(X=X, y=y, w=w)
    N = X.shape[0]
    # r[n] = sum[f](X[n,f] * w[f]) - y[n]
    r = X @ w - y
    # c[n] = max(min(r[n], k), -k)
    c = np.maximum(np.minimum(r, k), -k)
    # L = 1/N * sum[n]((c[n] * r[n] - 0.5 * c[n]^2))
    L = (c * r - 0.5 * c**2).sum() / N
    return Values(X, y, w, r, c, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    X, c = values.X, values.c
    N = X.shape[0]
    # dr[n] = 1/N * c[n]
    dr = c / N
    # dw[f] = sum[n](dr[n] * X[n,f])
    dw = X.T @ dr
    return Gradients(dr, dw)


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
