"""Triplet loss: the anchor nearer to the positive than to the negative, by a margin:
forward and backward pass.

Extents:
    N: triplets (indices n)
    H: features (indices h)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "a": ("N", "H"),
    "p": ("N", "H"),
    "q": ("N", "H"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    a: np.ndarray  # [N, H] anchors
    p: np.ndarray  # [N, H] positives
    q: np.ndarray  # [N, H] negatives
    u: np.ndarray  # [N] squared distances to the positives
    v: np.ndarray  # [N] squared distances to the negatives
    s: np.ndarray  # [N] what each triplet lacks to the margin
    L: np.ndarray  # scalar mean loss


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    ds: np.ndarray  # [N] dL/ds
    da: np.ndarray  # [N, H] dL/da
    dp: np.ndarray  # [N, H] dL/dp
    dq: np.ndarray  # [N, H] dL/dq


def forward(
    a: np.ndarray, p: np.ndarray, q: np.ndarray, *, alpha: float = 0.2
) -> Values:
    """Forward pass.

    Args:
        a: [N, H] anchors.
        p: [N, H] positives.
        q: [N, H] negatives.
        alpha: margin.
    """
    a, p, q = _checked(a=a, p=p, q=q)
    N = a.shape[0]
    # u[n] = sum[h]((a[n,h] - p[n,h])^2)
    u = ((a - p) ** 2).sum(axis=1)
    # v[n] = sum[h]((a[n,h] - q[n,h])^2)
    v = ((a - q) ** 2).sum(axis=1)
    # s[n] = u[n] - v[n] + alpha
    s = u - v + alpha
    # L = 1/N * sum[n](relu(s[n]))
    L = np.maximum(s, 0.0).sum() / N
    return Values(a, p, q, u, v, s, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    a, p, q, s = values.a, values.p, values.q, values.s
    N = a.shape[0]
    # ds[n] = 1/N * step(s[n])
    ds = np.heaviside(s, 0.0) / N
    # dq[n,h] = 2 * ds[n] * (a[n,h] - q[n,h])
    dq = 2 * ds[:, None] * (a - q)
    # da[n,h] = 2 * ds[n] * (q[n,h] - p[n,h])
    da = 2 * ds[:, None] * (q - p)
    # dp[n,h] = -2 * ds[n] * (a[n,h] - p[n,h])
    dp = -2 * ds[:, None] * (a - p)
    return Gradients(ds, da, dp, dq)


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
