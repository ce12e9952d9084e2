"""The Gauss-Newton matrix of nonlinear least squares: forward and backward pass.

Extents:
    N: observations (indices n)
    F: features (indices f, g)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "F"),
    "y": ("N",),
    "w": ("F",),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, F] features
    y: np.ndarray  # [N] observed values
    w: np.ndarray  # [F] weights
    z: np.ndarray  # [N] linear predictor
    q: np.ndarray  # [N] predicted values
    r: np.ndarray  # [N] residuals
    L: np.ndarray  # scalar half the sum of squares


class Gradients(NamedTuple):
    """The derivatives that were asked for."""

    dw: np.ndarray  # [F] dL/dw
    # [F, F] Gauss-Newton part of the second derivative of the loss by w and w, through
    #     r
    GN: np.ndarray


def forward(X: np.ndarray, y: np.ndarray, w: np.ndarray) -> Values:
    """Forward pass.

    Args:
        X: [N, F] features.
        y: [N] observed values.
        w: [F] weights.
    """
    X, y, w = _checked(X=X, y=y, w=w)
    # z[n] = sum[f](X[n,f] * w[f])
    z = X @ w
    # q[n] = tanh(z[n])
    q = np.tanh(z)
    # r[n] = q[n] - y[n]
    r = q - y
    # L = 0.5 * sum[n](r[n]^2)
    L = 0.5 * (r**2).sum()
    return Values(X, y, w, z, q, r, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    X, q, r = values.X, values.q, values.r
    # dr[n] = r[n]
    dr = r
    # dz[n] = dr[n] * (1 - q[n]^2)
    dz = dr * (1.0 - q**2)
    # dw[f] = sum[n](dz[n] * X[n,f])
    dw = X.T @ dz
    # GN_root[n,f] = (1 - q[n]^2) * X[n,f]
    GN_root = (1.0 - q**2)[:, None] * X
    # GN[f,g] = sum[n](GN_root[n,f] * GN_root[n,g])
    GN = GN_root.T @ GN_root
    return Gradients(dw, GN)


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
