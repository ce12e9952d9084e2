"""Batch normalisation in training mode: forward and backward pass.

Extents:
    N: rows of the batch (indices n)
    H: features (indices h)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "H"),
    "g": ("H",),
    "b": ("H",),
    "Y": ("N", "H"),
    "G": ("N", "H"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, H] inputs
    g: np.ndarray  # [H] gain
    b: np.ndarray  # [H] bias
    mu: np.ndarray  # [H] mean of the feature over the batch
    var: np.ndarray  # [H] variance of the feature over the batch
    rs: np.ndarray  # [H] reciprocal standard deviation
    xh: np.ndarray  # [N, H] normalised input
    Y: np.ndarray  # [N, H] output


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dX: np.ndarray  # [N, H] dL/dX
    dg: np.ndarray  # [H] dL/dg
    db: np.ndarray  # [H] dL/db


def forward(
    X: np.ndarray, g: np.ndarray, b: np.ndarray, *, eps: float = 1e-05
) -> Values:
    """Forward pass.

    Args:
        X: [N, H] inputs.
        g: [H] gain.
        b: [H] bias.
        eps: keeps the root away from zero.
    """
    X, g, b = _checked(X=X, g=g, b=b)
    N = X.shape[0]
    # mu_rough[h] = 1/N * sum[n](X[n,h])
    mu_rough = X.sum(axis=0) / N
    # X_near[n,h] = X[n,h] - mu_rough[h]
    X_near = X - mu_rough
    # mu_rest[h] = 1/N * sum[n](X_near[n,h])
    mu_rest = X_near.sum(axis=0) / N
    # X_centred[n,h] = X_near[n,h] - mu_rest[h]
    X_centred = X_near - mu_rest
    # mu[h] = mu_rough[h] + mu_rest[h]
    mu = mu_rough + mu_rest
    # var[h] = 1/N * sum[n](X_centred[n,h]^2)
    var = (X_centred**2).sum(axis=0) / N
    # rs[h] = 1 / sqrt(var[h] + eps)
    rs = 1.0 / np.sqrt(var + eps)
    # xh[n,h] = X_centred[n,h] * rs[h]
    xh = X_centred * rs
    # Y[n,h] = g[h] * xh[n,h] + b[h]
    Y = g * xh + b
    return Values(X, g, b, mu, var, rs, xh, Y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, H] the upstream gradient dL/dY.
    """
    *_, G = _checked(Y=values.Y, G=G)
    g, rs, xh = values.g, values.rs, values.xh
    N = G.shape[0]
    # dg[h] = sum[n](G[n,h] * xh[n,h])
    dg = np.einsum("nh,nh->h", G, xh)
    # db[h] = sum[n](G[n,h])
    db = G.sum(axis=0)
    # dX[n,h] = g[h] * rs[h] * (G[n,h] - 1/N * db[h] - 1/N * dg[h] * xh[n,h])
    dX = g * rs * (G - db / N - dg * xh / N)
    return Gradients(dX, dg, db)


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
