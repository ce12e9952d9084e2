"""LSTM over time: forward and backward pass.

Extents:
    B: samples (indices b)
    T: steps (indices t)
    D: inputs (indices k)
    H: units (indices n, m)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "x": ("B", "T", "D"),
    "h0": ("B", "H"),
    "c0": ("B", "H"),
    "W_i": ("H", "D"),
    "U_i": ("H", "H"),
    "b_i": ("H",),
    "W_f": ("H", "D"),
    "U_f": ("H", "H"),
    "b_f": ("H",),
    "W_o": ("H", "D"),
    "U_o": ("H", "H"),
    "b_o": ("H",),
    "W_g": ("H", "D"),
    "U_g": ("H", "H"),
    "b_g": ("H",),
    "h": ("B", "T", "H"),
    "G": ("B", "T", "H"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    x: np.ndarray  # [B, T, D] inputs
    h0: np.ndarray  # [B, H] state before
    c0: np.ndarray  # [B, H] cell before
    W_i: np.ndarray  # [H, D] weights of the input gate, for inputs
    U_i: np.ndarray  # [H, H] weights of the input gate, for states
    b_i: np.ndarray  # [H] biases of the input gate
    W_f: np.ndarray  # [H, D] weights of the forget gate, for inputs
    U_f: np.ndarray  # [H, H] weights of the forget gate, for states
    b_f: np.ndarray  # [H] biases of the forget gate
    W_o: np.ndarray  # [H, D] weights of the output gate, for inputs
    U_o: np.ndarray  # [H, H] weights of the output gate, for states
    b_o: np.ndarray  # [H] biases of the output gate
    W_g: np.ndarray  # [H, D] weights of the candidate, for inputs
    U_g: np.ndarray  # [H, H] weights of the candidate, for states
    b_g: np.ndarray  # [H] biases of the candidate
    i: np.ndarray  # [B, T, H] input gate
    f: np.ndarray  # [B, T, H] forget gate
    o: np.ndarray  # [B, T, H] output gate
    g: np.ndarray  # [B, T, H] candidate
    c: np.ndarray  # [B, T, H] cell
    h: np.ndarray  # [B, T, H] hidden state


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dx: np.ndarray  # [B, T, D] dL/dx
    dh0: np.ndarray  # [B, H] dL/dh0
    dc0: np.ndarray  # [B, H] dL/dc0
    dW_i: np.ndarray  # [H, D] dL/dW_i
    dU_i: np.ndarray  # [H, H] dL/dU_i
    db_i: np.ndarray  # [H] dL/db_i
    dW_f: np.ndarray  # [H, D] dL/dW_f
    dU_f: np.ndarray  # [H, H] dL/dU_f
    db_f: np.ndarray  # [H] dL/db_f
    dW_o: np.ndarray  # [H, D] dL/dW_o
    dU_o: np.ndarray  # [H, H] dL/dU_o
    db_o: np.ndarray  # [H] dL/db_o
    dW_g: np.ndarray  # [H, D] dL/dW_g
    dU_g: np.ndarray  # [H, H] dL/dU_g
    db_g: np.ndarray  # [H] dL/db_g


def forward(
    x: np.ndarray,
    h0: np.ndarray,
    c0: np.ndarray,
    W_i: np.ndarray,
    U_i: np.ndarray,
    b_i: np.ndarray,
    W_f: np.ndarray,
    U_f: np.ndarray,
    b_f: np.ndarray,
    W_o: np.ndarray,
    U_o: np.ndarray,
    b_o: np.ndarray,
    W_g: np.ndarray,
    U_g: np.ndarray,
    b_g: np.ndarray,
) -> Values:
    """Forward pass.

    Args:
        x: [B, T, D] inputs.
        h0: [B, H] state before.
        c0: [B, H] cell before.
        W_i: [H, D] weights of the input gate, for inputs.
        U_i: [H, H] weights of the input gate, for states.
        b_i: [H] biases of the input gate.
        W_f: [H, D] weights of the forget gate, for inputs.
        U_f: [H, H] weights of the forget gate, for states.
        b_f: [H] biases of the forget gate.
        W_o: [H, D] weights of the output gate, for inputs.
        U_o: [H, H] weights of the output gate, for states.
        b_o: [H] biases of the output gate.
        W_g: [H, D] weights of the candidate, for inputs.
        U_g: [H, H] weights of the candidate, for states.
        b_g: [H] biases of the candidate.
    """
    x, h0, c0, W_i, U_i, b_i, W_f, U_f, b_f, W_o, U_o, b_o, W_g, U_g, b_g = _checked(
        x=x,
        h0=h0,
        c0=c0,
        W_i=W_i,
        U_i=U_i,
        b_i=b_i,
        W_f=W_f,
        U_f=U_f,
        b_f=b_f,
        W_o=W_o,
        U_o=U_o,
        b_o=b_o,
        W_g=W_g,
        U_g=U_g,
        b_g=b_g,
    )
    B, T, _ = x.shape
    H = h0.shape[1]
    # i_arg_in[b,t,n] = sum[k](W_i[n,k] * x[b,t,k]) + b_i[n]
    i_arg_in = np.einsum("nk,btk->btn", W_i, x, optimize=True) + b_i
    # f_arg_in[b,t,n] = sum[k](W_f[n,k] * x[b,t,k]) + b_f[n]
    f_arg_in = np.einsum("nk,btk->btn", W_f, x, optimize=True) + b_f
    # o_arg_in[b,t,n] = sum[k](W_o[n,k] * x[b,t,k]) + b_o[n]
    o_arg_in = np.einsum("nk,btk->btn", W_o, x, optimize=True) + b_o
    # g_arg_in[b,t,n] = sum[k](W_g[n,k] * x[b,t,k]) + b_g[n]
    g_arg_in = np.einsum("nk,btk->btn", W_g, x, optimize=True) + b_g
    i_arg = np.zeros((B, T, H), dtype=x.dtype)
    i = np.zeros((B, T, H), dtype=x.dtype)
    f_arg = np.zeros((B, T, H), dtype=x.dtype)
    f = np.zeros((B, T, H), dtype=x.dtype)
    o_arg = np.zeros((B, T, H), dtype=x.dtype)
    o = np.zeros((B, T, H), dtype=x.dtype)
    g_arg = np.zeros((B, T, H), dtype=x.dtype)
    g = np.zeros((B, T, H), dtype=x.dtype)
    c = np.zeros((B, T, H), dtype=x.dtype)
    h = np.zeros((B, T, H), dtype=x.dtype)
    for t in range(T):
        # i_arg[b,t,n] = sum[k](W_i[n,k] * x[b,t,k]) + sum[m](U_i[n,m] * h[b,t-1,m]) +
        #     b_i[n]
        i_arg[:, t] = i_arg_in[:, t]
        if 1 <= t:
            i_arg[:, t] += h[:, t - 1] @ U_i.T
        # i[b,t,n] = [1 <= t] * sigmoid(i_arg[b,t,n])
        if 1 <= t:
            i[:, t] = _sigmoid(i_arg[:, t])
        # f_arg[b,t,n] = sum[k](W_f[n,k] * x[b,t,k]) + sum[m](U_f[n,m] * h[b,t-1,m]) +
        #     b_f[n]
        f_arg[:, t] = f_arg_in[:, t]
        if 1 <= t:
            f_arg[:, t] += h[:, t - 1] @ U_f.T
        # f[b,t,n] = [1 <= t] * sigmoid(f_arg[b,t,n])
        if 1 <= t:
            f[:, t] = _sigmoid(f_arg[:, t])
        # o_arg[b,t,n] = sum[k](W_o[n,k] * x[b,t,k]) + sum[m](U_o[n,m] * h[b,t-1,m]) +
        #     b_o[n]
        o_arg[:, t] = o_arg_in[:, t]
        if 1 <= t:
            o_arg[:, t] += h[:, t - 1] @ U_o.T
        # o[b,t,n] = [1 <= t] * sigmoid(o_arg[b,t,n])
        if 1 <= t:
            o[:, t] = _sigmoid(o_arg[:, t])
        # g_arg[b,t,n] = sum[k](W_g[n,k] * x[b,t,k]) + sum[m](U_g[n,m] * h[b,t-1,m]) +
        #     b_g[n]
        g_arg[:, t] = g_arg_in[:, t]
        if 1 <= t:
            g_arg[:, t] += h[:, t - 1] @ U_g.T
        # g[b,t,n] = [1 <= t] * tanh(g_arg[b,t,n])
        if 1 <= t:
            g[:, t] = np.tanh(g_arg[:, t])
        # c[b,t,n] = delta[t,0] * c0[b,n] + [1 <= t] * f[b,t,n] * c[b,t-1,n] + [1 <= t]
        #     * i[b,t,n] * g[b,t,n]
        if t == 0:
            c[:, t] = c0
        if 1 <= t:
            c[:, t] = f[:, t] * c[:, t - 1] + i[:, t] * g[:, t]
        # h[b,t,n] = delta[t,0] * h0[b,n] + [1 <= t] * o[b,t,n] * tanh(c[b,t,n])
        if t == 0:
            h[:, t] = h0
        if 1 <= t:
            h[:, t] = o[:, t] * np.tanh(c[:, t])
    return Values(
        x,
        h0,
        c0,
        W_i,
        U_i,
        b_i,
        W_f,
        U_f,
        b_f,
        W_o,
        U_o,
        b_o,
        W_g,
        U_g,
        b_g,
        i,
        f,
        o,
        g,
        c,
        h,
    )


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [B, T, H] the upstream gradient dL/dh.
    """
    *_, G = _checked(h=values.h, G=G)
    x = values.x
    W_i = values.W_i
    U_i = values.U_i
    W_f = values.W_f
    U_f = values.U_f
    W_o = values.W_o
    U_o = values.U_o
    W_g = values.W_g
    U_g = values.U_g
    i = values.i
    f = values.f
    o = values.o
    g = values.g
    c = values.c
    h = values.h
    B, T, H = G.shape
    dh = np.zeros((B, T, H), dtype=G.dtype)
    dc = np.zeros((B, T, H), dtype=G.dtype)
    dg_arg = np.zeros((B, T, H), dtype=G.dtype)
    do_arg = np.zeros((B, T, H), dtype=G.dtype)
    df_arg = np.zeros((B, T, H), dtype=G.dtype)
    di_arg = np.zeros((B, T, H), dtype=G.dtype)
    for t in reversed(range(T)):
        # dh[b,t,n] = G[b,t,n] + [t+1 < T] * sum[m]((di_arg[b,t+1,m] * U_i[m,n] +
        #     df_arg[b,t+1,m] * U_f[m,n] + do_arg[b,t+1,m] * U_o[m,n] + dg_arg[b,t+1,m]
        #     * U_g[m,n]))
        dh[:, t] = G[:, t]
        if t + 1 < T:
            dh[:, t] += (
                di_arg[:, t + 1] @ U_i
                + df_arg[:, t + 1] @ U_f
                + do_arg[:, t + 1] @ U_o
                + dg_arg[:, t + 1] @ U_g
            )
        # dc[b,t,n] = dc[b,t+1,n] * f[b,t+1,n] * [t+1 < T] + dh[b,t,n] * [1 <= t] *
        #     o[b,t,n] * (1 - tanh(c[b,t,n])^2)
        if t + 1 < T:
            dc[:, t] = dc[:, t + 1] * f[:, t + 1]
        if 1 <= t:
            dc[:, t] += dh[:, t] * o[:, t] * (1.0 - np.tanh(c[:, t]) ** 2)
        # dg_arg[b,t,n] = dc[b,t,n] * [1 <= t] * i[b,t,n] * (1 - g[b,t,n]^2)
        if 1 <= t:
            dg_arg[:, t] = dc[:, t] * i[:, t] * (1.0 - g[:, t] ** 2)
        # do_arg[b,t,n] = dh[b,t,n] * [1 <= t] * h[b,t,n] * (1 - o[b,t,n])
        if 1 <= t:
            do_arg[:, t] = dh[:, t] * h[:, t] * (1.0 - o[:, t])
        # df_arg[b,t,n] = dc[b,t,n] * [1 <= t] * c[b,t-1,n] * f[b,t,n] * (1 - f[b,t,n])
        if 1 <= t:
            df_arg[:, t] = dc[:, t] * c[:, t - 1] * f[:, t] * (1.0 - f[:, t])
        # di_arg[b,t,n] = dc[b,t,n] * [1 <= t] * g[b,t,n] * i[b,t,n] * (1 - i[b,t,n])
        if 1 <= t:
            di_arg[:, t] = dc[:, t] * g[:, t] * i[:, t] * (1.0 - i[:, t])
    # dx[b,t,k] = sum[n](di_arg[b,t,n] * W_i[n,k]) + sum[n](df_arg[b,t,n] * W_f[n,k]) +
    #     sum[n](do_arg[b,t,n] * W_o[n,k]) + sum[n](dg_arg[b,t,n] * W_g[n,k])
    dx = (
        np.einsum("btn,nk->btk", di_arg, W_i, optimize=True)
        + np.einsum("btn,nk->btk", df_arg, W_f, optimize=True)
        + np.einsum("btn,nk->btk", do_arg, W_o, optimize=True)
        + np.einsum("btn,nk->btk", dg_arg, W_g, optimize=True)
    )
    # dh0[b,n] = dh[b,0,n]
    dh0 = _windows(dh, (1, 0))
    # dc0[b,n] = dc[b,0,n]
    dc0 = _windows(dc, (1, 0))
    # dW_i[n,k] = sum[b,t](di_arg[b,t,n] * x[b,t,k])
    dW_i = np.einsum("btn,btk->nk", di_arg, x, optimize=True)
    # h_win[b,t,m] = h[b,t-1,m]
    h_win = _windows(h, (1, -1, (1, T)))
    # dU_i[n,m] = sum[b,t](di_arg[b,t,n] * h_win[b,t,m])
    dU_i = np.einsum("btn,btm->nm", di_arg, h_win, optimize=True)
    # db_i[n] = sum[b,t](di_arg[b,t,n])
    db_i = di_arg.sum(axis=(0, 1))
    # dW_f[n,k] = sum[b,t](df_arg[b,t,n] * x[b,t,k])
    dW_f = np.einsum("btn,btk->nk", df_arg, x, optimize=True)
    # dU_f[n,m] = sum[b,t](df_arg[b,t,n] * h_win[b,t,m])
    dU_f = np.einsum("btn,btm->nm", df_arg, h_win, optimize=True)
    # db_f[n] = sum[b,t](df_arg[b,t,n])
    db_f = df_arg.sum(axis=(0, 1))
    # dW_o[n,k] = sum[b,t](do_arg[b,t,n] * x[b,t,k])
    dW_o = np.einsum("btn,btk->nk", do_arg, x, optimize=True)
    # dU_o[n,m] = sum[b,t](do_arg[b,t,n] * h_win[b,t,m])
    dU_o = np.einsum("btn,btm->nm", do_arg, h_win, optimize=True)
    # db_o[n] = sum[b,t](do_arg[b,t,n])
    db_o = do_arg.sum(axis=(0, 1))
    # dW_g[n,k] = sum[b,t](dg_arg[b,t,n] * x[b,t,k])
    dW_g = np.einsum("btn,btk->nk", dg_arg, x, optimize=True)
    # dU_g[n,m] = sum[b,t](dg_arg[b,t,n] * h_win[b,t,m])
    dU_g = np.einsum("btn,btm->nm", dg_arg, h_win, optimize=True)
    # db_g[n] = sum[b,t](dg_arg[b,t,n])
    db_g = dg_arg.sum(axis=(0, 1))
    return Gradients(
        dx,
        dh0,
        dc0,
        dW_i,
        dU_i,
        db_i,
        dW_f,
        dU_f,
        db_f,
        dW_o,
        dU_o,
        db_o,
        dW_g,
        dU_g,
        db_g,
    )


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


def _sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x), without overflow for any x."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0.0, 1.0, small) / (1.0 + small)


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
