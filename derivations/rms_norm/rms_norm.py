"""RMS normalisation with gain: forward and backward pass.

Extents:
    N: rows of the batch (indices n)
    H: features (indices h)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "H"),
    "g": ("H",),
    "Y": ("N", "H"),
    "G": ("N", "H"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("H",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, H] inputs
    g: np.ndarray  # [H] gain
    rms: np.ndarray  # [N] root mean square of the row
    xh: np.ndarray  # [N, H] normalised input
    Y: np.ndarray  # [N, H] output


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dX: np.ndarray  # [N, H] dL/dX
    dg: np.ndarray  # [H] dL/dg


def forward(X: np.ndarray, g: np.ndarray, *, eps: float = 1e-06) -> Values:
    """Forward pass.

    Args:
        X: [N, H] inputs.
        g: [H] gain.
        eps: keeps the root away from zero.
    """
    X, g = _checked(X=X, g=g)
    H = X.shape[1]
    # X_ms[n] = 1/H * sum[h](X[n,h]^2)
    X_ms = (X**2).sum(axis=1) / H
    # rms[n] = sqrt(X_ms[n] + eps)
    rms = np.sqrt(X_ms + eps)
    # xh[n,h] = X[n,h] / rms[n]
    xh = X / rms[:, None]
    # Y[n,h] = g[h] * xh[n,h]
    Y = g * xh
    return Values(X, g, rms, xh, Y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, H] the upstream gradient dL/dY.
    """
    *_, G = _checked(Y=values.Y, G=G)
    g, rms, xh = values.g, values.rms, values.xh
    H = G.shape[1]
    # dg[h] = sum[n](G[n,h] * xh[n,h])
    dg = np.einsum("nh,nh->h", G, xh)
    # dxh[n,h] = G[n,h] * g[h]
    dxh = G * g
    # r[n] = 1/H * sum[h](dxh[n,h] * xh[n,h])
    r = np.einsum("nh,nh->n", dxh, xh) / H
    # dX[n,h] = (dxh[n,h] - r[n] * xh[n,h]) / rms[n]
    dX = (dxh - r[:, None] * xh) / rms[:, None]
    return Gradients(dX, dg)


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
