"""Convolution in one dimension: forward and backward pass.

Extents:
    B: samples (indices b)
    C: input channels (indices c)
    N: positions of the input (indices n)
    F: filters (indices f)
    K: positions of the kernel (indices k)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "x": ("B", "C", "N"),
    "w": ("F", "C", "K"),
    "bias": ("F",),
    "y": ("B", "F", "N - K + 1"),
    "G": ("B", "F", "N - K + 1"),
}
"""The extents of the axes of every array that is given."""

LENGTHS = {
    "N - K + 1": (("K", "N"), lambda K, N: N - K + 1),
}
"""The lengths that are no products, each with the extents that it is computed from."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    x: np.ndarray  # [B, C, N] signals
    w: np.ndarray  # [F, C, K] kernels
    bias: np.ndarray  # [F] biases
    y: np.ndarray  # [B, F, N - K + 1] what every kernel finds at every position


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dx: np.ndarray  # [B, C, N] dL/dx
    dw: np.ndarray  # [F, C, K] dL/dw
    dbias: np.ndarray  # [F] dL/dbias


def forward(x: np.ndarray, w: np.ndarray, bias: np.ndarray) -> Values:
    """Forward pass.

    Args:
        x: [B, C, N] signals.
        w: [F, C, K] kernels.
        bias: [F] biases.
    """
    x, w, bias = _checked(x=x, w=w, bias=bias)
    N = x.shape[2]
    K = w.shape[2]
    # x_win[b,c,i,k] = x[b,c,i+k]
    x_win = _windows(x, (2, 0, (1, N - K + 1), (1, K)))
    # y[b,f,i] = sum[c,k](x_win[b,c,i,k] * w[f,c,k]) + bias[f]
    y = np.einsum("bcik,fck->bfi", x_win, w, optimize=True) + bias[:, None]
    return Values(x, w, bias, y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [B, F, N - K + 1] the upstream gradient dL/dy.
    """
    *_, G = _checked(y=values.y, G=G)
    x, w = values.x, values.w
    N = x.shape[2]
    K = w.shape[2]
    # G_win[b,f,k,n] = G[b,f,n-k]
    G_win = _windows(G, (2, 0, (-1, K), (1, N)))
    # dx[b,c,n] = sum[f,k](G_win[b,f,k,n] * w[f,c,k])
    dx = np.einsum("bfkn,fck->bcn", G_win, w, optimize=True)
    # x_win[b,c,i,k] = x[b,c,i+k]
    x_win = _windows(x, (2, 0, (1, N - K + 1), (1, K)))
    # dw[f,c,k] = sum[b,i](G[b,f,i] * x_win[b,c,i,k])
    dw = np.einsum("bfi,bcik->fck", G, x_win, optimize=True)
    # dbias[f] = sum[b,i](G[b,f,i])
    dbias = G.sum(axis=(0, 2))
    return Gradients(dx, dw, dbias)


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
