"""Weight normalisation: length and direction of each row apart: forward and backward pass.

Extents:
    M: rows: output features (indices o)
    F: columns: input features (indices f)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "v": ("M", "F"),
    "g": ("M",),
    "w": ("M", "F"),
    "G": ("M", "F"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    v: np.ndarray  # [M, F] directions, of any length
    g: np.ndarray  # [M] lengths
    r: np.ndarray  # [M] length of the direction
    vh: np.ndarray  # [M, F] direction of length one
    w: np.ndarray  # [M, F] weights


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dg: np.ndarray  # [M] dL/dg
    dv: np.ndarray  # [M, F] dL/dv


def forward(v: np.ndarray, g: np.ndarray) -> Values:
    """Forward pass.

    Args:
        v: [M, F] directions, of any length.
        g: [M] lengths.
    """
    v, g = _checked(v=v, g=g)
    # v_sq[o] = sum[f](v[o,f]^2)
    v_sq = (v**2).sum(axis=1)
    # r[o] = sqrt(v_sq[o])
    r = np.sqrt(v_sq)
    # vh[o,f] = v[o,f] / r[o]
    vh = v / r[:, None]
    # w[o,f] = g[o] * vh[o,f]
    w = g[:, None] * vh
    return Values(v, g, r, vh, w)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [M, F] the upstream gradient dL/dw.
    """
    *_, G = _checked(w=values.w, G=G)
    g, r, vh = values.g, values.r, values.vh
    # dg[o] = sum[f](G[o,f] * vh[o,f])
    dg = np.einsum("of,of->o", G, vh)
    # dv[o,f] = g[o] * (G[o,f] - dg[o] * vh[o,f]) / r[o]
    dv = g[:, None] * (G - dg[:, None] * vh) / r[:, None]
    return Gradients(dg, dv)


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
