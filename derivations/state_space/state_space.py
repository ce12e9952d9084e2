"""Linear state-space model: forward and backward pass.

Extents:
    N: components of the state (indices i, j)
    D: inputs (indices k)
    P: outputs (indices p)
    T: steps (indices t)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "A": ("N", "N"),
    "B": ("N", "D"),
    "C": ("P", "N"),
    "h0": ("N",),
    "x": ("T", "D"),
    "y": ("T", "P"),
    "G": ("T", "P"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    A: np.ndarray  # [N, N] transition
    B: np.ndarray  # [N, D] input matrix
    C: np.ndarray  # [P, N] output matrix
    h0: np.ndarray  # [N] first state
    x: np.ndarray  # [T, D] inputs
    h: np.ndarray  # [T, N] state
    y: np.ndarray  # [T, P] outputs


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dA: np.ndarray  # [N, N] dL/dA
    dB: np.ndarray  # [N, D] dL/dB
    dC: np.ndarray  # [P, N] dL/dC
    dh0: np.ndarray  # [N] dL/dh0
    dx: np.ndarray  # [T, D] dL/dx


def forward(
    A: np.ndarray, B: np.ndarray, C: np.ndarray, h0: np.ndarray, x: np.ndarray
) -> Values:
    """Forward pass.

    Args:
        A: [N, N] transition.
        B: [N, D] input matrix.
        C: [P, N] output matrix.
        h0: [N] first state.
        x: [T, D] inputs.
    """
    A, B, C, h0, x = _checked(A=A, B=B, C=C, h0=h0, x=x)
    N = A.shape[0]
    T = x.shape[0]
    h = np.zeros((T, N), dtype=A.dtype)
    for t in range(T):
        # h[t,i] = delta[t,0] * h0[i] + [1 <= t] * sum[j](A[i,j] * h[t-1,j]) + [1 <= t]
        #     * sum[k](B[i,k] * x[t,k])
        if t == 0:
            h[t] = h0
        if 1 <= t:
            h[t] = A @ h[t - 1] + B @ x[t]
    # y[t,p] = sum[i](C[p,i] * h[t,i])
    y = h @ C.T
    return Values(A, B, C, h0, x, h, y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [T, P] the upstream gradient dL/dy.
    """
    *_, G = _checked(y=values.y, G=G)
    A, B, C, x, h = values.A, values.B, values.C, values.x, values.h
    T = G.shape[0]
    N = A.shape[0]
    # dC[p,i] = sum[t](G[t,p] * h[t,i])
    dC = G.T @ h
    # dh_in[t,i] = sum[p](G[t,p] * C[p,i])
    dh_in = G @ C
    dh = np.zeros((T, N), dtype=G.dtype)
    for t in reversed(range(T)):
        # dh[t,i] = [t+1 < T] * sum[j](dh[t+1,j] * A[j,i]) + sum[p](G[t,p] * C[p,i])
        dh[t] = dh_in[t]
        if t + 1 < T:
            dh[t] += A.T @ dh[t + 1]
    # h_win[t,j] = h[t-1,j]
    h_win = _windows(h, (0, -1, (1, T)))
    # dA[i,j] = sum[t](dh[t,i] * h_win[t,j])
    dA = dh.T @ h_win
    # dB[i,k] = sum[t](dh[t,i] * [1 <= t] * x[t,k])
    dB = np.where(1 <= np.arange(T, dtype=int), dh.T, 0.0) @ x
    # dh0[i] = dh[0,i]
    dh0 = _windows(dh, (0, 0))
    # dx[t,k] = [1 <= t] * sum[i](dh[t,i] * B[i,k])
    dx = np.where((1 <= np.arange(T, dtype=int))[:, None], dh @ B, 0.0)
    return Gradients(dA, dB, dC, dh0, dx)


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
