# ruff: noqa: E741, RUF100 (I: as the author wrote)
"""Soft Dice loss of segmentations: forward and backward pass.

Extents:
    N: images (indices n)
    P: pixels (indices i)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "z": ("N", "P"),
    "y": ("N", "P"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    z: np.ndarray  # [N, P] logits
    y: np.ndarray  # [N, P] masks: 1 on the object, else 0
    p: np.ndarray  # [N, P] probability of the object
    I: np.ndarray  # [N] overlap of both regions
    Den: np.ndarray  # [N] sizes of both regions
    D: np.ndarray  # [N] Dice coefficient: twice the overlap over both sizes
    L: np.ndarray  # scalar mean loss


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dp: np.ndarray  # [N, P] dL/dp
    dz: np.ndarray  # [N, P] dL/dz


def forward(z: np.ndarray, y: np.ndarray, *, eps: float = 1) -> Values:
    """Forward pass.

    Args:
        z: [N, P] logits.
        y: [N, P] masks: 1 on the object, else 0.
        eps: keeps the quotient away from 0/0.
    """
    z, y = _checked(z=z, y=y)
    N = z.shape[0]
    # p[n,i] = sigmoid(z[n,i])
    p = _sigmoid(z)
    # I[n] = sum[i](p[n,i] * y[n,i])
    I = np.einsum("ni,ni->n", p, y)
    # Den[n] = sum[i](p[n,i]) + sum[i](y[n,i]) + eps
    Den = p.sum(axis=1) + y.sum(axis=1) + eps
    # D[n] = (2 * I[n] + eps) / Den[n]
    D = (2 * I + eps) / Den
    # L = 1 - 1/N * sum[n](D[n])
    L = 1.0 - D.sum() / N
    return Values(z, y, p, I, Den, D, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    y, p, Den, D = values.y, values.p, values.Den, values.D
    N = y.shape[0]
    # dp[n,i] = 1/N * (D[n] - 2 * y[n,i]) / Den[n]
    dp = (D[:, None] - 2 * y) / (Den[:, None] * N)
    # dz[n,i] = dp[n,i] * p[n,i] * (1 - p[n,i])
    dz = dp * p * (1.0 - p)
    return Gradients(dp, dz)


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


def _sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x), without overflow for any x."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0.0, 1.0, small) / (1.0 + small)


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {array.dtype for array in arrays if hasattr(array, "dtype")}
    floating = [dtype for dtype in dtypes if dtype.kind not in "biu"]
    dtype = np.result_type(*floating) if floating else float
    return tuple([np.asarray(array, dtype) for array in arrays])
