"""Softmax over rows: forward and backward pass.

Extents:
    N: rows of the batch (indices n)
    C: classes (indices c, l)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "z": ("N", "C"),
    "p": ("N", "C"),
    "g": ("N", "C"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("C",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    z: np.ndarray  # [N, C] logits
    p: np.ndarray  # [N, C] probabilities


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dz: np.ndarray  # [N, C] dL/dz


def forward(z: np.ndarray) -> Values:
    """Forward pass.

    Args:
        z: [N, C] logits.
    """
    (z,) = _checked(z=z)
    # z_max[n] = max[l](z[n,l])
    z_max = z.max(axis=1)
    # exp_z[n,l] = exp(z[n,l] - z_max[n])
    exp_z = np.exp(z - z_max[:, None])
    # Z[n] = sum[l](exp_z[n,l])
    Z = exp_z.sum(axis=1)
    # p[n,c] = exp_z[n,c] / Z[n]
    p = exp_z / Z[:, None]
    return Values(z, p)


def backward(values: Values, g: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        g: [N, C] the upstream gradient dL/dp.
    """
    *_, g = _checked(p=values.p, g=g)
    p = values.p
    # r[n] = sum[c](g[n,c] * p[n,c])
    r = np.einsum("nc,nc->n", g, p)
    # dz[n,c] = p[n,c] * (g[n,c] - r[n])
    dz = p * (g - r[:, None])
    return Gradients(dz)


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
