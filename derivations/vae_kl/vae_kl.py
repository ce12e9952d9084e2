"""Divergence of a diagonal Gaussian posterior from the standard normal: forward and
backward pass.

Extents:
    N: rows of the batch (indices n)
    Z: latent dimensions (indices z)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "mu": ("N", "Z"),
    "lv": ("N", "Z"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    mu: np.ndarray  # [N, Z] means
    lv: np.ndarray  # [N, Z] log-variances
    L: np.ndarray  # scalar mean divergence


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dmu: np.ndarray  # [N, Z] dL/dmu
    dlv: np.ndarray  # [N, Z] dL/dlv


def forward(mu: np.ndarray, lv: np.ndarray) -> Values:
    """Forward pass.

    Args:
        mu: [N, Z] means.
        lv: [N, Z] log-variances.
    """
    mu, lv = _checked(mu=mu, lv=lv)
    N, Z = mu.shape
    # L = -Z/2 - 1/(2*N) * sum[n,z]((lv[n,z] - mu[n,z]^2 - exp(lv[n,z])))
    L = -0.5 * Z - 0.5 * (lv - mu**2 - np.exp(lv)).sum() / N
    return Values(mu, lv, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    mu, lv = values.mu, values.lv
    N = mu.shape[0]
    # dmu[n,z] = 1/N * mu[n,z]
    dmu = mu / N
    # dlv[n,z] = 1/(2*N) * (exp(lv[n,z]) - 1)
    dlv = 0.5 * (np.exp(lv) - 1.0) / N
    return Gradients(dmu, dlv)


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
