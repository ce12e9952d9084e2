"""Generalized advantage estimation: forward and backward pass.

Extents:
    N: episodes (indices n)
    T: steps (indices t)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "r": ("N", "T"),
    "v": ("N", "T"),
    "u": ("N",),
    "A": ("N", "T"),
    "G": ("N", "T"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    r: np.ndarray  # [N, T] rewards
    v: np.ndarray  # [N, T] values of states
    u: np.ndarray  # [N] value of the state after the last step
    d: np.ndarray  # [N, T] temporal-difference error
    A: np.ndarray  # [N, T] advantage
    gamma: float  # discount
    lam: float  # weight of later errors


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dr: np.ndarray  # [N, T] dL/dr
    dv: np.ndarray  # [N, T] dL/dv
    du: np.ndarray  # [N] dL/du


def forward(
    r: np.ndarray,
    v: np.ndarray,
    u: np.ndarray,
    *,
    gamma: float = 0.99,
    lam: float = 0.95,
) -> Values:
    """Forward pass.

    Args:
        r: [N, T] rewards.
        v: [N, T] values of states.
        u: [N] value of the state after the last step.
        gamma: discount.
        lam: weight of later errors.
    """
    r, v, u = _checked(r=r, v=v, u=u)
    N, T = r.shape
    # v_win[n,t] = v[n,t+1]
    v_win = _windows(v, (1, 1, (1, T)))
    # d[n,t] = r[n,t] + gamma * v_win[n,t] + gamma * delta[t,T-1] * u[n] - v[n,t]
    d = (
        r
        + gamma * v_win
        + np.where(np.arange(T, dtype=int) == T - 1, (gamma * u)[:, None], 0.0)
        - v
    )
    A = np.zeros((N, T), dtype=r.dtype)
    for t in reversed(range(T)):
        # A[n,t] = d[n,t] + gamma*lam * [t+1 < T] * A[n,t+1]
        A[:, t] = d[:, t]
        if t + 1 < T:
            A[:, t] += gamma * lam * A[:, t + 1]
    return Values(r, v, u, d, A, gamma, lam)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, T] the upstream gradient dL/dA.
    """
    *_, G = _checked(A=values.A, G=G)
    gamma, lam = values.gamma, values.lam
    N, T = G.shape
    dA = np.zeros((N, T), dtype=G.dtype)
    for t in range(T):
        # dA[n,t] = G[n,t] + gamma*lam * dA[n,t-1] * [1 <= t]
        dA[:, t] = G[:, t]
        if 1 <= t:
            dA[:, t] += gamma * lam * dA[:, t - 1]
    # dd[n,t] = dA[n,t]
    dd = dA
    # dr[n,t] = dd[n,t]
    dr = dd
    # dd_win[n,t] = dd[n,t-1]
    dd_win = _windows(dd, (1, -1, (1, T)))
    # dv[n,t] = gamma * dd_win[n,t] - dd[n,t]
    dv = gamma * dd_win - dd
    # dd_win_2[n] = dd[n,T-1]
    dd_win_2 = _windows(dd, (1, T - 1))
    # du[n] = gamma * dd_win_2[n]
    du = gamma * dd_win_2
    return Gradients(dr, dv, du)


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
