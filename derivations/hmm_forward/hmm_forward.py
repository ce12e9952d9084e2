"""Forward algorithm of a hidden Markov model, in logarithms: forward and backward pass.

Extents:
    K: hidden states (indices i, j)
    T: steps (indices t)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "p0": ("K",),
    "A": ("K", "K"),
    "b": ("T", "K"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("K",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    p0: np.ndarray  # [K] log-probabilities of the first state
    A: np.ndarray  # [K, K] log-probabilities of transitions
    b: np.ndarray  # [T, K] log-probabilities of what was observed
    s: np.ndarray  # [T, K, K] log-probability of a state and the one before
    a: np.ndarray  # [T, K] forward log-probability
    L: np.ndarray  # scalar log-likelihood
    s_max: np.ndarray  # [T, K] s_max[j] = max[i](s_here[i,j])
    # [T, K] Z_shifted[j] = sum[i](exp(s_here[i,j] - s_max_here[j]))
    Z_shifted: np.ndarray


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dp0: np.ndarray  # [K] dL/dp0
    dA: np.ndarray  # [K, K] dL/dA
    db: np.ndarray  # [T, K] dL/db


def forward(p0: np.ndarray, A: np.ndarray, b: np.ndarray) -> Values:
    """Forward pass.

    Args:
        p0: [K] log-probabilities of the first state.
        A: [K, K] log-probabilities of transitions.
        b: [T, K] log-probabilities of what was observed.
    """
    p0, A, b = _checked(p0=p0, A=A, b=b)
    K = p0.shape[0]
    T = b.shape[0]
    s = np.zeros((T, K, K), dtype=p0.dtype)
    s_max = np.zeros((T, K), dtype=p0.dtype)
    Z_shifted = np.zeros((T, K), dtype=p0.dtype)
    s_lse = np.zeros((T, K), dtype=p0.dtype)
    a = np.zeros((T, K), dtype=p0.dtype)
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
        # a[t,j] = delta[t,0] * p0[j] + delta[t,0] * b[0,j] + [1 <= t] * s_lse[t,j] + [1
        #     <= t] * b[t,j]
        if t == 0:
            a[t] = p0 + b[0]
        if 1 <= t:
            a[t] = s_lse[t] + b[t]
    # a_win[j] = a[T-1,j]
    a_win = _windows(a, (0, T - 1))
    # a_max = max[j](a_win[j])
    a_max = a_win.max()
    # Z_L = sum[j](exp(a_win[j] - a_max))
    Z_L = np.exp(a_win - a_max).sum()
    # L = a_max + log(Z_L)
    L = a_max + np.log(Z_L)
    return Values(p0, A, b, s, a, L, s_max, Z_shifted)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    s = values.s
    a = values.a
    L = values.L
    s_max = values.s_max
    Z_shifted = values.Z_shifted
    T, K, _ = s.shape
    da = np.zeros((T, K), dtype=values.p0.dtype)
    ds = np.zeros((T, K, K), dtype=values.p0.dtype)
    for t in reversed(range(T)):
        # da[t,j] = [t+1 < T] * sum[i](ds[t+1,j,i]) + exp(a[T-1,j] - L) * delta[T-1,t]
        if t + 1 < T:
            da[t] = ds[t + 1].sum(axis=1)
        if T - 1 == t:
            da[t] = np.exp(a[T - 1] - L)
        # ds[t,i,j] = da[t,j] * [1 <= t] * exp(s[t,i,j] - s_max[t,j]) / Z_shifted[t,j]
        if 1 <= t:
            ds[t] = da[t] * np.exp(s[t] - s_max[t]) / Z_shifted[t]
    # dp0[j] = da[0,j]
    dp0 = _windows(da, (0, 0))
    # dA[i,j] = sum[t](ds[t,i,j])
    dA = ds.sum(axis=0)
    # db[t,j] = da[t,j]
    db = da
    return Gradients(dp0, dA, db)


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
