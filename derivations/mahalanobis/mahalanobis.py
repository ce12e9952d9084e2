"""Mahalanobis distance: forward and backward pass.

Extents:
    N: points (indices n)
    D: dimensions (indices i, j)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "x": ("N", "D"),
    "mu": ("D",),
    "S": ("D", "D"),
    "q": ("N",),
    "G": ("N",),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    x: np.ndarray  # [N, D] points
    mu: np.ndarray  # [D] mean
    S: np.ndarray  # [D, D] covariance
    u: np.ndarray  # [N, D] deviations
    v: np.ndarray  # [N, D] deviations, multiplied by the inverse covariance
    q: np.ndarray  # [N] squared distances


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dx: np.ndarray  # [N, D] dL/dx
    dmu: np.ndarray  # [D] dL/dmu
    dS: np.ndarray  # [D, D] dL/dS


def forward(x: np.ndarray, mu: np.ndarray, S: np.ndarray) -> Values:
    """Forward pass.

    Args:
        x: [N, D] points.
        mu: [D] mean.
        S: [D, D] covariance.
    """
    x, mu, S = _checked(x=x, mu=mu, S=S)
    # u[n,i] = x[n,i] - mu[i]
    u = x - mu
    # solve v[n,j]: sum[j](S[i,j] * v[n,j]) = u[n,i]
    v = np.linalg.solve(S, u.T).T
    # q[n] = sum[i](u[n,i] * v[n,i])
    q = np.einsum("ni,ni->n", u, v)
    return Values(x, mu, S, u, v, q)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N] the upstream gradient dL/dq.
    """
    *_, G = _checked(q=values.q, G=G)
    v = values.v
    # lam[n,i] = G[n] * v[n,i]
    lam = G[:, None] * v
    # dS[i,j] = -sum[n](lam[n,i] * v[n,j])
    dS = -(lam.T @ v)
    # dx[n,i] = 2 * lam[n,i]
    dx = 2 * lam
    # dmu[i] = -2 * sum[n](lam[n,i])
    dmu = -2 * lam.sum(axis=0)
    return Gradients(dx, dmu, dS)


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
