"""Bidirectional recurrent network: forward and backward pass.

Extents:
    T: steps (indices t)
    D: inputs (indices k)
    H: hidden units (indices i, j)
    P: outputs (indices p)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "x": ("T", "D"),
    "f0": ("H",),
    "g0": ("H",),
    "W_f": ("H", "H"),
    "U_f": ("H", "D"),
    "b_f": ("H",),
    "W_g": ("H", "H"),
    "U_g": ("H", "D"),
    "b_g": ("H",),
    "V_f": ("P", "H"),
    "V_g": ("P", "H"),
    "c": ("P",),
    "y": ("T", "P"),
    "G": ("T", "P"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    x: np.ndarray  # [T, D] inputs
    f0: np.ndarray  # [H] state before the first step
    g0: np.ndarray  # [H] state after the last step
    W_f: np.ndarray  # [H, H] weights for states from the left
    U_f: np.ndarray  # [H, D] weights for inputs
    b_f: np.ndarray  # [H] biases
    W_g: np.ndarray  # [H, H] weights for states from the right
    U_g: np.ndarray  # [H, D] weights for inputs
    b_g: np.ndarray  # [H] biases
    V_f: np.ndarray  # [P, H] output weights for states from the left
    V_g: np.ndarray  # [P, H] output weights for states from the right
    c: np.ndarray  # [P] output biases
    f: np.ndarray  # [T, H] state from the left
    g: np.ndarray  # [T, H] state from the right
    y: np.ndarray  # [T, P] outputs


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dx: np.ndarray  # [T, D] dL/dx
    df0: np.ndarray  # [H] dL/df0
    dg0: np.ndarray  # [H] dL/dg0
    dW_f: np.ndarray  # [H, H] dL/dW_f
    dU_f: np.ndarray  # [H, D] dL/dU_f
    db_f: np.ndarray  # [H] dL/db_f
    dW_g: np.ndarray  # [H, H] dL/dW_g
    dU_g: np.ndarray  # [H, D] dL/dU_g
    db_g: np.ndarray  # [H] dL/db_g
    dV_f: np.ndarray  # [P, H] dL/dV_f
    dV_g: np.ndarray  # [P, H] dL/dV_g
    dc: np.ndarray  # [P] dL/dc


def forward(
    x: np.ndarray,
    f0: np.ndarray,
    g0: np.ndarray,
    W_f: np.ndarray,
    U_f: np.ndarray,
    b_f: np.ndarray,
    W_g: np.ndarray,
    U_g: np.ndarray,
    b_g: np.ndarray,
    V_f: np.ndarray,
    V_g: np.ndarray,
    c: np.ndarray,
) -> Values:
    """Forward pass.

    Args:
        x: [T, D] inputs.
        f0: [H] state before the first step.
        g0: [H] state after the last step.
        W_f: [H, H] weights for states from the left.
        U_f: [H, D] weights for inputs.
        b_f: [H] biases.
        W_g: [H, H] weights for states from the right.
        U_g: [H, D] weights for inputs.
        b_g: [H] biases.
        V_f: [P, H] output weights for states from the left.
        V_g: [P, H] output weights for states from the right.
        c: [P] output biases.
    """
    x, f0, g0, W_f, U_f, b_f, W_g, U_g, b_g, V_f, V_g, c = _checked(
        x=x,
        f0=f0,
        g0=g0,
        W_f=W_f,
        U_f=U_f,
        b_f=b_f,
        W_g=W_g,
        U_g=U_g,
        b_g=b_g,
        V_f=V_f,
        V_g=V_g,
        c=c,
    )
    T = x.shape[0]
    H = f0.shape[0]
    # f_arg_in[t,i] = sum[k](U_f[i,k] * x[t,k]) + b_f[i]
    f_arg_in = x @ U_f.T + b_f
    f_arg = np.zeros((T, H), dtype=x.dtype)
    f = np.zeros((T, H), dtype=x.dtype)
    for t in range(T):
        # f_arg[t,i] = sum[j](W_f[i,j] * f[t-1,j]) + sum[k](U_f[i,k] * x[t,k]) + b_f[i]
        f_arg[t] = f_arg_in[t]
        if 1 <= t:
            f_arg[t] += W_f @ f[t - 1]
        # f[t,i] = delta[t,0] * f0[i] + [1 <= t] * tanh(f_arg[t,i])
        if t == 0:
            f[t] = f0
        if 1 <= t:
            f[t] = np.tanh(f_arg[t])
    # g_arg_in[t,i] = sum[k](U_g[i,k] * x[t,k]) + b_g[i]
    g_arg_in = x @ U_g.T + b_g
    g_arg = np.zeros((T, H), dtype=x.dtype)
    g = np.zeros((T, H), dtype=x.dtype)
    for t in reversed(range(T)):
        # g_arg[t,i] = sum[j](W_g[i,j] * g[t+1,j]) + sum[k](U_g[i,k] * x[t,k]) + b_g[i]
        g_arg[t] = g_arg_in[t]
        if t + 1 < T:
            g_arg[t] += W_g @ g[t + 1]
        # g[t,i] = delta[t,T-1] * g0[i] + [t <= T-2] * tanh(g_arg[t,i])
        if t == T - 1:
            g[t] = g0
        if t <= T - 2:
            g[t] = np.tanh(g_arg[t])
    # y[t,p] = sum[i](V_f[p,i] * f[t,i]) + sum[i](V_g[p,i] * g[t,i]) + c[p]
    y = f @ V_f.T + g @ V_g.T + c
    return Values(x, f0, g0, W_f, U_f, b_f, W_g, U_g, b_g, V_f, V_g, c, f, g, y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [T, P] the upstream gradient dL/dy.
    """
    *_, G = _checked(y=values.y, G=G)
    x = values.x
    W_f = values.W_f
    U_f = values.U_f
    W_g = values.W_g
    U_g = values.U_g
    V_f = values.V_f
    V_g = values.V_g
    f = values.f
    g = values.g
    T = G.shape[0]
    H = W_f.shape[0]
    # dV_f[p,i] = sum[t](G[t,p] * f[t,i])
    dV_f = G.T @ f
    # dV_g[p,i] = sum[t](G[t,p] * g[t,i])
    dV_g = G.T @ g
    # dc[p] = sum[t](G[t,p])
    dc = G.sum(axis=0)
    # dg_in[t,i] = sum[p](G[t,p] * V_g[p,i])
    dg_in = G @ V_g
    dg = np.zeros((T, H), dtype=G.dtype)
    dg_arg = np.zeros((T, H), dtype=G.dtype)
    for t in range(T):
        # dg[t,i] = [1 <= t] * sum[j](dg_arg[t-1,j] * W_g[j,i]) + sum[p](G[t,p] *
        #     V_g[p,i])
        dg[t] = dg_in[t]
        if 1 <= t:
            dg[t] += W_g.T @ dg_arg[t - 1]
        # dg_arg[t,i] = dg[t,i] * [t <= T-2] * (1 - g[t,i]^2)
        if t <= T - 2:
            dg_arg[t] = dg[t] * (1.0 - g[t] ** 2)
    # dg0[i] = dg[T-1,i]
    dg0 = _windows(dg, (0, T - 1))
    # g_win[t,j] = g[t+1,j]
    g_win = _windows(g, (0, 1, (1, T)))
    # dW_g[i,j] = sum[t](dg_arg[t,i] * g_win[t,j])
    dW_g = dg_arg.T @ g_win
    # dU_g[i,k] = sum[t](dg_arg[t,i] * x[t,k])
    dU_g = dg_arg.T @ x
    # db_g[i] = sum[t](dg_arg[t,i])
    db_g = dg_arg.sum(axis=0)
    # df_in[t,i] = sum[p](G[t,p] * V_f[p,i])
    df_in = G @ V_f
    df = np.zeros((T, H), dtype=G.dtype)
    df_arg = np.zeros((T, H), dtype=G.dtype)
    for t in reversed(range(T)):
        # df[t,i] = [t+1 < T] * sum[j](df_arg[t+1,j] * W_f[j,i]) + sum[p](G[t,p] *
        #     V_f[p,i])
        df[t] = df_in[t]
        if t + 1 < T:
            df[t] += W_f.T @ df_arg[t + 1]
        # df_arg[t,i] = df[t,i] * [1 <= t] * (1 - f[t,i]^2)
        if 1 <= t:
            df_arg[t] = df[t] * (1.0 - f[t] ** 2)
    # dx[t,k] = sum[i](df_arg[t,i] * U_f[i,k]) + sum[i](dg_arg[t,i] * U_g[i,k])
    dx = df_arg @ U_f + dg_arg @ U_g
    # df0[i] = df[0,i]
    df0 = _windows(df, (0, 0))
    # f_win[t,j] = f[t-1,j]
    f_win = _windows(f, (0, -1, (1, T)))
    # dW_f[i,j] = sum[t](df_arg[t,i] * f_win[t,j])
    dW_f = df_arg.T @ f_win
    # dU_f[i,k] = sum[t](df_arg[t,i] * x[t,k])
    dU_f = df_arg.T @ x
    # db_f[i] = sum[t](df_arg[t,i])
    db_f = df_arg.sum(axis=0)
    return Gradients(dx, df0, dg0, dW_f, dU_f, db_f, dW_g, dU_g, db_g, dV_f, dV_g, dc)


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
