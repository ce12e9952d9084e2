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
    a: np.ndarray  # [T, K] forward scores
    s: np.ndarray  # [T] score of the true labels
    L: np.ndarray  # scalar negative log-likelihood
    Z_max: np.ndarray  # [T, K] Z_max[j] = max[i](a_here[i] + A[i,j])
    # [T, K] Z_shifted[j] = sum[i](exp((a_here[i] + A[i,j]) - Z_max_here[j]))
    Z_shifted: np.ndarray
    Z2_shifted: np.ndarray  # scalar Z2_shifted = sum[j](exp(a_win[j] - a_max))


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
    Z_max = np.zeros((T, K), dtype=u.dtype)
    Z_shifted = np.zeros((T, K), dtype=u.dtype)
    lse = np.zeros((T, K), dtype=u.dtype)
    a = np.zeros((T, K), dtype=u.dtype)
    for t in range(T):
        # Z_max[t,j] = a[t-1,i] + A[i,j]
        Z_max[t] = (a[max(t - 1, 0)] + A.T).max(axis=1)
        # Z_shifted[t,j] = sum[i](exp((a[t-1,i] + A[i,j]) - Z_max[t,j]))
        Z_shifted[t] = np.exp(a[max(t - 1, 0)][:, None] + A - Z_max[t]).sum(axis=0)
        # lse[t,j] = Z_max[t,j] + log(Z_shifted[t,j])
        lse[t] = Z_max[t] + np.log(Z_shifted[t])
        # a[t,j] = delta[t,0] * u[0,j] + [1 <= t] * lse[t,j] + [1 <= t] * u[t,j]
        if t == 0:
            a[t] = u[0]
        if 1 <= t:
            a[t] = lse[t] + u[t]
    s = np.zeros((T,), dtype=u.dtype)
    for t in range(T):
        # s[t] = delta[t,0] * u[0,y[0]] + [1 <= t] * s[t-1] + [1 <= t] * A[y[t-1],y[t]]
        #     + [1 <= t] * u[t,y[t]]
        if t == 0:
            s[t] = u[0, y[0]]
        if 1 <= t:
            s[t] = s[t - 1] + A[y[t - 1], y[t]] + u[t, y[t]]
    # a_win[j] = a[T-1,j]
    a_win = _windows(a, 0, T - 1)
    # a_max = max[j](a_win[j])
    a_max = a_win.max()
    # Z2_shifted = sum[j](exp(a_win[j] - a_max))
    Z2_shifted = np.exp(a_win - a_max).sum()
    # a_lse = a_max + log(Z2_shifted)
    a_lse = a_max + np.log(Z2_shifted)
    # s_win = s[T-1]
    s_win = _windows(s, 0, T - 1)
    # L = a_lse - s_win
    L = a_lse - s_win
    return Values(u, A, y, a, s, L, Z_max, Z_shifted, Z2_shifted)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    A = values.A
    y = values.y
    a = values.a
    Z_max = values.Z_max
    Z_shifted = values.Z_shifted
    Z2_shifted = values.Z2_shifted
    K = A.shape[0]
    T = y.shape[0]
    ds = np.zeros((T,), dtype=values.u.dtype)
    for t in reversed(range(T)):
        # ds[t] = ds[t+1] * [t+1 < T] - delta[T-1,t]
        if t + 1 < T:
            ds[t] = ds[t + 1]
        if T - 1 == t:
            ds[t] = -1.0
    # da_masked[t,j,i] = a[t,j] + A[j,i] where t+1 < T, else -inf
    da_masked = np.where(
        (np.arange(T, dtype=int) + 1 < T)[:, None, None], a[..., None] + A, -np.inf
    )
    # da_max[t,j] = max[i](da_masked[t,j,i])
    da_max = da_masked.max(axis=2)
    # a_win[j] = a[T-1,j]
    a_win = _windows(a, 0, T - 1)
    # a_max = max[j](a_win[j])
    a_max = a_win.max()
    # da_masked_2[j,t] = -a_max + a_win[j] where T-1 = t, else -inf
    da_masked_2 = np.where(
        T - 1 == np.arange(T, dtype=int), (a_win - a_max)[:, None], -np.inf
    )
    # da_bound[t,j] = max(da_max[t,j], da_masked_2[j,t], -1e+30)
    da_bound = np.maximum(np.maximum(da_max, da_masked_2.T), -1e+30)
    da_shifted = np.zeros((T, K), dtype=values.u.dtype)
    dZ = np.zeros((T, K), dtype=values.u.dtype)
    for t in reversed(range(T)):
        # da_shifted[t,j] = sum[i](dZ[t+1,i] * exp(da_masked[t,j,i] - da_bound[t,j])) +
        #     exp(da_masked_2[j,t] - da_bound[t,j]) / Z2_shifted
        da_shifted[t] = np.exp(da_masked_2[:, t] - da_bound[t]) / Z2_shifted
        if t + 1 < T:
            da_shifted[t] += np.exp(da_masked[t] - da_bound[t][:, None]) @ dZ[t + 1]
        # dZ[t,j] = exp(da_bound[t,j] - Z_max[t,j]) * da_shifted[t,j] * [1 <= t] /
        #     Z_shifted[t,j]
        if 1 <= t:
            dZ[t] = np.exp(da_bound[t] - Z_max[t]) * da_shifted[t] / Z_shifted[t]
    # da[t,j] = exp(da_bound[t,j]) * da_shifted[t,j]
    with np.errstate(over="ignore"):
        da = np.exp(da_bound) * da_shifted
    # dlse[t,j] = da[t,j] * [1 <= t]
    dlse = np.where((1 <= np.arange(T, dtype=int))[:, None], da, 0.0)
    # da_win[j] = da[0,j]
    da_win = _windows(da, 0, 0)
    # ds_win = ds[0]
    ds_win = _windows(ds, 0, 0)
    # y_win = y[0]
    y_win = _windows(y, 0, 0)
    # du[t,j] = da_win[j] * delta[0,t] + dlse[t,j] + ds_win * delta[0,t] *
    #     delta[y_win,j] + ds[t] * [1 <= t] * delta[y[t],j]
    part_1 = (1 <= np.arange(T, dtype=int))[:, None]
    part_2 = part_1 & (y[:, None] == np.arange(K, dtype=int))
    part_3 = (0 == np.arange(T, dtype=int))[:, None]
    part_4 = part_3 & (y_win == np.arange(K, dtype=int))
    du = (
        np.where((0 == np.arange(T, dtype=int))[:, None], da_win, 0.0)
        + dlse
        + np.where(part_4, ds_win, 0.0)
        + np.where(part_2, ds[:, None], 0.0)
    )
    # a_win_2[t,i] = a[t-1,i]
    a_win_2 = _nearest(a, np.arange(T, dtype=int)[:, None] - 1, np.arange(K, dtype=int))
    # y_win_2[t] = y[t-1]
    y_win_2 = _nearest(y, np.arange(T, dtype=int) - 1)
    # dA_moved_parts[t,j] = ds[t] * [1 <= t] * delta[y[t],j]
    part_1 = (1 <= np.arange(T, dtype=int))[:, None]
    part_2 = part_1 & (y[:, None] == np.arange(K, dtype=int))
    dA_moved_parts = np.where(part_2, ds[:, None], 0.0)
    # dA_moved[i,j] = sum[t](dA_moved_parts[t,j] * delta[y_win_2[t],i])
    dA_moved = _summed_at(dA_moved_parts, 0, y_win_2, K)
    # dA[i,j] = sum[t](exp(da_bound[t,j]) * da_shifted[t,j] * [1 <= t] *
    #     exp((a_win_2[t,i] + A[i,j]) - Z_max[t,j]) / Z_shifted[t,j]) + dA_moved[i,j]
    part_1 = (
        np.exp(np.where(1 <= np.arange(T, dtype=int), da_bound.T, -np.inf))
        / Z_shifted.T
        * da_shifted.T
    )
    part_2 = np.exp(a_win_2.T[:, None, :] + A[..., None] - Z_max.T)
    dA = np.einsum("jt,ijt->ij", part_1, part_2, optimize=True) + dA_moved
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
    array = np.asarray(array)
    if not np.issubdtype(array.dtype, np.integer):
        message = f"{name} holds numbers of {array.dtype}; expected whole numbers"
        raise ValueError(message)
    return array


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


