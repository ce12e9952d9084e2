"""One step of an LSTM cell: forward and backward pass.

Extents:
    N: sequences of the batch (indices n)
    D: input features (indices d)
    H: hidden units (indices j, k)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "x": ("N", "D"),
    "h_prev": ("N", "H"),
    "c_prev": ("N", "H"),
    "W_I": ("H", "D"),
    "U_I": ("H", "H"),
    "b_I": ("H",),
    "W_F": ("H", "D"),
    "U_F": ("H", "H"),
    "b_F": ("H",),
    "W_G": ("H", "D"),
    "U_G": ("H", "H"),
    "b_G": ("H",),
    "W_O": ("H", "D"),
    "U_O": ("H", "H"),
    "b_O": ("H",),
    "h": ("N", "H"),
    "dh": ("N", "H"),
    "c": ("N", "H"),
    "E": ("N", "H"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    x: np.ndarray  # [N, D] inputs
    h_prev: np.ndarray  # [N, H] hidden states before
    c_prev: np.ndarray  # [N, H] cell states before
    W_I: np.ndarray  # [H, D] input gate: weights of the inputs
    U_I: np.ndarray  # [H, H] input gate: weights of the hidden states
    b_I: np.ndarray  # [H] input gate: bias
    W_F: np.ndarray  # [H, D] forget gate: weights of the inputs
    U_F: np.ndarray  # [H, H] forget gate: weights of the hidden states
    b_F: np.ndarray  # [H] forget gate: bias
    W_G: np.ndarray  # [H, D] candidate: weights of the inputs
    U_G: np.ndarray  # [H, H] candidate: weights of the hidden states
    b_G: np.ndarray  # [H] candidate: bias
    W_O: np.ndarray  # [H, D] output gate: weights of the inputs
    U_O: np.ndarray  # [H, H] output gate: weights of the hidden states
    b_O: np.ndarray  # [H] output gate: bias
    i: np.ndarray  # [N, H] input gate
    f: np.ndarray  # [N, H] forget gate
    g: np.ndarray  # [N, H] candidate
    o: np.ndarray  # [N, H] output gate
    c: np.ndarray  # [N, H] cell states
    c_next: np.ndarray  # [N, H] cell states, handed on to the next step
    h: np.ndarray  # [N, H] hidden states


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dc: np.ndarray  # [N, H] dL/dc
    dW_I: np.ndarray  # [H, D] dL/dW_I
    dU_I: np.ndarray  # [H, H] dL/dU_I
    db_I: np.ndarray  # [H] dL/db_I
    dW_F: np.ndarray  # [H, D] dL/dW_F
    dU_F: np.ndarray  # [H, H] dL/dU_F
    db_F: np.ndarray  # [H] dL/db_F
    dW_G: np.ndarray  # [H, D] dL/dW_G
    dU_G: np.ndarray  # [H, H] dL/dU_G
    db_G: np.ndarray  # [H] dL/db_G
    dW_O: np.ndarray  # [H, D] dL/dW_O
    dU_O: np.ndarray  # [H, H] dL/dU_O
    db_O: np.ndarray  # [H] dL/db_O
    dx: np.ndarray  # [N, D] dL/dx
    dh_prev: np.ndarray  # [N, H] dL/dh_prev
    dc_prev: np.ndarray  # [N, H] dL/dc_prev


def forward(
    x: np.ndarray,
    h_prev: np.ndarray,
    c_prev: np.ndarray,
    W_I: np.ndarray,
    U_I: np.ndarray,
    b_I: np.ndarray,
    W_F: np.ndarray,
    U_F: np.ndarray,
    b_F: np.ndarray,
    W_G: np.ndarray,
    U_G: np.ndarray,
    b_G: np.ndarray,
    W_O: np.ndarray,
    U_O: np.ndarray,
    b_O: np.ndarray,
) -> Values:
    """Forward pass.

    Args:
        x: [N, D] inputs.
        h_prev: [N, H] hidden states before.
        c_prev: [N, H] cell states before.
        W_I: [H, D] input gate: weights of the inputs.
        U_I: [H, H] input gate: weights of the hidden states.
        b_I: [H] input gate: bias.
        W_F: [H, D] forget gate: weights of the inputs.
        U_F: [H, H] forget gate: weights of the hidden states.
        b_F: [H] forget gate: bias.
        W_G: [H, D] candidate: weights of the inputs.
        U_G: [H, H] candidate: weights of the hidden states.
        b_G: [H] candidate: bias.
        W_O: [H, D] output gate: weights of the inputs.
        U_O: [H, H] output gate: weights of the hidden states.
        b_O: [H] output gate: bias.
    """
    arrays = _checked(
        x=x,
        h_prev=h_prev,
        c_prev=c_prev,
        W_I=W_I,
        U_I=U_I,
        b_I=b_I,
        W_F=W_F,
        U_F=U_F,
        b_F=b_F,
        W_G=W_G,
        U_G=U_G,
        b_G=b_G,
        W_O=W_O,
        U_O=U_O,
        b_O=b_O,
    )
    x = arrays[-15]
    h_prev = arrays[-14]
    c_prev = arrays[-13]
    W_I = arrays[-12]
    U_I = arrays[-11]
    b_I = arrays[-10]
    W_F = arrays[-9]
    U_F = arrays[-8]
    b_F = arrays[-7]
    W_G = arrays[-6]
    U_G = arrays[-5]
    b_G = arrays[-4]
    W_O = arrays[-3]
    U_O = arrays[-2]
    b_O = arrays[-1]
    # i_arg[n,j] = sum[d](W_I[j,d] * x[n,d]) + sum[k](U_I[j,k] * h_prev[n,k]) + b_I[j]
    i_arg = x @ W_I.T + h_prev @ U_I.T + b_I
    # i[n,j] = sigmoid(i_arg[n,j])
    i = _sigmoid(i_arg)
    # f_arg[n,j] = sum[d](W_F[j,d] * x[n,d]) + sum[k](U_F[j,k] * h_prev[n,k]) + b_F[j]
    f_arg = x @ W_F.T + h_prev @ U_F.T + b_F
    # f[n,j] = sigmoid(f_arg[n,j])
    f = _sigmoid(f_arg)
    # g_arg[n,j] = sum[d](W_G[j,d] * x[n,d]) + sum[k](U_G[j,k] * h_prev[n,k]) + b_G[j]
    g_arg = x @ W_G.T + h_prev @ U_G.T + b_G
    # g[n,j] = tanh(g_arg[n,j])
    g = np.tanh(g_arg)
    # o_arg[n,j] = sum[d](W_O[j,d] * x[n,d]) + sum[k](U_O[j,k] * h_prev[n,k]) + b_O[j]
    o_arg = x @ W_O.T + h_prev @ U_O.T + b_O
    # o[n,j] = sigmoid(o_arg[n,j])
    o = _sigmoid(o_arg)
    # c[n,j] = f[n,j] * c_prev[n,j] + i[n,j] * g[n,j]
    c = f * c_prev + i * g
    # c_next[n,j] = c[n,j]
    c_next = c
    # h[n,j] = o[n,j] * tanh(c[n,j])
    h = o * np.tanh(c)
    return Values(
        x,
        h_prev,
        c_prev,
        W_I,
        U_I,
        b_I,
        W_F,
        U_F,
        b_F,
        W_G,
        U_G,
        b_G,
        W_O,
        U_O,
        b_O,
        i,
        f,
        g,
        o,
        c,
        c_next,
        h,
    )


def backward(values: Values, dh: np.ndarray, E: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        dh: [N, H] the upstream gradient dL/dh.
        E: [N, H] the upstream gradient dL/dc_next.
    """
    *_, dh, E = _checked(h=values.h, c=values.c, dh=dh, E=E)
    x = values.x
    h_prev = values.h_prev
    c_prev = values.c_prev
    W_I = values.W_I
    U_I = values.U_I
    W_F = values.W_F
    U_F = values.U_F
    W_G = values.W_G
    U_G = values.U_G
    W_O = values.W_O
    U_O = values.U_O
    i = values.i
    f = values.f
    g = values.g
    o = values.o
    c = values.c
    h = values.h
    # dc[n,j] = E[n,j] + dh[n,j] * o[n,j] * (1 - tanh(c[n,j])^2)
    dc = E + dh * o * (1.0 - np.tanh(c) ** 2)
    # dc_prev[n,j] = dc[n,j] * f[n,j]
    dc_prev = dc * f
    # do_arg[n,j] = dh[n,j] * h[n,j] * (1 - o[n,j])
    do_arg = dh * h * (1.0 - o)
    # dW_O[j,d] = sum[n](do_arg[n,j] * x[n,d])
    dW_O = do_arg.T @ x
    # dU_O[j,k] = sum[n](do_arg[n,j] * h_prev[n,k])
    dU_O = do_arg.T @ h_prev
    # db_O[j] = sum[n](do_arg[n,j])
    db_O = do_arg.sum(axis=0)
    # dg_arg[n,j] = dc[n,j] * i[n,j] * (1 - g[n,j]^2)
    dg_arg = dc * i * (1.0 - g**2)
    # dW_G[j,d] = sum[n](dg_arg[n,j] * x[n,d])
    dW_G = dg_arg.T @ x
    # dU_G[j,k] = sum[n](dg_arg[n,j] * h_prev[n,k])
    dU_G = dg_arg.T @ h_prev
    # db_G[j] = sum[n](dg_arg[n,j])
    db_G = dg_arg.sum(axis=0)
    # df_arg[n,j] = dc[n,j] * c_prev[n,j] * f[n,j] * (1 - f[n,j])
    df_arg = dc * c_prev * f * (1.0 - f)
    # dW_F[j,d] = sum[n](df_arg[n,j] * x[n,d])
    dW_F = df_arg.T @ x
    # dU_F[j,k] = sum[n](df_arg[n,j] * h_prev[n,k])
    dU_F = df_arg.T @ h_prev
    # db_F[j] = sum[n](df_arg[n,j])
    db_F = df_arg.sum(axis=0)
    # di_arg[n,j] = dc[n,j] * g[n,j] * i[n,j] * (1 - i[n,j])
    di_arg = dc * g * i * (1.0 - i)
    # dW_I[j,d] = sum[n](di_arg[n,j] * x[n,d])
    dW_I = di_arg.T @ x
    # dU_I[j,k] = sum[n](di_arg[n,j] * h_prev[n,k])
    dU_I = di_arg.T @ h_prev
    # db_I[j] = sum[n](di_arg[n,j])
    db_I = di_arg.sum(axis=0)
    # dx[n,d] = sum[j](di_arg[n,j] * W_I[j,d]) + sum[j](df_arg[n,j] * W_F[j,d]) +
    #     sum[j](dg_arg[n,j] * W_G[j,d]) + sum[j](do_arg[n,j] * W_O[j,d])
    dx = di_arg @ W_I + df_arg @ W_F + dg_arg @ W_G + do_arg @ W_O
    # dh_prev[n,j] = sum[k](di_arg[n,k] * U_I[k,j]) + sum[k](df_arg[n,k] * U_F[k,j]) +
    #     sum[k](dg_arg[n,k] * U_G[k,j]) + sum[k](do_arg[n,k] * U_O[k,j])
    dh_prev = di_arg @ U_I + df_arg @ U_F + dg_arg @ U_G + do_arg @ U_O
    return Gradients(
        dc,
        dW_I,
        dU_I,
        db_I,
        dW_F,
        dU_F,
        db_F,
        dW_G,
        dU_G,
        db_G,
        dW_O,
        dU_O,
        db_O,
        dx,
        dh_prev,
        dc_prev,
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
            length, other, _ = seen.setdefault(extent, (size, name, place))
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
    dtypes = {array.dtype for array in arrays if hasattr(array, "dtype")}
    floating = [dtype for dtype in dtypes if dtype.kind not in "biu"]
    dtype = np.result_type(*floating) if floating else float
    return tuple([np.asarray(array, dtype) for array in arrays])
