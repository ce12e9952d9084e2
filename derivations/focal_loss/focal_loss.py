"""Focal loss: cross-entropy in which easy examples count less: forward and backward pass.

Extents:
    N: examples (indices n)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "x": ("N",),
    "y": ("N",),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    x: np.ndarray  # [N] logits
    y: np.ndarray  # [N] labels, 1 or -1
    p: np.ndarray  # [N] probability of the right label
    L: np.ndarray  # scalar mean of the weighted log losses
    gamma: float  # focus: how fast the weight of easy examples falls


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dx: np.ndarray  # [N] dL/dx


def forward(x: np.ndarray, y: np.ndarray, *, gamma: float = 2) -> Values:
    """Forward pass.

    Args:
        x: [N] logits.
        y: [N] labels, 1 or -1.
        gamma: focus: how fast the weight of easy examples falls.
    """
    x, y = _checked(x=x, y=y)
    N = x.shape[0]
    # p[n] = sigmoid(y[n] * x[n])
    p = _sigmoid(y * x)
    # L = 1/N * sum[n]((1 - p[n])^gamma * softplus(-y[n] * x[n]))
    L = (1.0 - p) ** gamma @ np.logaddexp(0.0, -y * x) / N
    return Values(x, y, p, L, gamma)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    x, y, p, gamma = values.x, values.y, values.p, values.gamma
    N = x.shape[0]
    # dx[n] = -1/N * (1 - p[n])^gamma * y[n] * (gamma * softplus(-y[n] * x[n]) * p[n] +
    #     1 - p[n])
    dx = (
        -((1.0 - p) ** gamma)
        * y
        * (gamma * np.logaddexp(0.0, -y * x) * p + 1.0 - p)
        / N
    )
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
    for extent in NEVER_EMPTY:
        if extent in seen and seen[extent][0] == 0:
            raise ValueError(f"{extent} is 0 in {seen[extent][1]}; 1 is the least")
    return arrays


def _sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x), without overflow for any x."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0.0, 1.0, small) / (1.0 + small)


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {getattr(array, "dtype", None) for array in arrays}
    floats = [dtype for dtype in dtypes if dtype is not None and dtype.kind in "fcO"]
    if len(dtypes) == len(floats) == 1:
        return arrays
    dtype = np.result_type(*floats) if floats else float
    return tuple([np.asarray(array, dtype) for array in arrays])
