"""Gaussian negative log-likelihood with learned mean and standard deviation: forward and
backward pass.

Extents:
    N: observations (indices n)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "y": ("N",),
    "mu": ("N",),
    "sigma": ("N",),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    y: np.ndarray  # [N] observed values
    mu: np.ndarray  # [N] predicted means
    sigma: np.ndarray  # [N] predicted standard deviations
    u: np.ndarray  # [N] standardised residuals
    L: np.ndarray  # scalar mean negative log-likelihood


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dmu: np.ndarray  # [N] dL/dmu
    dsigma: np.ndarray  # [N] dL/dsigma


def forward(y: np.ndarray, mu: np.ndarray, sigma: np.ndarray) -> Values:
    """Forward pass.

    Args:
        y: [N] observed values.
        mu: [N] predicted means.
        sigma: [N] predicted standard deviations.
    """
    y, mu, sigma = _checked(y=y, mu=mu, sigma=sigma)
    N = y.shape[0]
    # u[n] = (y[n] - mu[n]) / sigma[n]
    u = (y - mu) / sigma
    # L = 1/N * sum[n](log(sigma[n])) + 1/(2*N) * sum[n](u[n]^2) + log(2*pi)/2
    L = (
        np.log(sigma).sum() / N
        + 0.5 * (u**2).sum() / N
        + 0.5 * float(np.log(2 * np.pi))
    )
    return Values(y, mu, sigma, u, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    sigma, u = values.sigma, values.u
    N = sigma.shape[0]
    # dmu[n] = -1/N * u[n] / sigma[n]
    dmu = -u / (sigma * N)
    # dsigma[n] = 1/N * (1 - u[n]^2) / sigma[n]
    dsigma = (1.0 - u**2) / (sigma * N)
    return Gradients(dmu, dsigma)


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
