"""Direct preference optimisation: pairwise logistic loss of log-probability margins:
forward and backward pass.

Extents:
    N: pairs of answers (indices n)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "lw": ("N",),
    "ll": ("N",),
    "rw": ("N",),
    "rl": ("N",),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    lw: np.ndarray  # [N] log-probability of the preferred answer
    ll: np.ndarray  # [N] log-probability of the other answer
    rw: np.ndarray  # [N] the reference model's, preferred answer
    rl: np.ndarray  # [N] the reference model's, other answer
    h: np.ndarray  # [N] margin of the implied rewards
    w: np.ndarray  # [N] probability of the wrong preference
    L: np.ndarray  # scalar mean of -log sigmoid(h), in a form that is stable
    beta: float  # strength of the tie to the reference model


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dh: np.ndarray  # [N] dL/dh
    dlw: np.ndarray  # [N] dL/dlw
    dll: np.ndarray  # [N] dL/dll


def forward(
    lw: np.ndarray, ll: np.ndarray, rw: np.ndarray, rl: np.ndarray, *, beta: float = 0.1
) -> Values:
    """Forward pass.

    Args:
        lw: [N] log-probability of the preferred answer.
        ll: [N] log-probability of the other answer.
        rw: [N] the reference model's, preferred answer.
        rl: [N] the reference model's, other answer.
        beta: strength of the tie to the reference model.
    """
    lw, ll, rw, rl = _checked(lw=lw, ll=ll, rw=rw, rl=rl)
    N = lw.shape[0]
    # h[n] = beta * (lw[n] - rw[n] - ll[n] + rl[n])
    h = beta * (lw - rw - ll + rl)
    # w[n] = sigmoid(-h[n])
    w = _sigmoid(-h)
    # L = 1/N * sum[n](softplus(-h[n]))
    L = np.logaddexp(0.0, -h).sum() / N
    return Values(lw, ll, rw, rl, h, w, L, beta)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    w, beta = values.w, values.beta
    N = w.shape[0]
    # dh[n] = -1/N * w[n]
    dh = -w / N
    # dlw[n] = beta * dh[n]
    dlw = beta * dh
    # dll[n] = -beta * dh[n]
    dll = -beta * dh
    return Gradients(dh, dlw, dll)


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
