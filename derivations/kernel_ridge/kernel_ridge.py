"""Kernel ridge regression with a Gaussian kernel: forward and backward pass.

Extents:
    N: training points (indices n, l)
    D: dimensions (indices d)
    M: test points (indices m)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "D"),
    "y": ("N",),
    "Z": ("M", "D"),
    "s": (),
    "ridge": (),
    "f": ("M",),
    "G": ("M",),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, D] training points
    y: np.ndarray  # [N] training targets
    Z: np.ndarray  # [M, D] test points
    s: np.ndarray  # scalar inverse squared length
    ridge: np.ndarray  # scalar strength of the penalty
    X_dist: np.ndarray  # [N, N]
    K: np.ndarray  # [N, N] kernel between training points
    a: np.ndarray  # [N] coefficients
    dist: np.ndarray  # [M, N]
    k: np.ndarray  # [M, N] kernel between test and training points
    f: np.ndarray  # [M] predictions


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dy: np.ndarray  # [N] dL/dy
    dridge: np.ndarray  # scalar dL/dridge
    ds: np.ndarray  # scalar dL/ds
    dZ: np.ndarray  # [M, D] dL/dZ


def forward(
    X: np.ndarray, y: np.ndarray, Z: np.ndarray, s: np.ndarray, ridge: np.ndarray
) -> Values:
    """Forward pass.

    Args:
        X: [N, D] training points.
        y: [N] training targets.
        Z: [M, D] test points.
        s: scalar inverse squared length.
        ridge: scalar strength of the penalty.
    """
    X, y, Z, s, ridge = _checked(X=X, y=y, Z=Z, s=s, ridge=ridge)
    N = X.shape[0]
    # X_dist[n,l] = sum[d]((X[n,d] - X[l,d])^2)
    X_dist = ((X[:, None, :] - X) ** 2).sum(axis=2)
    # K[n,l] = exp(-0.5 * s * X_dist[n,l])
    K = np.exp(-0.5 * s * X_dist)
    # a_matrix[n,l] = K[n,l] + ridge * delta[n,l]
    a_matrix = K + np.where(np.eye(N, dtype=bool), ridge, 0.0)
    # solve a[l]: sum[l](K[n,l] * a[l]) + ridge * a[n] = y[n]
    a = np.linalg.solve(a_matrix, y)
    # dist[m,n] = sum[d]((Z[m,d] - X[n,d])^2)
    dist = ((Z[:, None, :] - X) ** 2).sum(axis=2)
    # k[m,n] = exp(-0.5 * s * dist[m,n])
    k = np.exp(-0.5 * s * dist)
    # f[m] = sum[n](k[m,n] * a[n])
    f = k @ a
    return Values(X, y, Z, s, ridge, X_dist, K, a, dist, k, f)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [M] the upstream gradient dL/df.
    """
    *_, G = _checked(f=values.f, G=G)
    X = values.X
    Z = values.Z
    s = values.s
    ridge = values.ridge
    X_dist = values.X_dist
    K = values.K
    a = values.a
    dist = values.dist
    k = values.k
    N = X.shape[0]
    # dk[m,n] = G[m] * a[n]
    dk = G[:, None] * a
    # dZ[m,d] = -s * sum[n](dk[m,n] * k[m,n] * (Z[m,d] - X[n,d]))
    dZ = -np.einsum("mn,mdn->md", dk * k, Z[..., None] - X.T, optimize=True) * s
    # lam_matrix[l,n] = K[l,n] + delta[l,n] * ridge
    lam_matrix = K + np.where(np.eye(N, dtype=bool), ridge, 0.0)
    # lam_right[l] = sum[m](G[m] * k[m,l])
    lam_right = k.T @ G
    # solve lam[n]: sum[n](lam[n] * K[l,n]) + lam[l] * ridge = sum[m](G[m] * k[m,l])
    lam = np.linalg.solve(lam_matrix, lam_right)
    # dy[n] = lam[n]
    dy = lam
    # dridge = -sum[n](lam[n] * a[n])
    dridge = -(lam @ a)
    # dK[n,l] = -lam[n] * a[l]
    dK = -lam[:, None] * a
    # ds = -0.5 * sum[n,l](dK[n,l] * K[n,l] * X_dist[n,l]) - 0.5 * sum[m,n](dk[m,n] *
    #     k[m,n] * dist[m,n])
    part = -0.5 * np.einsum("nl,nl->", dK * K, X_dist, optimize=True)
    ds = part - 0.5 * np.einsum("mn,mn->", dk * k, dist, optimize=True)
    return Gradients(dy, dridge, ds, dZ)


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
