"""Average pooling: forward and backward pass.

Extents:
    C: channels (indices c)
    N: positions of the input (indices n)
    K: positions of a window (indices k)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "x": ("C", "N"),
    "y": ("C", "(N - K) // 2 + 1"),
    "G": ("C", "(N - K) // 2 + 1"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("K",)
"""The extents without which there is no result."""

LENGTHS = {
    "(N - K) // 2 + 1": (("K", "N"), lambda K, N: (N - K) // 2 + 1),
}
"""The lengths that are no products, each with the extents that it is computed from."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    x: np.ndarray  # [C, N] signal
    y: np.ndarray  # [C, (N - K) // 2 + 1] the mean of each window
    K: int  # extent


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dx: np.ndarray  # [C, N] dL/dx


def forward(x: np.ndarray, *, K: int) -> Values:
    """Forward pass.

    Args:
        x: [C, N] signal.
        K: extent, no input shows it.
    """
    (x,) = _checked({"K": K}, x=x)
    N = x.shape[1]
    # x_win[c,i,k] = x[c,2*i+k]
    x_win = _windows(x, (1, 0, (2, (N - K) // 2 + 1), (1, K)))
    # y[c,i] = 1/K * sum[k](x_win[c,i,k])
    y = x_win.sum(axis=2) / K
    return Values(x, y, K)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [C, (N - K) // 2 + 1] the upstream gradient dL/dy.
    """
    *_, G = _checked({}, y=values.y, G=G)
    K = values.K
    C = G.shape[0]
    N = values.x.shape[1]
    # dx_parts[c,i,k] = 1/K * G[c,i]
    dx_parts = np.broadcast_to((G / K)[..., None], (C, (N - K) // 2 + 1, K))
    # dx[c,n] = sum[i,k](dx_parts[c,i,k] * delta[2*i+k,n])
    dx = _folded(dx_parts, 1, N, 0, 2, 1)
    return Gradients(dx)


def _checked(known: dict[str, int], /, **given: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype, if their axes agree with `AXES`."""
    arrays = _promoted(*given.values())
    seen = {name: (size, "the arguments", 0) for name, size in known.items()}
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
    for extent in NEVER_EMPTY:
        if extent in seen and seen[extent][0] == 0:
            raise ValueError(f"{extent} is 0 in {seen[extent][1]}; 1 is the least")
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


def _folded(
    parts: np.ndarray, axis: int, length: int, start: int, *steps: int
) -> np.ndarray:
    """total[start + sum of step * place] += parts[place], from an axis on.

    The axes of places, one for each step, become one; nothing is added outside of it.
    """
    moved = np.moveaxis(parts, range(axis, axis + len(steps)), range(len(steps)))
    sizes, rest = moved.shape[: len(steps)], moved.shape[len(steps) :]
    total = np.zeros((length, *rest), dtype=parts.dtype)
    # One slice for each place along all axes but the longest.
    long = max(range(len(steps)), key=lambda n: sizes[n])
    step, size = steps[long], sizes[long]
    for place in np.ndindex(*(1 if n == long else m for n, m in enumerate(sizes))):
        at = start + sum(s * p for s, p in zip(steps, place, strict=True))
        low, high = (0, length - 1) if step > 0 else (1 - length, 0)
        to = at if step > 0 else -at
        first = max(0, -((to - low) // abs(step)))
        stop = min(size, (high - to) // abs(step) + 1)
        if first < stop:
            where = (*place[:long], slice(first, stop), *place[long + 1 :])
            total[at + step * first :: step][: stop - first] += moved[where]
    return np.moveaxis(total, 0, axis)