def _ends(
    start: int, steps: tuple[tuple[int, int], ...], length: int
) -> tuple[int, int]:
    """How far start + sum of step * place goes below 0, and beyond the last place."""
    low = start + sum(min(step * (size - 1), 0) for step, size in steps)
    high = start + sum(max(step * (size - 1), 0) for step, size in steps)
    return max(-low, 0), max(high + 1 - length, 0)


def _windows(
    x: np.ndarray, axis: int, start: int, *steps: tuple[int, int]
) -> np.ndarray:
    """x[start + sum of step * place] along an axis, an axis for each (step, size).

    A view that is not to be written to; outside of x it is zero.
    """
    shape = (*x.shape[:axis], *(size for _, size in steps), *x.shape[axis + 1 :])
    if 0 in shape or 0 in x.shape:
        return np.zeros(shape, dtype=x.dtype)
    ends = _ends(start, steps, x.shape[axis])
    if any(ends):
        x = np.pad(x, [ends if n == axis else (0, 0) for n in range(x.ndim)])
    strides = (
        *x.strides[:axis],
        *(step * x.strides[axis] for step, _ in steps),
        *x.strides[axis + 1 :],
    )
    first = x[(slice(None),) * axis + (slice(start + ends[0], None),)]
    return np.lib.stride_tricks.as_strided(first, shape, strides, writeable=False)


def _summed_at(
    parts: np.ndarray, axis: int, places: np.ndarray, length: int
) -> np.ndarray:
    """total[places] += parts, from an axis on: the axes of places become one.

    Rows of one place are brought together by a sort, and added up run by run; nothing
    is added outside.
    """
    places, count = np.asarray(places), np.ndim(places)
    parts = np.moveaxis(parts, range(axis, axis + count), range(count))
    rest = parts.shape[count:]
    rows, places = parts.reshape(places.size, -1), places.reshape(-1)
    inside = np.flatnonzero((places >= 0) & (places < length))
    order = inside[np.argsort(places[inside], kind="stable")]
    total = np.zeros((length, rows.shape[1]), dtype=parts.dtype)
    if order.size:
        runs = places[order]
        starts = np.flatnonzero(np.diff(runs, prepend=-1))
        total[runs[starts]] = np.add.reduceat(rows[order], starts, axis=0)
    return np.moveaxis(total.reshape((length, *rest)), 0, axis)


def _nearest(x: np.ndarray, *places: np.ndarray) -> np.ndarray:
    """x[places], with the nearest place where one lies outside of x."""
    sizes = zip(places, x.shape, strict=True)
    return x[tuple(np.clip(place, 0, size - 1) for place, size in sizes)]
