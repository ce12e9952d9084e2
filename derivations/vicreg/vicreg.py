"""VICReg: variance, invariance and covariance of two views: forward and backward pass.

Extents:
    N: samples of the batch (indices n)
    D: features (indices i, j)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "D"),
    "Y": ("N", "D"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N", "D")
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, D] embeddings of the first view
    Y: np.ndarray  # [N, D] embeddings of the second view
    xc: np.ndarray  # [N, D] first view, centred
    yc: np.ndarray  # [N, D] second view, centred
    C: np.ndarray  # [D, D] covariance of the features, first view
    E: np.ndarray  # [D, D] covariance of the features, second view
    s: np.ndarray  # [D] standard deviations, first view
    t: np.ndarray  # [D] standard deviations, second view
    inv: np.ndarray  # scalar invariance: distance of the views
    var: np.ndarray  # scalar variance: what the features lack to gamma
    cov: np.ndarray  # scalar covariance: what the features share
    L: np.ndarray  # scalar loss
    lam: float  # weight of the invariance
    mu: float  # weight of the variance
    nu: float  # weight of the covariance
    gamma: float  # standard deviation that each feature should reach


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dC: np.ndarray  # [D, D] dL/dC
    dE: np.ndarray  # [D, D] dL/dE
    dX: np.ndarray  # [N, D] dL/dX
    dY: np.ndarray  # [N, D] dL/dY


def forward(
    X: np.ndarray,
    Y: np.ndarray,
    *,
    lam: float = 25,
    mu: float = 25,
    nu: float = 1,
    gamma: float = 1,
    eps: float = 0.0001,
) -> Values:
    """Forward pass.

    Args:
        X: [N, D] embeddings of the first view.
        Y: [N, D] embeddings of the second view.
        lam: weight of the invariance.
        mu: weight of the variance.
        nu: weight of the covariance.
        gamma: standard deviation that each feature should reach.
        eps: keeps the root away from zero.
    """
    X, Y = _checked(X=X, Y=Y)
    N, D = X.shape
    # X_mean_rough[i] = 1/N * sum[n](X[n,i])
    X_mean_rough = X.sum(axis=0) / N
    # X_near[n,i] = X[n,i] - X_mean_rough[i]
    X_near = X - X_mean_rough
    # X_mean_rest[i] = 1/N * sum[n](X_near[n,i])
    X_mean_rest = X_near.sum(axis=0) / N
    # X_centred[n,i] = X_near[n,i] - X_mean_rest[i]
    X_centred = X_near - X_mean_rest
    # xc[n,i] = X_centred[n,i]
    xc = X_centred
    # Y_mean_rough[i] = 1/N * sum[n](Y[n,i])
    Y_mean_rough = Y.sum(axis=0) / N
    # Y_near[n,i] = Y[n,i] - Y_mean_rough[i]
    Y_near = Y - Y_mean_rough
    # Y_mean_rest[i] = 1/N * sum[n](Y_near[n,i])
    Y_mean_rest = Y_near.sum(axis=0) / N
    # Y_centred[n,i] = Y_near[n,i] - Y_mean_rest[i]
    Y_centred = Y_near - Y_mean_rest
    # yc[n,i] = Y_centred[n,i]
    yc = Y_centred
    # C[i,j] = 1/(N - 1) * sum[n](xc[n,i] * xc[n,j])
    C = xc.T @ xc / (N - 1)
    # E[i,j] = 1/(N - 1) * sum[n](yc[n,i] * yc[n,j])
    E = yc.T @ yc / (N - 1)
    # s[i] = sqrt(C[i,i] + eps)
    s = np.sqrt(np.einsum("ii->i", C) + eps)
    # t[i] = sqrt(E[i,i] + eps)
    t = np.sqrt(np.einsum("ii->i", E) + eps)
    # inv = 1/N * sum[n,i]((X[n,i] - Y[n,i])^2)
    inv = ((X - Y) ** 2).sum() / N
    # var = 1/D * sum[i](relu(gamma - s[i])) + 1/D * sum[i](relu(gamma - t[i]))
    var = np.maximum(gamma - s, 0.0).sum() / D + np.maximum(gamma - t, 0.0).sum() / D
    # cov = 1/D * sum[i,j]([i != j] * (C[i,j]^2 + E[i,j]^2))
    cov = np.where(~np.eye(D, dtype=bool), C**2 + E**2, 0.0).sum() / D
    # L = lam * inv + mu * var + nu * cov
    L = lam * inv + mu * var + nu * cov
    return Values(X, Y, xc, yc, C, E, s, t, inv, var, cov, L, lam, mu, nu, gamma)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    X = values.X
    Y = values.Y
    xc = values.xc
    yc = values.yc
    C = values.C
    E = values.E
    s = values.s
    t = values.t
    lam = values.lam
    mu = values.mu
    nu = values.nu
    gamma = values.gamma
    N, D = X.shape
    mask = np.eye(D, dtype=bool)
    # dE[i,j] = 2*nu/D * [i != j] * E[i,j] - mu/(2*D) * step(gamma - t[i]) * delta[i,j]
    #     / t[i]
    dE = np.where(~mask, 2 * nu * E / D, 0.0) - np.where(
        mask, (0.5 * mu * np.heaviside(gamma - t, 0.0) / (t * D))[:, None], 0.0
    )
    # dC[i,j] = 2*nu/D * [i != j] * C[i,j] - mu/(2*D) * step(gamma - s[i]) * delta[i,j]
    #     / s[i]
    dC = np.where(~mask, 2 * nu * C / D, 0.0) - np.where(
        mask, (0.5 * mu * np.heaviside(gamma - s, 0.0) / (s * D))[:, None], 0.0
    )
    # dY[n,i] = 2/(N - 1) * sum[j](dE[i,j] * yc[n,j]) - 2*lam/N * (X[n,i] - Y[n,i])
    dY = 2 * (yc @ dE.T) / (N - 1) - 2 * lam * (X - Y) / N
    # dX[n,i] = 2/(N - 1) * sum[j](dC[i,j] * xc[n,j]) + 2*lam/N * (X[n,i] - Y[n,i])
    dX = 2 * (xc @ dC.T) / (N - 1) + 2 * lam * (X - Y) / N
    return Gradients(dC, dE, dX, dY)


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
