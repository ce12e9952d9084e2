"""GRU over time: forward and backward pass.

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
    "W_r": ("H", "D"),
    "U_r": ("H", "H"),
    "b_r": ("H",),
    "W_z": ("H", "D"),
    "U_z": ("H", "H"),
    "b_z": ("H",),
    "W_c": ("H", "D"),
    "U_c": ("H", "H"),
    "b_c": ("H",),
    "h": ("B", "T", "H"),
    "G": ("B", "T", "H"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    x: np.ndarray  # [B, T, D] inputs
    h0: np.ndarray  # [B, H] state before
    W_r: np.ndarray  # [H, D] weights of the reset gate, for inputs
    U_r: np.ndarray  # [H, H] weights of the reset gate, for states
    b_r: np.ndarray  # [H] biases of the reset gate
    W_z: np.ndarray  # [H, D] weights of the update gate, for inputs
    U_z: np.ndarray  # [H, H] weights of the update gate, for states
    b_z: np.ndarray  # [H] biases of the update gate
    W_c: np.ndarray  # [H, D] weights of the candidate, for inputs
    U_c: np.ndarray  # [H, H] weights of the candidate, for states
    b_c: np.ndarray  # [H] biases of the candidate
    r: np.ndarray  # [B, T, H] reset gate
    z: np.ndarray  # [B, T, H] update gate
    c: np.ndarray  # [B, T, H] candidate
    h: np.ndarray  # [B, T, H] hidden state


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dx: np.ndarray  # [B, T, D] dL/dx
    dh0: np.ndarray  # [B, H] dL/dh0
    dW_r: np.ndarray  # [H, D] dL/dW_r
    dU_r: np.ndarray  # [H, H] dL/dU_r
    db_r: np.ndarray  # [H] dL/db_r
    dW_z: np.ndarray  # [H, D] dL/dW_z
    dU_z: np.ndarray  # [H, H] dL/dU_z
    db_z: np.ndarray  # [H] dL/db_z
    dW_c: np.ndarray  # [H, D] dL/dW_c
    dU_c: np.ndarray  # [H, H] dL/dU_c
    db_c: np.ndarray  # [H] dL/db_c


def forward(
    x: np.ndarray,
    h0: np.ndarray,
    W_r: np.ndarray,
    U_r: np.ndarray,
    b_r: np.ndarray,
    W_z: np.ndarray,
    U_z: np.ndarray,
    b_z: np.ndarray,
    W_c: np.ndarray,
    U_c: np.ndarray,
    b_c: np.ndarray,
) -> Values:
    """Forward pass.

    Args:
        x: [B, T, D] inputs.
        h0: [B, H] state before.
        W_r: [H, D] weights of the reset gate, for inputs.
        U_r: [H, H] weights of the reset gate, for states.
        b_r: [H] biases of the reset gate.
        W_z: [H, D] weights of the update gate, for inputs.
        U_z: [H, H] weights of the update gate, for states.
        b_z: [H] biases of the update gate.
        W_c: [H, D] weights of the candidate, for inputs.
        U_c: [H, H] weights of the candidate, for states.
        b_c: [H] biases of the candidate.
    """
    x, h0, W_r, U_r, b_r, W_z, U_z, b_z, W_c, U_c, b_c = _checked(
        x=x,
        h0=h0,
        W_r=W_r,
        U_r=U_r,
        b_r=b_r,
        W_z=W_z,
        U_z=U_z,
        b_z=b_z,
        W_c=W_c,
        U_c=U_c,
        b_c=b_c,
    )
    B, T, _ = x.shape
    H = h0.shape[1]
    # r_arg_in[b,t,n] = sum[k](W_r[n,k] * x[b,t,k]) + b_r[n]
    r_arg_in = np.einsum("nk,btk->btn", W_r, x, optimize=True) + b_r
    # z_arg_in[b,t,n] = sum[k](W_z[n,k] * x[b,t,k]) + b_z[n]
    z_arg_in = np.einsum("nk,btk->btn", W_z, x, optimize=True) + b_z
    # c_arg_in[b,t,n] = sum[k](W_c[n,k] * x[b,t,k]) + b_c[n]
    c_arg_in = np.einsum("nk,btk->btn", W_c, x, optimize=True) + b_c
    r_arg = np.zeros((B, T, H), dtype=x.dtype)
    r = np.zeros((B, T, H), dtype=x.dtype)
    z_arg = np.zeros((B, T, H), dtype=x.dtype)
    z = np.zeros((B, T, H), dtype=x.dtype)
    c_arg = np.zeros((B, T, H), dtype=x.dtype)
    c = np.zeros((B, T, H), dtype=x.dtype)
    h = np.zeros((B, T, H), dtype=x.dtype)
    for t in range(T):
        # r_arg[b,t,n] = sum[k](W_r[n,k] * x[b,t,k]) + sum[m](U_r[n,m] * h[b,t-1,m]) +
        #     b_r[n]
        r_arg[:, t] = r_arg_in[:, t]
        if 1 <= t:
            r_arg[:, t] += h[:, t - 1] @ U_r.T
        # r[b,t,n] = [1 <= t] * sigmoid(r_arg[b,t,n])
        if 1 <= t:
            r[:, t] = _sigmoid(r_arg[:, t])
        # z_arg[b,t,n] = sum[k](W_z[n,k] * x[b,t,k]) + sum[m](U_z[n,m] * h[b,t-1,m]) +
        #     b_z[n]
        z_arg[:, t] = z_arg_in[:, t]
        if 1 <= t:
            z_arg[:, t] += h[:, t - 1] @ U_z.T
        # z[b,t,n] = [1 <= t] * sigmoid(z_arg[b,t,n])
        if 1 <= t:
            z[:, t] = _sigmoid(z_arg[:, t])
        # c_arg[b,t,n] = sum[k](W_c[n,k] * x[b,t,k]) + sum[m](U_c[n,m] * r[b,t,m] *
        #     h[b,t-1,m]) + b_c[n]
        c_arg[:, t] = c_arg_in[:, t]
        if 1 <= t:
            c_arg[:, t] += r[:, t] * h[:, t - 1] @ U_c.T
        # c[b,t,n] = [1 <= t] * tanh(c_arg[b,t,n])
        if 1 <= t:
            c[:, t] = np.tanh(c_arg[:, t])
        # h[b,t,n] = delta[t,0] * h0[b,n] + [1 <= t] * (1 - z[b,t,n]) * c[b,t,n] + [1 <=
        #     t] * z[b,t,n] * h[b,t-1,n]
        if t == 0:
            h[:, t] = h0
        if 1 <= t:
            h[:, t] = (1.0 - z[:, t]) * c[:, t] + z[:, t] * h[:, t - 1]
    return Values(x, h0, W_r, U_r, b_r, W_z, U_z, b_z, W_c, U_c, b_c, r, z, c, h)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [B, T, H] the upstream gradient dL/dh.
    """
    *_, G = _checked(h=values.h, G=G)
    x = values.x
    W_r = values.W_r
    U_r = values.U_r
    W_z = values.W_z
    U_z = values.U_z
    W_c = values.W_c
    U_c = values.U_c
    r = values.r
    z = values.z
    c = values.c
    h = values.h
    B, T, H = G.shape
    dh = np.zeros((B, T, H), dtype=G.dtype)
    dc_arg = np.zeros((B, T, H), dtype=G.dtype)
    dz_arg = np.zeros((B, T, H), dtype=G.dtype)
    dr = np.zeros((B, T, H), dtype=G.dtype)
    dr_arg = np.zeros((B, T, H), dtype=G.dtype)
    for t in reversed(range(T)):
        # dh[b,t,n] = G[b,t,n] + dh[b,t+1,n] * z[b,t+1,n] * [t+1 < T] + [t+1 < T] *
        #     sum[m]((dr_arg[b,t+1,m] * U_r[m,n] + dz_arg[b,t+1,m] * U_z[m,n] +
        #     dc_arg[b,t+1,m] * U_c[m,n] * r[b,t+1,n]))
        dh[:, t] = G[:, t]
        if t + 1 < T:
            dh[:, t] += (
                dh[:, t + 1] * z[:, t + 1]
                + dr_arg[:, t + 1] @ U_r
                + dz_arg[:, t + 1] @ U_z
                + dc_arg[:, t + 1] @ U_c * r[:, t + 1]
            )
        # dc_arg[b,t,n] = dh[b,t,n] * [1 <= t] * (1 - z[b,t,n]) * (1 - c[b,t,n]^2)
        if 1 <= t:
            dc_arg[:, t] = dh[:, t] * (1.0 - z[:, t]) * (1.0 - c[:, t] ** 2)
        # dz_arg[b,t,n] = dh[b,t,n] * [1 <= t] * (h[b,t-1,n] - c[b,t,n]) * z[b,t,n] * (1
        #     - z[b,t,n])
        if 1 <= t:
            part = dh[:, t] * h[:, t - 1] * z[:, t] * (1.0 - z[:, t])
            dz_arg[:, t] = part - dh[:, t] * c[:, t] * z[:, t] * (1.0 - z[:, t])
        # dr[b,t,n] = h[b,t-1,n] * sum[m](dc_arg[b,t,m] * U_c[m,n])
        if 1 <= t:
            dr[:, t] = dc_arg[:, t] @ U_c * h[:, t - 1]
        # dr_arg[b,t,n] = dr[b,t,n] * r[b,t,n] * (1 - r[b,t,n])
        dr_arg[:, t] = dr[:, t] * r[:, t] * (1.0 - r[:, t])
    # dx[b,t,k] = sum[n](dr_arg[b,t,n] * W_r[n,k]) + sum[n](dz_arg[b,t,n] * W_z[n,k]) +
    #     sum[n](dc_arg[b,t,n] * W_c[n,k])
    dx = (
        np.einsum("btn,nk->btk", dr_arg, W_r, optimize=True)
        + np.einsum("btn,nk->btk", dz_arg, W_z, optimize=True)
        + np.einsum("btn,nk->btk", dc_arg, W_c, optimize=True)
    )
    # dh0[b,n] = dh[b,0,n]
    dh0 = _windows(dh, (1, 0))
    # dW_r[n,k] = sum[b,t](dr_arg[b,t,n] * x[b,t,k])
    dW_r = np.einsum("btn,btk->nk", dr_arg, x, optimize=True)
    # h_win[b,t,m] = h[b,t-1,m]
    h_win = _windows(h, (1, -1, (1, T)))
    # dU_r[n,m] = sum[b,t](dr_arg[b,t,n] * h_win[b,t,m])
    dU_r = np.einsum("btn,btm->nm", dr_arg, h_win, optimize=True)
    # db_r[n] = sum[b,t](dr_arg[b,t,n])
    db_r = dr_arg.sum(axis=(0, 1))
    # dW_z[n,k] = sum[b,t](dz_arg[b,t,n] * x[b,t,k])
    dW_z = np.einsum("btn,btk->nk", dz_arg, x, optimize=True)
    # dU_z[n,m] = sum[b,t](dz_arg[b,t,n] * h_win[b,t,m])
    dU_z = np.einsum("btn,btm->nm", dz_arg, h_win, optimize=True)
    # db_z[n] = sum[b,t](dz_arg[b,t,n])
    db_z = dz_arg.sum(axis=(0, 1))
    # dW_c[n,k] = sum[b,t](dc_arg[b,t,n] * x[b,t,k])
    dW_c = np.einsum("btn,btk->nk", dc_arg, x, optimize=True)
    # dU_c[n,m] = sum[b,t](dc_arg[b,t,n] * r[b,t,m] * h_win[b,t,m])
    dU_c = np.einsum(
        "btn,mbt->nm",
        dc_arg,
        r.transpose(2, 0, 1) * h_win.transpose(2, 0, 1),
        optimize=True,
    )
    # db_c[n] = sum[b,t](dc_arg[b,t,n])
    db_c = dc_arg.sum(axis=(0, 1))
    return Gradients(dx, dh0, dW_r, dU_r, db_r, dW_z, dU_z, db_z, dW_c, dU_c, db_c)


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
