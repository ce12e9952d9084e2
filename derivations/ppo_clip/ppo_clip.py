# ruff: noqa: E741, RUF100 (l: as the author wrote)
"""Proximal policy optimisation: the clipped objective (Schulman et al., 2017): forward and
backward pass.

Extents:
    N: actions taken (indices n)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "l": ("N",),
    "q": ("N",),
    "A": ("N",),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    l: np.ndarray  # [N] log-probabilities of the actions under the policy that learns
    # [N] log-probabilities of the actions under the policy that took them
    q: np.ndarray
    A: np.ndarray  # [N] advantages of the actions
    r: np.ndarray  # [N] ratio of the probabilities
    g: np.ndarray  # [N] the most that counts: beyond it the ratio is clipped
    L: np.ndarray  # scalar mean gain, cautiously counted, with a minus sign


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dl: np.ndarray  # [N] dL/dl


def forward(l: np.ndarray, q: np.ndarray, A: np.ndarray, *, eps: float = 0.2) -> Values:
    """Forward pass.

    Args:
        l: [N] log-probabilities of the actions under the policy that learns.
        q: [N] log-probabilities of the actions under the policy that took them.
        A: [N] advantages of the actions.
        eps: how far the ratio of the policies counts.
    """
    l, q, A = _checked(l=l, q=q, A=A)
    N = l.shape[0]
    # r[n] = exp(l[n] - q[n])
    r = np.exp(l - q)
    # g[n] = where(A[n] > 0, (eps + 1) * A[n], (1 - eps) * A[n])
    g = np.where(A > 0.0, (eps + 1) * A, (1 - eps) * A)
    # L = -1/N * sum[n](min(r[n] * A[n], g[n]))
    L = -np.minimum(r * A, g).sum() / N
    return Values(l, q, A, r, g, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    A, r, g = values.A, values.r, values.g
    N = A.shape[0]
    # dl[n] = -1/N * A[n] * where(g[n] - r[n] * A[n] > 0, r[n], 0)
    dl = -A * np.where(g - r * A > 0.0, r, 0.0) / N
    return Gradients(dl)


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
