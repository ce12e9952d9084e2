"""Discounted returns: forward and backward pass.

Extents:
    N: episodes (indices n)
    T: steps (indices t)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "r": ("N", "T"),
    "R": ("N", "T"),
    "G": ("N", "T"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    r: np.ndarray  # [N, T] rewards
    R: np.ndarray  # [N, T] return from a step on
    gamma: float  # discount


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dr: np.ndarray  # [N, T] dL/dr


def forward(r: np.ndarray, *, gamma: float = 0.99) -> Values:
    """Forward pass.

    Args:
        r: [N, T] rewards.
        gamma: discount.
    """
    (r,) = _checked(r=r)
    N, T = r.shape
    R = np.zeros((N, T), dtype=r.dtype)
    for t in reversed(range(T)):
        # R[n,t] = r[n,t] + gamma * [t+1 < T] * R[n,t+1]
        R[:, t] = r[:, t]
        if t + 1 < T:
            R[:, t] += gamma * R[:, t + 1]
    return Values(r, R, gamma)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, T] the upstream gradient dL/dR.
    """
    *_, G = _checked(R=values.R, G=G)
    gamma = values.gamma
    N, T = G.shape
    dR = np.zeros((N, T), dtype=G.dtype)
    for t in range(T):
        # dR[n,t] = G[n,t] + gamma * dR[n,t-1] * [1 <= t]
        dR[:, t] = G[:, t]
        if 1 <= t:
            dR[:, t] += gamma * dR[:, t - 1]
    # dr[n,t] = dR[n,t]
    dr = dR
    return Gradients(dr)


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
