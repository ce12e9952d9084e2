"""Recurrent network: forward and backward pass.

Extents:
    H: hidden units (indices i, j)
    T: steps (indices t)
    D: inputs (indices k)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "h0": ("H",),
    "x": ("T", "D"),
    "W": ("H", "H"),
    "U": ("H", "D"),
    "b": ("H",),
    "h": ("T", "H"),
    "G": ("T", "H"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    h0: np.ndarray  # [H] state before
    x: np.ndarray  # [T, D] inputs
    W: np.ndarray  # [H, H] recurrent weights
    U: np.ndarray  # [H, D] input weights
    b: np.ndarray  # [H] biases
    h: np.ndarray  # [T, H] hidden state


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dh0: np.ndarray  # [H] dL/dh0
    dx: np.ndarray  # [T, D] dL/dx
    dW: np.ndarray  # [H, H] dL/dW
    dU: np.ndarray  # [H, D] dL/dU
    db: np.ndarray  # [H] dL/db


def forward(
    h0: np.ndarray, x: np.ndarray, W: np.ndarray, U: np.ndarray, b: np.ndarray
) -> Values:
    """Forward pass.

    Args:
        h0: [H] state before.
        x: [T, D] inputs.
        W: [H, H] recurrent weights.
        U: [H, D] input weights.
        b: [H] biases.
    """
    h0, x, W, U, b = _checked(h0=h0, x=x, W=W, U=U, b=b)
    H = h0.shape[0]
    T = x.shape[0]
    # h_arg_in[t,i] = sum[k](U[i,k] * x[t,k]) + b[i]
    h_arg_in = x @ U.T + b
    h_arg = np.zeros((T, H), dtype=h0.dtype)
    h = np.zeros((T, H), dtype=h0.dtype)
    for t in range(T):
        # h_arg[t,i] = sum[j](W[i,j] * h[t-1,j]) + sum[k](U[i,k] * x[t,k]) + b[i]
        h_arg[t] = h_arg_in[t]
        if 1 <= t:
            h_arg[t] += W @ h[t - 1]
        # h[t,i] = delta[t,0] * h0[i] + [1 <= t] * tanh(h_arg[t,i])
        if t == 0:
            h[t] = h0
        if 1 <= t:
            h[t] = np.tanh(h_arg[t])
    return Values(h0, x, W, U, b, h)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [T, H] the upstream gradient dL/dh.
    """
    *_, G = _checked(h=values.h, G=G)
    x, W, U, h = values.x, values.W, values.U, values.h
    T, H = G.shape
    dh = np.zeros((T, H), dtype=G.dtype)
    dh_arg = np.zeros((T, H), dtype=G.dtype)
    for t in reversed(range(T)):
        # dh[t,i] = G[t,i] + [t+1 < T] * sum[j](dh_arg[t+1,j] * W[j,i])
        dh[t] = G[t]
        if t + 1 < T:
            dh[t] += W.T @ dh_arg[t + 1]
        # dh_arg[t,i] = dh[t,i] * [1 <= t] * (1 - h[t,i]^2)
        if 1 <= t:
            dh_arg[t] = dh[t] * (1.0 - h[t] ** 2)
    # dh0[i] = dh[0,i]
    dh0 = _windows(dh, (0, 0))
    # dx[t,k] = sum[i](dh_arg[t,i] * U[i,k])
    dx = dh_arg @ U
    # h_win[t,j] = h[t-1,j]
    h_win = _windows(h, (0, -1, (1, T)))
    # dW[i,j] = sum[t](dh_arg[t,i] * h_win[t,j])
    dW = dh_arg.T @ h_win
    # dU[i,k] = sum[t](dh_arg[t,i] * x[t,k])
    dU = dh_arg.T @ x
    # db[i] = sum[t](dh_arg[t,i])
    db = dh_arg.sum(axis=0)
    return Gradients(dh0, dx, dW, dU, db)


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
