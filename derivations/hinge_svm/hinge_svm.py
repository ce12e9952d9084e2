"""Support vector machine: hinge loss and penalty: forward and backward pass.

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
    y: np.ndarray  # [N] labels, 1 or -1
    w: np.ndarray  # [F] weights
    b: np.ndarray  # scalar bias
    z: np.ndarray  # [N] scores
    s: np.ndarray  # [N] what each example lacks to the margin
    L: np.ndarray  # scalar mean hinge loss and penalty
    lam: float  # strength of the penalty


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dz: np.ndarray  # [N] dL/dz
    dw: np.ndarray  # [F] dL/dw
    db: np.ndarray  # scalar dL/db


def forward(
    X: np.ndarray, y: np.ndarray, w: np.ndarray, b: np.ndarray, *, lam: float = 0.01
) -> Values:
    """Forward pass.

    Args:
        X: [N, F] features.
        y: [N] labels, 1 or -1.
        w: [F] weights.
        b: scalar bias.
        lam: strength of the penalty.
    """
    X, y, w, b = _checked(X=X, y=y, w=w, b=b)
    N = X.shape[0]
    # z[n] = sum[f](X[n,f] * w[f]) + b
    z = X @ w + b
    # s[n] = 1 - y[n] * z[n]
    s = 1.0 - y * z
    # L = 1/N * sum[n](relu(s[n])) + lam/2 * sum[f](w[f]^2)
    L = np.maximum(s, 0.0).sum() / N + 0.5 * lam * (w**2).sum()
    return Values(X, y, w, b, z, s, L, lam)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    X, y, w, s, lam = values.X, values.y, values.w, values.s, values.lam
    N = X.shape[0]
    # dz[n] = -1/N * step(s[n]) * y[n]
    dz = -np.heaviside(s, 0.0) * y / N
    # dw[f] = sum[n](dz[n] * X[n,f]) + lam * w[f]
    dw = X.T @ dz + lam * w
    # db = sum[n](dz[n])
    db = dz.sum()
    return Gradients(dz, dw, db)


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
            length, other, _ = seen.setdefault(extent, (size, name, place))
            if size != length:
                message = f"axis {place} of {name} has length {size}, but {extent} "
                raise ValueError(message + f"is {length} in {other}")
    for extent in NEVER_EMPTY:
        if extent in seen and seen[extent][0] == 0:
            raise ValueError(f"{extent} is 0 in {seen[extent][1]}; 1 is the least")
    return arrays


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {array.dtype for array in arrays if hasattr(array, "dtype")}
    floating = [dtype for dtype in dtypes if dtype.kind not in "biu"]
    dtype = np.result_type(*floating) if floating else float
    return tuple([np.asarray(array, dtype) for array in arrays])
