"""Poisson regression: counts whose logarithmic mean is linear: forward and backward pass.

Extents:
    N: examples (indices n)
    F: features (indices f)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "F"),
    "y": ("N",),
    "w": ("F",),
    "b": (),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, F] features
    y: np.ndarray  # [N] counts
    w: np.ndarray  # [F] weights
    b: np.ndarray  # scalar bias
    eta: np.ndarray  # [N] logarithm of the mean
    mu: np.ndarray  # [N] mean
    L: np.ndarray  # scalar mean negative log-likelihood, without log y!


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    deta: np.ndarray  # [N] dL/deta
    dw: np.ndarray  # [F] dL/dw
    db: np.ndarray  # scalar dL/db
    dX: np.ndarray  # [N, F] dL/dX


def forward(X: np.ndarray, y: np.ndarray, w: np.ndarray, b: np.ndarray) -> Values:
    """Forward pass.

    Args:
        X: [N, F] features.
        y: [N] counts.
        w: [F] weights.
        b: scalar bias.
    """
    X, y, w, b = _checked(X=X, y=y, w=w, b=b)
    N = X.shape[0]
    # eta[n] = sum[f](X[n,f] * w[f]) + b
    eta = X @ w + b
    # mu[n] = exp(eta[n])
    mu = np.exp(eta)
    # L = 1/N * sum[n]((mu[n] - y[n] * eta[n]))
    L = (mu - y * eta).sum() / N
    return Values(X, y, w, b, eta, mu, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    X, y, w, mu = values.X, values.y, values.w, values.mu
    N = X.shape[0]
    # deta[n] = 1/N * (mu[n] - y[n])
    deta = (mu - y) / N
    # dw[f] = sum[n](deta[n] * X[n,f])
    dw = X.T @ deta
    # db = sum[n](deta[n])
    db = deta.sum()
    # dX[n,f] = deta[n] * w[f]
    dX = deta[:, None] * w
    return Gradients(deta, dw, db, dX)


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
