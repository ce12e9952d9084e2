"""Embedding lookup: forward and backward pass.

Extents:
    V: words of the vocabulary (indices v)
    M: model dimension (indices m)
    B: sequences (indices b)
    T: positions (indices t)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "E": ("V", "M"),
    "tok": ("B", "T"),
    "Y": ("B", "T", "M"),
    "G": ("B", "T", "M"),
}
"""The extents of the axes of every array that is given."""

WHOLE = {
    "tok": "V",
}
"""The arrays of whole numbers, from 0 on and below an extent: they are looked up."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    E: np.ndarray  # [V, M] the table
    tok: np.ndarray  # [B, T] the word at each position
    Y: np.ndarray  # [B, T, M] the row of each word


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dE: np.ndarray  # [V, M] dL/dE


def forward(E: np.ndarray, tok: np.ndarray) -> Values:
    """Forward pass.

    Args:
        E: [V, M] the table.
        tok: [B, T] the word at each position.
    """
    E, tok = _checked(E=E, tok=tok)
    # Y[b,t,m] = E[tok[b,t],m]
    Y = _looked_up(E, 0, tok)
    return Values(E, tok, Y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [B, T, M] the upstream gradient dL/dY.
    """
    *_, G = _checked(Y=values.Y, G=G)
    tok = values.tok
    V = values.E.shape[0]
    # dE[v,m] = sum[b,t](G[b,t,m] * delta[tok[b,t],v])
    dE = _summed_at(G, 0, tok, V)
    return Gradients(dE)


def _checked(**given: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype, if their axes agree with `AXES`."""
    floats = iter(_promoted(*(a for n, a in given.items() if n not in WHOLE)))
    arrays = tuple(
        [_whole(n, a) if n in WHOLE else next(floats) for n, a in given.items()]
    )
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
