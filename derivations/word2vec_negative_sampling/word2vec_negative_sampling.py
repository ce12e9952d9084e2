"""Word vectors by negative sampling: forward and backward pass.

Extents:
    B: examples (indices b)
    D: dimension of the vectors (indices m)
    K: negative samples of an example (indices k)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "v": ("B", "D"),
    "u": ("B", "D"),
    "w": ("B", "K", "D"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("B",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    v: np.ndarray  # [B, D] vectors of the centre words
    u: np.ndarray  # [B, D] vectors of the context words
    w: np.ndarray  # [B, K, D] vectors of the negative samples
    s: np.ndarray  # [B] score of the context word
    t: np.ndarray  # [B, K] scores of the negative samples
    p: np.ndarray  # [B] probability that the context word is taken for noise
    q: np.ndarray  # [B, K] probability that a negative sample is taken for real
    # scalar mean of -log(1 - p) and of -log(1 - q), in a form that is stable
    L: np.ndarray


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    ds: np.ndarray  # [B] dL/ds
    dt: np.ndarray  # [B, K] dL/dt
    dv: np.ndarray  # [B, D] dL/dv
    du: np.ndarray  # [B, D] dL/du
    dw: np.ndarray  # [B, K, D] dL/dw


def forward(v: np.ndarray, u: np.ndarray, w: np.ndarray) -> Values:
    """Forward pass.

    Args:
        v: [B, D] vectors of the centre words.
        u: [B, D] vectors of the context words.
        w: [B, K, D] vectors of the negative samples.
    """
    v, u, w = _checked(v=v, u=u, w=w)
    B = v.shape[0]
    # s[b] = sum[m](u[b,m] * v[b,m])
    s = np.einsum("bm,bm->b", u, v)
    # t[b,k] = sum[m](w[b,k,m] * v[b,m])
    t = np.einsum("bkm,bm->bk", w, v, optimize=True)
    # p[b] = sigmoid(-s[b])
    p = _sigmoid(-s)
    # q[b,k] = sigmoid(t[b,k])
    q = _sigmoid(t)
    # L = 1/B * sum[b](softplus(-s[b])) + 1/B * sum[b,k](softplus(t[b,k]))
    L = np.logaddexp(0.0, -s).sum() / B + np.logaddexp(0.0, t).sum() / B
    return Values(v, u, w, s, t, p, q, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    v, u, w, p, q = values.v, values.u, values.w, values.p, values.q
    B = v.shape[0]
    # ds[b] = -1/B * p[b]
    ds = -p / B
    # dt[b,k] = 1/B * q[b,k]
    dt = q / B
    # dv[b,m] = ds[b] * u[b,m] + sum[k](dt[b,k] * w[b,k,m])
    dv = ds[:, None] * u + np.einsum("bk,bkm->bm", dt, w, optimize=True)
    # du[b,m] = ds[b] * v[b,m]
    du = ds[:, None] * v
    # dw[b,k,m] = dt[b,k] * v[b,m]
    dw = dt[..., None] * v[:, None, :]
    return Gradients(ds, dt, dv, du, dw)


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
