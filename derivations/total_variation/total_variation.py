"""Total variation, smoothed: forward and backward pass.

Extents:
    N: rows (indices n)
    M: columns (indices m)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "x": ("N", "M"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    x: np.ndarray  # [N, M] image
    dv: np.ndarray  # [N - 1, M - 1] differences down
    dh: np.ndarray  # [N - 1, M - 1] differences to the right
    t: np.ndarray  # [N - 1, M - 1] the length of the gradient of the image
    L: np.ndarray  # scalar the loss


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dx: np.ndarray  # [N, M] dL/dx


def forward(x: np.ndarray, *, eps: float = 0.001) -> Values:
    """Forward pass.

    Args:
        x: [N, M] image.
        eps: keeps the root away from zero.
    """
    (x,) = _checked(x=x)
    N, M = x.shape
    # x_win[i,j] = x[i+1,j]
    x_win = _windows(x, (0, 1, (1, N - 1)), (1, 0, (1, M - 1)))
    # x_win_2[i,j] = x[i,j]
    x_win_2 = _windows(x, (0, 0, (1, N - 1)), (1, 0, (1, M - 1)))
    # dv[i,j] = x_win[i,j] - x_win_2[i,j]
    dv = x_win - x_win_2
    # x_win_3[i,j] = x[i,j+1]
    x_win_3 = _windows(x, (0, 0, (1, N - 1)), (1, 1, (1, M - 1)))
    # dh[i,j] = x_win_3[i,j] - x_win_2[i,j]
    dh = x_win_3 - x_win_2
    # t[i,j] = sqrt(dv[i,j]^2 + dh[i,j]^2 + eps)
    t = np.sqrt(dv**2 + dh**2 + eps)
    # L = sum[i,j](t[i,j])
    L = t.sum()
    return Values(x, dv, dh, t, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    dv, dh, t = values.dv, values.dh, values.t
    N, M = values.x.shape
    # ddh[i,j] = dh[i,j] / t[i,j]
    ddh = dh / t
    # ddv[i,j] = dv[i,j] / t[i,j]
    ddv = dv / t
    # ddv_win[n,m] = ddv[n-1,m]
    ddv_win = _windows(ddv, (0, -1, (1, N)), (1, 0, (1, M)))
    # ddv_win_2[n,m] = ddv[n,m]
    ddv_win_2 = _windows(ddv, (0, 0, (1, N)), (1, 0, (1, M)))
    # ddh_win[n,m] = ddh[n,m-1]
    ddh_win = _windows(ddh, (0, 0, (1, N)), (1, -1, (1, M)))
    # ddh_win_2[n,m] = ddh[n,m]
    ddh_win_2 = _windows(ddh, (0, 0, (1, N)), (1, 0, (1, M)))
    # dx[n,m] = ddv_win[n,m] - ddv_win_2[n,m] + ddh_win[n,m] - ddh_win_2[n,m]
    dx = ddv_win - ddv_win_2 + ddh_win - ddh_win_2
    return Gradients(dx)


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


def _windows(x: np.ndarray, *along: tuple[int | tuple[int, int], ...]) -> np.ndarray:
    """x[start + sum of step * place] along some axes, an axis for each (step, size).

    For every such axis, in order: its number, the start, the steps. A view that is not
    to be written to, of the part of x that is read; outside of x it is zero.
    """
    shape, strides = [(size,) for size in x.shape], [(1,)] * x.ndim
    read, inside, first = ([slice(None)] * x.ndim for _ in range(3))
    room = list(x.shape)
    for axis, start, *steps in along:
        low = start + sum(min(step * (size - 1), 0) for step, size in steps)
        stop = start + sum(max(step * (size - 1), 0) for step, size in steps) + 1
        shape[axis] = tuple(size for _, size in steps)
        strides[axis] = tuple(step for step, _ in steps)
        begin = min(max(low, 0), x.shape[axis])
        end = max(min(stop, x.shape[axis]), begin)
        read[axis] = slice(begin, end)
        inside[axis] = slice(begin - low, end - low)
        first[axis] = slice(start - low, None)
        room[axis] = stop - low
    sizes = sum(shape, ())
    if 0 in sizes or 0 in x.shape:
        return np.zeros(sizes, dtype=x.dtype)
    given = x[tuple(read)]
    is_whole = given.shape == tuple(room)
    part = given if is_whole else np.zeros(room, dtype=x.dtype)
    if not is_whole:
        part[tuple(inside)] = given
    walked = [step * n for n, steps in zip(part.strides, strides) for step in steps]
    begun = part[tuple(first)]
    return np.lib.stride_tricks.as_strided(begun, sizes, walked, writeable=False)
