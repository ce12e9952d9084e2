"""Ising model in mean field: the free energy of the magnetisations: forward and backward
pass.

Extents:
    N: spins (indices i, j)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "m": ("N",),
    "J": ("N", "N"),
    "h": ("N",),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    m: np.ndarray  # [N] magnetisations
    J: np.ndarray  # [N, N] couplings
    h: np.ndarray  # [N] fields
    U: np.ndarray  # scalar energy
    S: np.ndarray  # scalar entropy
    F: np.ndarray  # scalar free energy at temperature 1


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dm: np.ndarray  # [N] dL/dm


def forward(m: np.ndarray, J: np.ndarray, h: np.ndarray) -> Values:
    """Forward pass.

    Args:
        m: [N] magnetisations.
        J: [N, N] couplings.
        h: [N] fields.
    """
    m, J, h = _checked(m=m, J=J, h=h)
    # U = -0.5 * sum[i,j](J[i,j] * m[i] * m[j]) - sum[i](h[i] * m[i])
    U = -0.5 * (J.T @ m @ m) - h @ m
    # S = -0.5 * sum[i]((1 + m[i]) * log(0.5 * (1 + m[i]))) - 0.5 * sum[i]((1 - m[i]) *
    #     log(0.5 * (1 - m[i])))
    part = -0.5 * ((1.0 + m) @ np.log(0.5 * (1.0 + m)))
    S = part - 0.5 * ((1.0 - m) @ np.log(0.5 * (1.0 - m)))
    # F = U - S
    F = U - S
    return Values(m, J, h, U, S, F)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    m, J, h = values.m, values.J, values.h
    # dm[i] = -sum[j](J[i,j] * m[j]) - h[i] - 0.5 * (log(0.5 * (1 - m[i])) - log(0.5 *
    #     (1 + m[i])))
    dm = -(J @ m) - h - 0.5 * (np.log(0.5 * (1.0 - m)) - np.log(0.5 * (1.0 + m)))
    return Gradients(dm)


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
