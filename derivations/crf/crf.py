"""Linear-chain conditional random field: forward and backward pass.

Extents:
    T: positions (indices t)
    K: labels (indices i, j)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "u": ("T", "K"),
    "A": ("K", "K"),
    "y": ("T",),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("K",)
"""The extents without which there is no result."""

WHOLE = {
    "y": "K",
}
"""The arrays of whole numbers, from 0 on and below an extent: they are looked up."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    u: np.ndarray  # [T, K] scores of labels
    A: np.ndarray  # [K, K] scores of transitions
    y: np.ndarray  # [T] true labels
    s: np.ndarray  # [T, K, K] score of a label and the one before
    a: np.ndarray  # [T, K] forward scores
    c: np.ndarray  # [T] score of the true labels
    L: np.ndarray  # scalar negative log-likelihood
    s_max: np.ndarray  # [T, K] s_max[j] = max[i](s_here[i,j])
    # [T, K] Z_shifted[j] = sum[i](exp(s_here[i,j] - s_max_here[j]))
    Z_shifted: np.ndarray
    a_max: np.ndarray  # scalar a_max = max[j](a_win[j])
    Z_L_shifted: np.ndarray  # scalar Z_L_shifted = sum[j](exp(a_win[j] - a_max))


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    du: np.ndarray  # [T, K] dL/du
    dA: np.ndarray  # [K, K] dL/dA


def forward(u: np.ndarray, A: np.ndarray, y: np.ndarray) -> Values:
    """Forward pass.

    Args:
        u: [T, K] scores of labels.
        A: [K, K] scores of transitions.
        y: [T] true labels.
    """
    u, A, y = _checked(u=u, A=A, y=y)
    T, K = u.shape
    s = np.zeros((T, K, K), dtype=u.dtype)
    s_max = np.zeros((T, K), dtype=u.dtype)
    Z_shifted = np.zeros((T, K), dtype=u.dtype)
    s_lse = np.zeros((T, K), dtype=u.dtype)
    a = np.zeros((T, K), dtype=u.dtype)
    for t in range(T):
        # s[t,i,j] = [1 <= t] * a[t-1,i] + [1 <= t] * A[i,j]
        if 1 <= t:
            s[t] = a[t - 1][:, None] + A
        # s_max[t,j] = max[i](s[t,i,j])
        s_max[t] = s[t].max(axis=0)
        # Z_shifted[t,j] = sum[i](exp(s[t,i,j] - s_max[t,j]))
        Z_shifted[t] = np.exp(s[t] - s_max[t]).sum(axis=0)
        # s_lse[t,j] = s_max[t,j] + log(Z_shifted[t,j])
        s_lse[t] = s_max[t] + np.log(Z_shifted[t])
        # a[t,j] = delta[t,0] * u[0,j] + [1 <= t] * s_lse[t,j] + [1 <= t] * u[t,j]
        if t == 0:
            a[t] = u[0]
        if 1 <= t:
            a[t] = s_lse[t] + u[t]
    c = np.zeros((T,), dtype=u.dtype)
    for t in range(T):
        # c[t] = delta[t,0] * u[0,y[0]] + [1 <= t] * c[t-1] + [1 <= t] * A[y[t-1],y[t]]
        #     + [1 <= t] * u[t,y[t]]
        if t == 0:
            c[t] = u[0, y[0]]
        if 1 <= t:
            c[t] = c[t - 1] + A[y[t - 1], y[t]] + u[t, y[t]]
    # a_win[j] = a[T-1,j]
    a_win = _windows(a, (0, T - 1))
    # a_max = max[j](a_win[j])
    a_max = a_win.max()
    # Z_L_shifted = sum[j](exp(a_win[j] - a_max))
    Z_L_shifted = np.exp(a_win - a_max).sum()
    # a_lse = a_max + log(Z_L_shifted)
    a_lse = a_max + np.log(Z_L_shifted)
    # c_win = c[T-1]
    c_win = _windows(c, (0, T - 1))
    # L = a_lse - c_win
    L = a_lse - c_win
    return Values(u, A, y, s, a, c, L, s_max, Z_shifted, a_max, Z_L_shifted)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    y = values.y
    s = values.s
    a = values.a
    s_max = values.s_max
    Z_shifted = values.Z_shifted
    a_max = values.a_max
    Z_L_shifted = values.Z_L_shifted
    T = y.shape[0]
    K = s.shape[1]
    dc = np.zeros((T,), dtype=values.u.dtype)
    for t in reversed(range(T)):
        # dc[t] = dc[t+1] * [t+1 < T] - delta[T-1,t]
        if t + 1 < T:
            dc[t] = dc[t + 1]
        if T - 1 == t:
            dc[t] = -1.0
    da = np.zeros((T, K), dtype=values.u.dtype)
    ds = np.zeros((T, K, K), dtype=values.u.dtype)
    for t in reversed(range(T)):
        # da[t,j] = [t+1 < T] * sum[i](ds[t+1,j,i]) + exp(a[T-1,j] - a_max) *
        #     delta[T-1,t] / Z_L_shifted
        if t + 1 < T:
            da[t] = ds[t + 1].sum(axis=1)
        if T - 1 == t:
            da[t] = np.exp(a[T - 1] - a_max) / Z_L_shifted
        # ds[t,i,j] = da[t,j] * [1 <= t] * exp(s[t,i,j] - s_max[t,j]) / Z_shifted[t,j]
        if 1 <= t:
            ds[t] = da[t] * np.exp(s[t] - s_max[t]) / Z_shifted[t]
    # du[t,j] = da[t,j] + dc[t] * delta[y[t],j]
    du = da + np.where(y[:, None] == np.arange(K, dtype=int), dc[:, None], 0.0)
    # y_win[t] = y[t-1]
    y_win = _nearest(y, np.arange(T, dtype=int) - 1)
    # dA_moved_parts[t] = dc[t] * [1 <= t]
    dA_moved_parts = np.where(1 <= np.arange(T, dtype=int), dc, 0.0)
    # dA_moved[i,j] = sum[t](dA_moved_parts[t] * delta[y_win[t],i] * delta[y[t],j])
    dA_moved = _parted(
        _summed_at(dA_moved_parts, 0, _joined((y_win, K), (y, K)), K**2), 0, K, K
    )
    # dA[i,j] = sum[t](ds[t,i,j]) + dA_moved[i,j]
    dA = ds.sum(axis=0) + dA_moved
    return Gradients(du, dA)


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
    for extent in NEVER_EMPTY:
        if extent in seen and seen[extent][0] == 0:
            raise ValueError(f"{extent} is 0 in {seen[extent][1]}; 1 is the least")
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


def _joined(*given: tuple[np.ndarray, int]) -> np.ndarray:
    """Places along several axes as places along one; -1 where one lies outside."""
    joined, outside = 0, False
    for places, length in given:
        outside = outside | (places < 0) | (places >= length)
        joined = joined * length + np.asarray(places, dtype=int)
    return np.where(outside, -1, joined)


def _parted(x: np.ndarray, axis: int, *lengths: int) -> np.ndarray:
    """x with one axis as several."""
    return x.reshape((*x.shape[:axis], *lengths, *x.shape[axis + 1 :]))


def _nearest(x: np.ndarray, *places: np.ndarray) -> np.ndarray:
    """x[places], with the nearest place where one lies outside of x."""
    sizes = zip(places, x.shape, strict=True)
    return x[tuple(np.clip(place, 0, size - 1) for place, size in sizes)]
