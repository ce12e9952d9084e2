"""Depthwise separable convolution: forward and backward pass.

Extents:
    C: channels (indices c)
    N: positions (indices n)
    K: positions of the kernel (indices k)
    F: filters (indices f)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "x": ("C", "N"),
    "w": ("C", "K"),
    "v": ("F", "C"),
    "y": ("F", "N - K + 1"),
    "G": ("F", "N - K + 1"),
}
"""The extents of the axes of every array that is given."""

LENGTHS = {
    "N - K + 1": (("K", "N"), lambda K, N: N - K + 1),
}
"""The lengths that are no products, each with the extents that it is computed from."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    x: np.ndarray  # [C, N] signal
    w: np.ndarray  # [C, K] one kernel a channel
    v: np.ndarray  # [F, C] weights across channels
    h: np.ndarray  # [C, N - K + 1] depthwise: every channel by itself
    y: np.ndarray  # [F, N - K + 1] pointwise: channels mixed at every position


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dx: np.ndarray  # [C, N] dL/dx
    dw: np.ndarray  # [C, K] dL/dw
    dv: np.ndarray  # [F, C] dL/dv


def forward(x: np.ndarray, w: np.ndarray, v: np.ndarray) -> Values:
    """Forward pass.

    Args:
        x: [C, N] signal.
        w: [C, K] one kernel a channel.
        v: [F, C] weights across channels.
    """
    x, w, v = _checked(x=x, w=w, v=v)
    N = x.shape[1]
    K = w.shape[1]
    # x_win[c,i,k] = x[c,i+k]
    x_win = _windows(x, (1, 0, (1, N - K + 1), (1, K)))
    # h[c,i] = sum[k](x_win[c,i,k] * w[c,k])
    h = np.einsum("cik,ck->ci", x_win, w, optimize=True)
    # y[f,i] = sum[c](v[f,c] * h[c,i])
    y = v @ h
    return Values(x, w, v, h, y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [F, N - K + 1] the upstream gradient dL/dy.
    """
    *_, G = _checked(y=values.y, G=G)
    x, w, v, h = values.x, values.w, values.v, values.h
    N = x.shape[1]
    K = w.shape[1]
    # dv[f,c] = sum[i](G[f,i] * h[c,i])
    dv = G @ h.T
    # dh[c,i] = sum[f](G[f,i] * v[f,c])
    dh = v.T @ G
    # dh_win[c,k,n] = dh[c,n-k]
    dh_win = _windows(dh, (1, 0, (-1, K), (1, N)))
    # dx[c,n] = sum[k](dh_win[c,k,n] * w[c,k])
    dx = np.einsum("ckn,ck->cn", dh_win, w, optimize=True)
    # x_win[c,i,k] = x[c,i+k]
    x_win = _windows(x, (1, 0, (1, N - K + 1), (1, K)))
    # dw[c,k] = sum[i](dh[c,i] * x_win[c,i,k])
    dw = np.einsum("ci,cik->ck", dh, x_win, optimize=True)
    return Gradients(dx, dw, dv)


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
    _check_products(seen)
    return arrays


def _check_products(seen: dict[str, tuple[int, str, int]]) -> None:
    """Raise an error unless an axis is as long as the product that stands for it."""
    for extent in [extent for extent in seen if not extent.isidentifier()]:
        size, name, place = seen[extent]
        if extent in LENGTHS:
            parts, length = LENGTHS[extent]
            known = [seen[part][0] for part in parts if part in seen]
            expected = length(*known) if len(known) == len(parts) else size
            if size != expected:
                message = f"axis {place} of {name} has length {size}, but {extent} "
                raise ValueError(message + f"is {expected}")
            continue
        known, unknown = 1, []
        for part in extent.split(" * "):
            if part.isdigit() or part in seen:
                known *= int(part) if part.isdigit() else seen[part][0]
            else:
                unknown.append(part)
        wrong = size % known if unknown and known else size != known
        if len(unknown) < 2 and wrong:
            expected = f"a multiple of {known}" if unknown else known
            message = f"axis {place} of {name} has length {size}, but {extent} "
            raise ValueError(message + f"is {expected}")
        if len(unknown) == 1 and known:
            seen[unknown[0]] = (size // known, name, place)


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
