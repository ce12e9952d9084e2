"""The Hessian of logistic regression: forward and backward pass.

Extents:
    N: examples (indices n)
    F: features (indices f, g)
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
    y: np.ndarray  # [N] labels, 0 or 1
    w: np.ndarray  # [F] weights
    b: np.ndarray  # scalar bias
    z: np.ndarray  # [N] logits
    p: np.ndarray  # [N] probabilities of label 1
    # scalar mean of -y log p - (1 - y) log(1 - p), in a form that is stable
    L: np.ndarray


class Gradients(NamedTuple):
    """The derivatives that were asked for."""

    dw: np.ndarray  # [F] dL/dw
    H: np.ndarray  # [F, F] second derivative of the loss by w and w


def forward(X: np.ndarray, y: np.ndarray, w: np.ndarray, b: np.ndarray) -> Values:
    """Forward pass.

    Args:
        X: [N, F] features.
        y: [N] labels, 0 or 1.
        w: [F] weights.
        b: scalar bias.
    """
    X, y, w, b = _checked(X=X, y=y, w=w, b=b)
    N = X.shape[0]
    # z[n] = sum[f](X[n,f] * w[f]) + b
    z = X @ w + b
    # p[n] = sigmoid(z[n])
    p = _sigmoid(z)
    # L = 1/N * sum[n]((softplus(z[n]) - y[n] * z[n]))
    L = (np.logaddexp(0.0, z) - y * z).sum() / N
    return Values(X, y, w, b, z, p, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    X, y, p = values.X, values.y, values.p
    N = X.shape[0]
    # dw[f] = 1/N * sum[n]((p[n] - y[n]) * X[n,f])
    dw = X.T @ (p - y) / N
    # H_scale[n] = sqrt(p[n]) * sqrt(1 - p[n])
    H_scale = np.sqrt(p) * np.sqrt(1.0 - p)
    # H_root[n,f] = H_scale[n] * X[n,f]
    H_root = H_scale[:, None] * X
    # H[f,g] = 1/N * sum[n](H_root[n,f] * H_root[n,g])
    H = H_root.T @ H_root / N
    return Gradients(dw, H)


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


def _sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x), without overflow for any x."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0.0, 1.0, small) / (1.0 + small)


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {getattr(array, "dtype", None) for array in arrays}
    floats = [dtype for dtype in dtypes if dtype is not None and dtype.kind in "fcO"]
    if len(dtypes) == len(floats) == 1:
        return arrays
    dtype = np.result_type(*floats) if floats else float
    return tuple([np.asarray(array, dtype) for array in arrays])
