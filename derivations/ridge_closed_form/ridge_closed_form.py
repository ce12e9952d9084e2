"""Ridge regression in closed form, and the gradient of its error on other data: forward
and backward pass.

Extents:
    N: training examples (indices n)
    F: features (indices f, g)
    M: validation examples (indices m)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "F"),
    "y": ("N",),
    "V": ("M", "F"),
    "t": ("M",),
    "alpha": (),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("M",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, F] training features
    y: np.ndarray  # [N] training targets
    V: np.ndarray  # [M, F] validation features
    t: np.ndarray  # [M] validation targets
    alpha: np.ndarray  # scalar strength of the penalty
    A: np.ndarray  # [F, F] second moments of the features, with the penalty
    c: np.ndarray  # [F] moments of features and targets
    w: np.ndarray  # [F] weights
    e: np.ndarray  # [M] residuals on validation data
    L: np.ndarray  # scalar mean squared error on validation data


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dw: np.ndarray  # [F] dL/dw
    dalpha: np.ndarray  # scalar dL/dalpha
    dy: np.ndarray  # [N] dL/dy
    dX: np.ndarray  # [N, F] dL/dX


def forward(
    X: np.ndarray, y: np.ndarray, V: np.ndarray, t: np.ndarray, alpha: np.ndarray
) -> Values:
    """Forward pass.

    Args:
        X: [N, F] training features.
        y: [N] training targets.
        V: [M, F] validation features.
        t: [M] validation targets.
        alpha: scalar strength of the penalty.
    """
    X, y, V, t, alpha = _checked(X=X, y=y, V=V, t=t, alpha=alpha)
    F = X.shape[1]
    M = V.shape[0]
    # A[f,g] = sum[n](X[n,f] * X[n,g]) + alpha * delta[f,g]
    A = X.T @ X + np.where(np.eye(F, dtype=bool), alpha, 0.0)
    # c[f] = sum[n](X[n,f] * y[n])
    c = X.T @ y
    # solve w[g]: sum[g](A[f,g] * w[g]) = c[f]
    w = np.linalg.solve(A, c)
    # e[m] = sum[f](V[m,f] * w[f]) - t[m]
    e = V @ w - t
    # L = 1/(2*M) * sum[m](e[m]^2)
    L = 0.5 * (e**2).sum() / M
    return Values(X, y, V, t, alpha, A, c, w, e, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    X, y, V, A, w, e = values.X, values.y, values.V, values.A, values.w, values.e
    M = V.shape[0]
    # dw[g] = 1/M * sum[m](e[m] * V[m,g])
    dw = V.T @ e / M
    # solve lam[f]: sum[f](lam[f] * A[g,f]) = dw[g]
    lam = np.linalg.solve(A, dw)
    # dy[n] = sum[f](lam[f] * X[n,f])
    dy = X @ lam
    # dalpha = -sum[f](lam[f] * w[f])
    dalpha = -(lam @ w)
    # r[n] = sum[g](w[g] * X[n,g])
    r = X @ w
    # dX[n,f] = lam[f] * (y[n] - r[n]) - dy[n] * w[f]
    dX = lam * (y - r)[:, None] - dy[:, None] * w
    return Gradients(dw, dalpha, dy, dX)


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
