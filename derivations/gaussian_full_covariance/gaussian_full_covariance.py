"""Gaussian likelihood with a full covariance: forward and backward pass.

Extents:
    N: samples (indices n)
    D: dimensions (indices i, j, k)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "x": ("N", "D"),
    "mu": ("D",),
    "S": ("D", "D"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    x: np.ndarray  # [N, D] samples
    mu: np.ndarray  # [D] mean
    S: np.ndarray  # [D, D] covariance
    u: np.ndarray  # [N, D] deviations
    v: np.ndarray  # [N, D] deviations, multiplied by the inverse covariance
    S_inv: np.ndarray  # [D, D] inverse of S
    L: np.ndarray  # scalar negative log-likelihood


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dmu: np.ndarray  # [D] dL/dmu
    dS: np.ndarray  # [D, D] dL/dS


def forward(x: np.ndarray, mu: np.ndarray, S: np.ndarray) -> Values:
    """Forward pass.

    Args:
        x: [N, D] samples.
        mu: [D] mean.
        S: [D, D] covariance.
    """
    x, mu, S = _checked(x=x, mu=mu, S=S)
    N, D = x.shape
    # u[n,i] = x[n,i] - mu[i]
    u = x - mu
    # solve v[n,j]: sum[j](S[i,j] * v[n,j]) = u[n,i]
    v = np.linalg.solve(S, u.T).T
    # solve S_inv[j,k]: sum[j](S[i,j] * S_inv[j,k]) = delta[i,k]
    S_inv = np.linalg.inv(S)
    # L = 0.5 * sum[n,i](u[n,i] * v[n,i]) + N/2 * logdet(S) + D*N*log(2*pi)/2
    L = (
        0.5 * np.einsum("ni,ni->", u, v, optimize=True)
        + 0.5 * N * np.linalg.slogdet(S)[1]
        + 0.5 * D * N * float(np.log(2 * np.pi))
    )
    return Values(x, mu, S, u, v, S_inv, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    v, S_inv = values.v, values.S_inv
    N = v.shape[0]
    # dS[i,j] = N/2 * S_inv[i,j] - 0.5 * sum[n](v[n,i] * v[n,j])
    dS = 0.5 * N * S_inv - 0.5 * (v.T @ v)
    # dmu[i] = -sum[n](v[n,i])
    dmu = -v.sum(axis=0)
    return Gradients(dmu, dS)


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
