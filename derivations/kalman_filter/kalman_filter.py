"""Likelihood of a Kalman filter: forward and backward pass.

Extents:
    T: steps (indices t)
    N: components of the state (indices i, j, k)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "y": ("T",),
    "C": ("T", "N"),
    "r": ("T",),
    "A": ("T", "N", "N"),
    "Q": ("T", "N", "N"),
    "m0": ("N",),
    "P0": ("N", "N"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    y: np.ndarray  # [T] observations
    C: np.ndarray  # [T, N] what is observed of the state
    r: np.ndarray  # [T] variance of the noise
    A: np.ndarray  # [T, N, N] transition to the step
    Q: np.ndarray  # [T, N, N] covariance of its noise
    m0: np.ndarray  # [N] expected first state
    P0: np.ndarray  # [N, N] covariance of the first state
    F: np.ndarray  # [T, N, N] transition of the covariance, left half
    P: np.ndarray  # [T, N, N] predicted covariance
    c: np.ndarray  # [T, N] covariance of state and observation
    s: np.ndarray  # [T] variance of the innovation
    K: np.ndarray  # [T, N] gain
    V: np.ndarray  # [T, N, N] covariance, the observation known
    m: np.ndarray  # [T, N] predicted mean
    e: np.ndarray  # [T] innovation: what the prediction misses
    a: np.ndarray  # [T, N] mean, the observation known
    L: np.ndarray  # scalar negative log-likelihood


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dA: np.ndarray  # [T, N, N] dL/dA
    dQ: np.ndarray  # [T, N, N] dL/dQ
    dC: np.ndarray  # [T, N] dL/dC
    dr: np.ndarray  # [T] dL/dr
    dy: np.ndarray  # [T] dL/dy
    dm0: np.ndarray  # [N] dL/dm0
    dP0: np.ndarray  # [N, N] dL/dP0


def forward(
    y: np.ndarray,
    C: np.ndarray,
    r: np.ndarray,
    A: np.ndarray,
    Q: np.ndarray,
    m0: np.ndarray,
    P0: np.ndarray,
) -> Values:
    """Forward pass.

    Args:
        y: [T] observations.
        C: [T, N] what is observed of the state.
        r: [T] variance of the noise.
        A: [T, N, N] transition to the step.
        Q: [T, N, N] covariance of its noise.
        m0: [N] expected first state.
        P0: [N, N] covariance of the first state.
    """
    y, C, r, A, Q, m0, P0 = _checked(y=y, C=C, r=r, A=A, Q=Q, m0=m0, P0=P0)
    T = y.shape[0]
    N = C.shape[1]
    F = np.zeros((T, N, N), dtype=y.dtype)
    P = np.zeros((T, N, N), dtype=y.dtype)
    c = np.zeros((T, N), dtype=y.dtype)
    s = np.zeros((T,), dtype=y.dtype)
    K = np.zeros((T, N), dtype=y.dtype)
    V = np.zeros((T, N, N), dtype=y.dtype)
    for t in range(T):
        # F[t,i,k] = [1 <= t] * sum[j](A[t,i,j] * V[t-1,j,k])
        if 1 <= t:
            F[t] = A[t] @ V[t - 1]
        # P[t,i,j] = delta[t,0] * P0[i,j] + [1 <= t] * sum[k](F[t,i,k] * A[t,j,k]) + [1
        #     <= t] * Q[t,i,j]
        if t == 0:
            P[t] = P0
        if 1 <= t:
            P[t] = F[t] @ A[t].T + Q[t]
        # c[t,i] = sum[j](P[t,i,j] * C[t,j])
        c[t] = P[t] @ C[t]
        # s[t] = sum[i](C[t,i] * c[t,i]) + r[t]
        s[t] = C[t] @ c[t] + r[t]
        # K[t,i] = c[t,i] / s[t]
        K[t] = c[t] / s[t]
        # V[t,i,j] = P[t,i,j] - K[t,i] * c[t,j]
        V[t] = P[t] - K[t][:, None] * c[t]
    m = np.zeros((T, N), dtype=y.dtype)
    e = np.zeros((T,), dtype=y.dtype)
    a = np.zeros((T, N), dtype=y.dtype)
    for t in range(T):
        # m[t,i] = delta[t,0] * m0[i] + [1 <= t] * sum[j](A[t,i,j] * a[t-1,j])
        if t == 0:
            m[t] = m0
        if 1 <= t:
            m[t] = A[t] @ a[t - 1]
        # e[t] = y[t] - sum[i](C[t,i] * m[t,i])
        e[t] = y[t] - C[t] @ m[t]
        # a[t,i] = m[t,i] + K[t,i] * e[t]
        a[t] = m[t] + K[t] * e[t]
    # L = 0.5 * sum[t](e[t]^2 / s[t]) + 0.5 * sum[t](log(s[t])) + T*log(2*pi)/2
    L = (
        0.5 * (e**2 / s).sum()
        + 0.5 * np.log(s).sum()
        + 0.5 * T * float(np.log(2 * np.pi))
    )
    return Values(y, C, r, A, Q, m0, P0, F, P, c, s, K, V, m, e, a, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    C = values.C
    A = values.A
    F = values.F
    P = values.P
    c = values.c
    s = values.s
    K = values.K
    V = values.V
    m = values.m
    e = values.e
    a = values.a
    T, N = C.shape
    da = np.zeros((T, N), dtype=values.y.dtype)
    u = np.zeros((T,), dtype=values.y.dtype)
    de = np.zeros((T,), dtype=values.y.dtype)
    dm = np.zeros((T, N), dtype=values.y.dtype)
    for t in reversed(range(T)):
        # da[t,i] = [t+1 < T] * sum[j](dm[t+1,j] * A[t+1,j,i])
        if t + 1 < T:
            da[t] = A[t + 1].T @ dm[t + 1]
        # u[t] = sum[i](da[t,i] * K[t,i])
        u[t] = da[t] @ K[t]
        # de[t] = u[t] + e[t] / s[t]
        de[t] = u[t] + e[t] / s[t]
        # dm[t,i] = -de[t] * C[t,i] + da[t,i]
        dm[t] = da[t] - de[t] * C[t]
    # dy[t] = de[t]
    dy = de
    # dm0[i] = dm[0,i]
    dm0 = _windows(dm, (0, 0))
    dV = np.zeros((T, N, N), dtype=values.y.dtype)
    ds = np.zeros((T,), dtype=values.y.dtype)
    dc = np.zeros((T, N), dtype=values.y.dtype)
    dP = np.zeros((T, N, N), dtype=values.y.dtype)
    dF = np.zeros((T, N, N), dtype=values.y.dtype)
    for t in reversed(range(T)):
        # dV[t,i,j] = [t+1 < T] * sum[k](dF[t+1,k,j] * A[t+1,k,i])
        if t + 1 < T:
            dV[t] = A[t + 1].T @ dF[t + 1]
        # ds[t] = sum[i,j](dV[t,i,j] * K[t,i] * K[t,j]) + 0.5 * (1 - e[t]^2 / s[t] - 2 *
        #     e[t] * u[t]) / s[t]
        part = 0.5 * (1.0 - e[t] ** 2 / s[t] - 2 * e[t] * u[t]) / s[t]
        ds[t] = dV[t].T @ K[t] @ K[t] + part
        # dc[t,i] = ds[t] * C[t,i] + da[t,i] * e[t] / s[t] - sum[j](K[t,j] * (dV[t,i,j]
        #     + dV[t,j,i]))
        dc[t] = ds[t] * C[t] + da[t] * e[t] / s[t] - (dV[t] + dV[t].T) @ K[t]
        # dP[t,i,j] = dc[t,i] * C[t,j] + dV[t,i,j]
        dP[t] = dc[t][:, None] * C[t] + dV[t]
        # dF[t,i,k] = [1 <= t] * sum[j](dP[t,i,j] * A[t,j,k])
        if 1 <= t:
            dF[t] = dP[t] @ A[t]
    # V_win[t,j,k] = V[t-1,j,k]
    V_win = _windows(V, (0, -1, (1, T)))
    # a_win[t,j] = a[t-1,j]
    a_win = _windows(a, (0, -1, (1, T)))
    # dA[t,i,j] = sum[k](dF[t,i,k] * V_win[t,j,k]) + [1 <= t] * sum[k](dP[t,k,i] *
    #     F[t,k,j]) + dm[t,i] * a_win[t,j]
    part_2 = (1 <= np.arange(T, dtype=int))[:, None, None]
    dA = (
        dF @ V_win.swapaxes(-1, -2)
        + np.where(part_2, dP.swapaxes(-1, -2) @ F, 0.0)
        + dm[..., None] * a_win[:, None, :]
    )
    # dQ[t,i,j] = dP[t,i,j] * [1 <= t]
    dQ = np.where((1 <= np.arange(T, dtype=int))[:, None, None], dP, 0.0)
    # dC[t,i] = sum[j](dc[t,j] * P[t,j,i]) + ds[t] * c[t,i] - de[t] * m[t,i]
    dC = (
        np.einsum("tj,tji->ti", dc, P, optimize=True)
        + ds[:, None] * c
        - de[:, None] * m
    )
    # dr[t] = ds[t]
    dr = ds
    # dP0[i,j] = dP[0,i,j]
    dP0 = _windows(dP, (0, 0))
    return Gradients(dA, dQ, dC, dr, dy, dm0, dP0)


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
