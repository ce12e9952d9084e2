"""Marginal likelihood of a Gaussian process: forward and backward pass.

Extents:
    N: observations (indices n, l, m)
    D: dimensions (indices d)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "D"),
    "y": ("N",),
    "a": (),
    "s": (),
    "noise": (),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, D] places
    y: np.ndarray  # [N] observed values
    a: np.ndarray  # scalar variance of the process
    s: np.ndarray  # scalar inverse squared length
    noise: np.ndarray  # scalar variance of the noise
    X_dist: np.ndarray  # [N, N]
    E: np.ndarray  # [N, N] correlations
    K: np.ndarray  # [N, N] covariance of the observations
    alpha: np.ndarray  # [N] weights of the observations
    K_inv: np.ndarray  # [N, N] inverse of K
    L: np.ndarray  # scalar negative log marginal likelihood


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dK: np.ndarray  # [N, N] dL/dK
    da: np.ndarray  # scalar dL/da
    ds: np.ndarray  # scalar dL/ds
    dnoise: np.ndarray  # scalar dL/dnoise
    dy: np.ndarray  # [N] dL/dy


def forward(
    X: np.ndarray, y: np.ndarray, a: np.ndarray, s: np.ndarray, noise: np.ndarray
) -> Values:
    """Forward pass.

    Args:
        X: [N, D] places.
        y: [N] observed values.
        a: scalar variance of the process.
        s: scalar inverse squared length.
        noise: scalar variance of the noise.
    """
    X, y, a, s, noise = _checked(X=X, y=y, a=a, s=s, noise=noise)
    N = X.shape[0]
    # X_dist[n,l] = sum[d]((X[n,d] - X[l,d])^2)
    X_dist = ((X[:, None, :] - X) ** 2).sum(axis=2)
    # E[n,l] = exp(-0.5 * s * X_dist[n,l])
    E = np.exp(-0.5 * s * X_dist)
    # K[n,l] = a * E[n,l] + noise * delta[n,l]
    K = a * E + np.where(np.eye(N, dtype=bool), noise, 0.0)
    # solve alpha[l]: sum[l](K[n,l] * alpha[l]) = y[n]
    alpha = np.linalg.solve(K, y)
    # solve K_inv[l,m]: sum[l](K[n,l] * K_inv[l,m]) = delta[n,m]
    K_inv = np.linalg.inv(K)
    # L = 0.5 * sum[n](y[n] * alpha[n]) + 0.5 * logdet(K) + N*log(2*pi)/2
    L = (
        0.5 * (y @ alpha)
        + 0.5 * np.linalg.slogdet(K)[1]
        + 0.5 * N * float(np.log(2 * np.pi))
    )
    return Values(X, y, a, s, noise, X_dist, E, K, alpha, K_inv, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    a = values.a
    X_dist = values.X_dist
    E = values.E
    alpha = values.alpha
    K_inv = values.K_inv
    # dK[n,l] = 0.5 * (K_inv[n,l] - alpha[n] * alpha[l])
    dK = 0.5 * (K_inv - alpha[:, None] * alpha)
    # da = sum[n,l](dK[n,l] * E[n,l])
    da = np.einsum("nl,nl->", dK, E, optimize=True)
    # dnoise = sum[n](dK[n,n])
    dnoise = np.einsum("nn->n", dK).sum()
    # dy[n] = alpha[n]
    dy = alpha
    # ds = -0.5 * a * sum[n,l](dK[n,l] * E[n,l] * X_dist[n,l])
    ds = -0.5 * np.einsum("nl,nl->", dK * E, X_dist, optimize=True) * a
    return Gradients(dK, da, ds, dnoise, dy)


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
