"""Rows scaled to unit length: forward and backward pass.

Extents:
    N: rows (indices n)
    H: features (indices h)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "x": ("N", "H"),
    "y": ("N", "H"),
    "g": ("N", "H"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    x: np.ndarray  # [N, H] rows
    r: np.ndarray  # [N] length of the row
    y: np.ndarray  # [N, H] unit vector along the row


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dx: np.ndarray  # [N, H] dL/dx


def forward(x: np.ndarray) -> Values:
    """Forward pass.

    Args:
        x: [N, H] rows.
    """
    (x,) = _checked(x=x)
    # x_sq[n] = sum[h](x[n,h]^2)
    x_sq = (x**2).sum(axis=1)
    # r[n] = sqrt(x_sq[n])
    r = np.sqrt(x_sq)
    # y[n,h] = x[n,h] / r[n]
    y = x / r[:, None]
    return Values(x, r, y)


def backward(values: Values, g: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        g: [N, H] the upstream gradient dL/dy.
    """
    *_, g = _checked(y=values.y, g=g)
    r, y = values.r, values.y
    # s[n] = sum[h](g[n,h] * y[n,h])
    s = np.einsum("nh,nh->n", g, y)
    # dx[n,h] = (g[n,h] - s[n] * y[n,h]) / r[n]
    dx = (g - s[:, None] * y) / r[:, None]
    return Gradients(dx)


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
