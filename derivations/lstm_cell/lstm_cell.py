"""One step of an LSTM cell: forward and backward pass.

Extents:
    N: sequences of the batch (indices n)
    D: input features (indices d)
    H: hidden units (indices j, k)
"""

from typing import NamedTuple

import numpy as np


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
    # u[n,j] = sum[d](W_I[j,d] * x[n,d])
    u = x @ W_I.T
    # u2[n,j] = sum[k](U_I[j,k] * h_prev[n,k])
    u2 = h_prev @ U_I.T
    # i[n,j] = sigmoid(u[n,j] + u2[n,j] + b_I[j])
    i = _sigmoid(u + u2 + b_I)
    # u3[n,j] = sum[d](W_F[j,d] * x[n,d])
    u3 = x @ W_F.T
    # u4[n,j] = sum[k](U_F[j,k] * h_prev[n,k])
    u4 = h_prev @ U_F.T
    # f[n,j] = sigmoid(u3[n,j] + u4[n,j] + b_F[j])
    f = _sigmoid(u3 + u4 + b_F)
    # u5[n,j] = sum[d](W_G[j,d] * x[n,d])
    u5 = x @ W_G.T
    # u6[n,j] = sum[k](U_G[j,k] * h_prev[n,k])
    u6 = h_prev @ U_G.T
    # g[n,j] = tanh(u5[n,j] + u6[n,j] + b_G[j])
    g = np.tanh(u5 + u6 + b_G)
    # u7[n,j] = sum[d](W_O[j,d] * x[n,d])
    u7 = x @ W_O.T
    # u8[n,j] = sum[k](U_O[j,k] * h_prev[n,k])
    u8 = h_prev @ U_O.T
    # o[n,j] = sigmoid(u7[n,j] + u8[n,j] + b_O[j])
    o = _sigmoid(u7 + u8 + b_O)
    # c[n,j] = f[n,j] * c_prev[n,j] + i[n,j] * g[n,j]
    c = f * c_prev + i * g
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
        h,
    )


def backward(values: Values, dh: np.ndarray, E: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        dh: [N, H] the upstream gradient dL/dh.
        E: [N, H] what later steps send back to the cell states.
    """
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
    # db_O[j] = sum[n](dh[n,j] * h[n,j] * (1 - o[n,j]))
    db_O = np.einsum("nj,nj->j", dh * h, 1.0 - o)
    # du8[n,j] = dh[n,j] * h[n,j] * (1 - o[n,j])
    du8 = dh * h * (1.0 - o)
    # dU_O[j,k] = sum[n](du8[n,j] * h_prev[n,k])
    dU_O = du8.T @ h_prev
    # du7[n,j] = dh[n,j] * h[n,j] * (1 - o[n,j])
    du7 = dh * h * (1.0 - o)
    # dW_O[j,d] = sum[n](du7[n,j] * x[n,d])
    dW_O = du7.T @ x
    # dg[n,j] = dc[n,j] * i[n,j]
    dg = dc * i
    # db_G[j] = sum[n](dg[n,j] * (1 - g[n,j]^2))
    db_G = np.einsum("nj,nj->j", dg, 1.0 - g**2)
    # du6[n,j] = dg[n,j] * (1 - g[n,j]^2)
    du6 = dg * (1.0 - g**2)
    # dU_G[j,k] = sum[n](du6[n,j] * h_prev[n,k])
    dU_G = du6.T @ h_prev
    # du5[n,j] = dg[n,j] * (1 - g[n,j]^2)
    du5 = np.multiply(dg, 1.0 - g**2, out=dg)
    # dW_G[j,d] = sum[n](du5[n,j] * x[n,d])
    dW_G = du5.T @ x
    # df[n,j] = dc[n,j] * c_prev[n,j]
    df = dc * c_prev
    # db_F[j] = sum[n](df[n,j] * f[n,j] * (1 - f[n,j]))
    db_F = np.einsum("nj,nj->j", df * f, 1.0 - f)
    # du4[n,j] = df[n,j] * f[n,j] * (1 - f[n,j])
    du4 = df * f * (1.0 - f)
    # dU_F[j,k] = sum[n](du4[n,j] * h_prev[n,k])
    dU_F = du4.T @ h_prev
    # du3[n,j] = df[n,j] * f[n,j] * (1 - f[n,j])
    df *= f
    du3 = np.multiply(df, 1.0 - f, out=df)
    # dW_F[j,d] = sum[n](du3[n,j] * x[n,d])
    dW_F = du3.T @ x
    # di[n,j] = dc[n,j] * g[n,j]
    di = dc * g
    # db_I[j] = sum[n](di[n,j] * i[n,j] * (1 - i[n,j]))
    db_I = np.einsum("nj,nj->j", di * i, 1.0 - i)
    # du2[n,j] = di[n,j] * i[n,j] * (1 - i[n,j])
    du2 = di * i * (1.0 - i)
    # dU_I[j,k] = sum[n](du2[n,j] * h_prev[n,k])
    dU_I = du2.T @ h_prev
    # dh_prev[n,j] = sum[k](du2[n,k] * U_I[k,j]) + sum[k](du4[n,k] * U_F[k,j]) +
    #     sum[k](du6[n,k] * U_G[k,j]) + sum[k](du8[n,k] * U_O[k,j])
    dh_prev = du2 @ U_I + du4 @ U_F + du6 @ U_G + du8 @ U_O
    # du[n,j] = di[n,j] * i[n,j] * (1 - i[n,j])
    di *= i
    du = np.multiply(di, 1.0 - i, out=di)
    # dW_I[j,d] = sum[n](du[n,j] * x[n,d])
    dW_I = du.T @ x
    # dx[n,d] = sum[j](du[n,j] * W_I[j,d]) + sum[j](du3[n,j] * W_F[j,d]) +
    #     sum[j](du5[n,j] * W_G[j,d]) + sum[j](du7[n,j] * W_O[j,d])
    dx = du @ W_I + du3 @ W_F + du5 @ W_G + du7 @ W_O
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


def _sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x), without overflow for any x."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0.0, 1.0, small) / (1.0 + small)
