"""Euler's method for a neural differential equation: forward and backward pass.

Extents:
    D: components of the state (indices i, j)
    H: hidden units (indices k)
    T: points in time (indices t)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "y0": ("D",),
    "W": ("H", "D"),
    "c": ("H",),
    "V": ("D", "H"),
    "y": ("T", "D"),
    "G": ("T", "D"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    y0: np.ndarray  # [D] state at the beginning
    W: np.ndarray  # [H, D] weights
    c: np.ndarray  # [H] biases
    V: np.ndarray  # [D, H] weights of the slope
    Wy: np.ndarray  # [T, H]
    y: np.ndarray  # [T, D] state
    T: int  # extent
    dt: float  # length of a step


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dy0: np.ndarray  # [D] dL/dy0
    dW: np.ndarray  # [H, D] dL/dW
    dc: np.ndarray  # [H] dL/dc
    dV: np.ndarray  # [D, H] dL/dV


def forward(
    y0: np.ndarray,
    W: np.ndarray,
    c: np.ndarray,
    V: np.ndarray,
    *,
    T: int,
    dt: float = 0.1,
) -> Values:
    """Forward pass.

    Args:
        y0: [D] state at the beginning.
        W: [H, D] weights.
        c: [H] biases.
        V: [D, H] weights of the slope.
        T: extent, no input shows it.
        dt: length of a step.
    """
    y0, W, c, V = _checked({"T": T}, y0=y0, W=W, c=c, V=V)
    D = y0.shape[0]
    H = W.shape[0]
    Wy = np.zeros((T, H), dtype=y0.dtype)
    y = np.zeros((T, D), dtype=y0.dtype)
    for t in range(T):
        # Wy[t,k] = sum[j](W[k,j] * y[t-1,j])
        if 1 <= t:
            Wy[t] = W @ y[t - 1]
        # y[t,i] = delta[t,0] * y0[i] + [1 <= t] * y[t-1,i] + dt * [1 <= t] *
        #     sum[k](V[i,k] * tanh(Wy[t,k] + c[k]))
        if t == 0:
            y[t] = y0
        if 1 <= t:
            y[t] = y[t - 1] + dt * (V @ np.tanh(Wy[t] + c))
    return Values(y0, W, c, V, Wy, y, T, dt)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [T, D] the upstream gradient dL/dy.
    """
    *_, G = _checked({}, y=values.y, G=G)
    W = values.W
    c = values.c
    V = values.V
    Wy = values.Wy
    y = values.y
    T = values.T
    dt = values.dt
    D = G.shape[1]
    H = W.shape[0]
    # tanh[t,k] = tanh(Wy[t,k] + c[k])
    tanh = np.tanh(Wy + c)
    dy = np.zeros((T, D), dtype=G.dtype)
    dWy = np.zeros((T, H), dtype=G.dtype)
    for t in reversed(range(T)):
        # dy[t,i] = G[t,i] + dy[t+1,i] * [t+1 < T] + [t+1 < T] * sum[k](dWy[t+1,k] *
        #     W[k,i])
        dy[t] = G[t]
        if t + 1 < T:
            dy[t] += dy[t + 1] + W.T @ dWy[t + 1]
        # dWy[t,k] = dt * [1 <= t] * (1 - tanh[t,k]^2) * sum[i](dy[t,i] * V[i,k])
        if 1 <= t:
            dWy[t] = dt * (V.T @ dy[t]) * (1.0 - tanh[t] ** 2)
    # dy0[i] = dy[0,i]
    dy0 = _windows(dy, (0, 0))
    # y_win[t,i] = y[t-1,i]
    y_win = _windows(y, (0, -1, (1, T)))
    # dW[k,i] = sum[t](dWy[t,k] * y_win[t,i])
    dW = dWy.T @ y_win
    # dc[k] = dt * sum[t,i](dy[t,i] * [1 <= t] * V[i,k] * (1 - tanh[t,k]^2))
    dc = dt * np.einsum(
        "kt,kt->k",
        V.T @ np.where((1 <= np.arange(T, dtype=int))[:, None], dy, 0.0).T,
        1.0 - (tanh**2).T,
    )
    # dV[i,k] = dt * sum[t](dy[t,i] * [1 <= t] * tanh[t,k])
    dV = dt * (np.where(1 <= np.arange(T, dtype=int), dy.T, 0.0) @ tanh)
    return Gradients(dy0, dW, dc, dV)


def _checked(known: dict[str, int], /, **given: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype, if their axes agree with `AXES`."""
    arrays = _promoted(*given.values())
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
