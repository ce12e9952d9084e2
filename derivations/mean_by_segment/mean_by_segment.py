"""Mean by segment: forward and backward pass.

Extents:
    N: rows (indices n)
    M: features (indices m)
    S: segments (indices s)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "x": ("N", "M"),
    "seg": ("N",),
    "y": ("S", "M"),
    "G": ("S", "M"),
}
"""The extents of the axes of every array that is given."""

WHOLE = {
    "seg": "S",
}
"""The arrays of whole numbers, from 0 on and below an extent: they are looked up."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    x: np.ndarray  # [N, M] rows
    seg: np.ndarray  # [N] the segment of each row
    c: np.ndarray  # [S] how many rows a segment has
    y: np.ndarray  # [S, M] their mean; 0 for none


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dx: np.ndarray  # [N, M] dL/dx


def forward(x: np.ndarray, seg: np.ndarray, *, S: int) -> Values:
    """Forward pass.

    Args:
        x: [N, M] rows.
        seg: [N] the segment of each row.
        S: extent, no input shows it.
    """
    x, seg = _checked({"S": S}, x=x, seg=seg)
    N = x.shape[0]
    # c_parts[n] = 1
    c_parts = np.full((N,), 1.0, dtype=x.dtype)
    # c[s] = sum[n](c_parts[n] * delta[s,seg[n]])
    c = _summed_at(c_parts, 0, seg, S)
    # c_at[n] = c[seg[n]]
    c_at = _looked_up(c, 0, seg)
    # y_parts[n,m] = x[n,m] / max(c_at[n], 1)
    y_parts = x / np.maximum(c_at, 1.0)[:, None]
    # y[s,m] = sum[n](y_parts[n,m] * delta[s,seg[n]])
    y = _summed_at(y_parts, 0, seg, S)
    return Values(x, seg, c, y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [S, M] the upstream gradient dL/dy.
    """
    *_, G = _checked({}, y=values.y, G=G)
    seg, c = values.seg, values.c
    # G_at[n,m] = G[seg[n],m]
    G_at = _looked_up(G, 0, seg)
    # c_at[n] = c[seg[n]]
    c_at = _looked_up(c, 0, seg)
    # dx[n,m] = G_at[n,m] / max(c_at[n], 1)
    dx = G_at / np.maximum(c_at, 1.0)[:, None]
    return Gradients(dx)


def _checked(known: dict[str, int], /, **given: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype, if their axes agree with `AXES`."""
    floats = iter(_promoted(*(a for n, a in given.items() if n not in WHOLE)))
    arrays = tuple(
        [_whole(n, a) if n in WHOLE else next(floats) for n, a in given.items()]
    )
    seen = {name: (size, "the arguments") for name, size in known.items()}
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
    for name, array in zip(given, arrays, strict=True):
        if name in WHOLE:
            extent = WHOLE[name]
            _check_below(name, array, extent, int(seen.get(extent, (extent,))[0]))
    return arrays


def _whole(name: str, array: np.ndarray) -> np.ndarray:
    """The array, if it holds whole numbers."""
    numbers = np.asarray(array)
    if not np.issubdtype(numbers.dtype, np.integer):
        message = f"{name} holds numbers of {numbers.dtype}; expected whole numbers"
        raise ValueError(message)
    return numbers


def _check_below(name: str, array: np.ndarray, extent: str, size: int) -> None:
    """Raise an error that names the first entry outside of 0 .. size - 1."""
    wrong = (array < 0) | (array >= size)
    if wrong.any():
        place = tuple(map(int, zip(*wrong.nonzero(), strict=True).__next__()))
        entry = f"{name}[{', '.join(map(str, place))}]"
        message = f"{entry} is {array[place]}, but {extent} is {size}: "
        raise ValueError(message + "entries go from 0 to the extent less 1")


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {getattr(array, "dtype", None) for array in arrays}
    floats = [dtype for dtype in dtypes if dtype is not None and dtype.kind in "fcO"]
    if len(dtypes) == len(floats) == 1:
        return arrays
    dtype = np.result_type(*floats) if floats else float
    return tuple([np.asarray(array, dtype) for array in arrays])


def _looked_up(x: np.ndarray, axis: int, ids: np.ndarray) -> np.ndarray:
    """x[ids] along an axis, which becomes the axes of ids."""
    return np.take(x, ids, axis=axis)


def _summed_at(
    parts: np.ndarray, axis: int, places: np.ndarray, length: int
) -> np.ndarray:
    """total[places] += parts, from an axis on: the axes of places become one.

    A row alone is copied. Several of one place are brought together by a sort, and
    added up run by run; nothing is added outside.
    """
    at, count = np.ravel(places), np.ndim(places)
    moved = np.moveaxis(parts, range(axis, axis + count), range(count))
    rest = moved.shape[count:]
    rows = moved.reshape(at.size, *rest)
    inside = (at >= 0) & (at < length)
    within = slice(None) if inside.all() else inside
    to, given = at[within], rows[within]
    total = np.zeros((length, *rest), dtype=parts.dtype)
    total[to] = given
    order = np.argsort(to, kind="stable")
    runs = to[order]
    starts = np.flatnonzero(np.diff(runs, prepend=-1))
    counts = np.diff(starts, append=runs.size)
    several = counts > 1
    if several.any():
        together, sizes = order[np.repeat(several, counts)], counts[several]
        firsts = np.cumsum(sizes) - sizes
        added = np.add.reduceat(given[together], firsts, axis=0)
        total[runs[starts[several]]] = added
    return np.moveaxis(total, 0, axis)
