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
    W_i: np.ndarray  # [H, D] input gate, weights of the inputs
    U_i: np.ndarray  # [H, H] and of the hidden states
    b_i: np.ndarray  # [H] and bias
    W_f: np.ndarray  # [H, D] forget gate, weights of the inputs
    U_f: np.ndarray  # [H, H] and of the hidden states
    b_f: np.ndarray  # [H] and bias
    W_g: np.ndarray  # [H, D] candidate, weights of the inputs
    U_g: np.ndarray  # [H, H] and of the hidden states
    b_g: np.ndarray  # [H] and bias
    W_o: np.ndarray  # [H, D] output gate, weights of the inputs
    U_o: np.ndarray  # [H, H] and of the hidden states
    b_o: np.ndarray  # [H] and bias
    i: np.ndarray  # [N, H] input gate
    f: np.ndarray  # [N, H] forget gate
    g: np.ndarray  # [N, H] candidate
    o: np.ndarray  # [N, H] output gate
    c: np.ndarray  # [N, H] cell states
    h: np.ndarray  # [N, H] hidden states


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dc: np.ndarray  # [N, H] dL/dc
    dW_i: np.ndarray  # [H, D] dL/dW_i
    dU_i: np.ndarray  # [H, H] dL/dU_i
    db_i: np.ndarray  # [H] dL/db_i
    dW_f: np.ndarray  # [H, D] dL/dW_f
    dU_f: np.ndarray  # [H, H] dL/dU_f
    db_f: np.ndarray  # [H] dL/db_f
    dW_g: np.ndarray  # [H, D] dL/dW_g
    dU_g: np.ndarray  # [H, H] dL/dU_g
    db_g: np.ndarray  # [H] dL/db_g
    dW_o: np.ndarray  # [H, D] dL/dW_o
    dU_o: np.ndarray  # [H, H] dL/dU_o
    db_o: np.ndarray  # [H] dL/db_o
    dx: np.ndarray  # [N, D] dL/dx
    dh_prev: np.ndarray  # [N, H] dL/dh_prev
    dc_prev: np.ndarray  # [N, H] dL/dc_prev


def forward(
    x: np.ndarray,
    h_prev: np.ndarray,
    c_prev: np.ndarray,
    W_i: np.ndarray,
    U_i: np.ndarray,
    b_i: np.ndarray,
    W_f: np.ndarray,
    U_f: np.ndarray,
    b_f: np.ndarray,
    W_g: np.ndarray,
    U_g: np.ndarray,
    b_g: np.ndarray,
    W_o: np.ndarray,
    U_o: np.ndarray,
    b_o: np.ndarray,
) -> Values:
    """Forward pass.

    Args:
        x: [N, D] inputs.
        h_prev: [N, H] hidden states before.
        c_prev: [N, H] cell states before.
        W_i: [H, D] input gate, weights of the inputs.
        U_i: [H, H] and of the hidden states.
        b_i: [H] and bias.
        W_f: [H, D] forget gate, weights of the inputs.
        U_f: [H, H] and of the hidden states.
        b_f: [H] and bias.
        W_g: [H, D] candidate, weights of the inputs.
        U_g: [H, H] and of the hidden states.
        b_g: [H] and bias.
        W_o: [H, D] output gate, weights of the inputs.
        U_o: [H, H] and of the hidden states.
        b_o: [H] and bias.
    """
    # u[n,j] = sum[d](W_i[j,d] * x[n,d])
    u = x @ W_i.T
    # u2[n,j] = sum[k](U_i[j,k] * h_prev[n,k])
    u2 = h_prev @ U_i.T
    # i[n,j] = sigmoid(u[n,j] + u2[n,j] + b_i[j])
    i = _sigmoid(u + u2 + b_i)
    # u3[n,j] = sum[d](W_f[j,d] * x[n,d])
    u3 = x @ W_f.T
    # u4[n,j] = sum[k](U_f[j,k] * h_prev[n,k])
    u4 = h_prev @ U_f.T
    # f[n,j] = sigmoid(u3[n,j] + u4[n,j] + b_f[j])
    f = _sigmoid(u3 + u4 + b_f)
    # u5[n,j] = sum[d](W_g[j,d] * x[n,d])
    u5 = x @ W_g.T
    # u6[n,j] = sum[k](U_g[j,k] * h_prev[n,k])
    u6 = h_prev @ U_g.T
    # g[n,j] = tanh(u5[n,j] + u6[n,j] + b_g[j])
    g = np.tanh(u5 + u6 + b_g)
    # u7[n,j] = sum[d](W_o[j,d] * x[n,d])
    u7 = x @ W_o.T
    # u8[n,j] = sum[k](U_o[j,k] * h_prev[n,k])
    u8 = h_prev @ U_o.T
    # o[n,j] = sigmoid(u7[n,j] + u8[n,j] + b_o[j])
    o = _sigmoid(u7 + u8 + b_o)
    # c[n,j] = f[n,j] * c_prev[n,j] + i[n,j] * g[n,j]
    c = f * c_prev + i * g
    # h[n,j] = o[n,j] * tanh(c[n,j])
    h = o * np.tanh(c)
    return Values(
        x,
        h_prev,
        c_prev,
        W_i,
        U_i,
        b_i,
        W_f,
        U_f,
        b_f,
        W_g,
        U_g,
        b_g,
        W_o,
        U_o,
        b_o,
        i,
        f,
        g,
        o,
        c,
        h,
    )


def backward(values: Values, G: np.ndarray, E: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, H] the upstream gradient dL/dh.
        E: [N, H] the upstream gradient dL/dc.
    """
    x = values.x
    h_prev = values.h_prev
    c_prev = values.c_prev
    W_i = values.W_i
    U_i = values.U_i
    W_f = values.W_f
    U_f = values.U_f
    W_g = values.W_g
    U_g = values.U_g
    W_o = values.W_o
    U_o = values.U_o
    i = values.i
    f = values.f
    g = values.g
    o = values.o
    c = values.c
    h = values.h
    # dc[n,j] = E[n,j] + G[n,j] * o[n,j] * (1 - tanh(c[n,j])^2)
    dc = E + G * o * (1.0 - np.tanh(c) ** 2)
    # dc_prev[n,j] = dc[n,j] * f[n,j]
    dc_prev = dc * f
    # db_o[j] = sum[n](G[n,j] * h[n,j] * (1 - o[n,j]))
    db_o = np.einsum("nj,nj->j", G * h, 1.0 - o)
    # du8[n,j] = G[n,j] * h[n,j] * (1 - o[n,j])
    du8 = G * h * (1.0 - o)
    # dU_o[j,k] = sum[n](du8[n,j] * h_prev[n,k])
    dU_o = du8.T @ h_prev
    # du7[n,j] = G[n,j] * h[n,j] * (1 - o[n,j])
    du7 = G * h * (1.0 - o)
    # dW_o[j,d] = sum[n](du7[n,j] * x[n,d])
    dW_o = du7.T @ x
    # dg[n,j] = dc[n,j] * i[n,j]
    dg = dc * i
    # db_g[j] = sum[n](dg[n,j] * (1 - g[n,j]^2))
    db_g = np.einsum("nj,nj->j", dg, 1.0 - g**2)
    # du6[n,j] = dg[n,j] * (1 - g[n,j]^2)
    du6 = dg * (1.0 - g**2)
    # dU_g[j,k] = sum[n](du6[n,j] * h_prev[n,k])
    dU_g = du6.T @ h_prev
    # du5[n,j] = dg[n,j] * (1 - g[n,j]^2)
    du5 = np.multiply(dg, 1.0 - g**2, out=dg)
    # dW_g[j,d] = sum[n](du5[n,j] * x[n,d])
    dW_g = du5.T @ x
    # df[n,j] = dc[n,j] * c_prev[n,j]
    df = dc * c_prev
    # db_f[j] = sum[n](df[n,j] * f[n,j] * (1 - f[n,j]))
    db_f = np.einsum("nj,nj->j", df * f, 1.0 - f)
    # du4[n,j] = df[n,j] * f[n,j] * (1 - f[n,j])
    du4 = df * f * (1.0 - f)
    # dU_f[j,k] = sum[n](du4[n,j] * h_prev[n,k])
    dU_f = du4.T @ h_prev
    # du3[n,j] = df[n,j] * f[n,j] * (1 - f[n,j])
    df *= f
    du3 = np.multiply(df, 1.0 - f, out=df)
    # dW_f[j,d] = sum[n](du3[n,j] * x[n,d])
    dW_f = du3.T @ x
    # di[n,j] = dc[n,j] * g[n,j]
    di = dc * g
    # db_i[j] = sum[n](di[n,j] * i[n,j] * (1 - i[n,j]))
    db_i = np.einsum("nj,nj->j", di * i, 1.0 - i)
    # du2[n,j] = di[n,j] * i[n,j] * (1 - i[n,j])
    du2 = di * i * (1.0 - i)
    # dU_i[j,k] = sum[n](du2[n,j] * h_prev[n,k])
    dU_i = du2.T @ h_prev
    # dh_prev[n,j] = sum[k](du2[n,k] * U_i[k,j]) + sum[k](du4[n,k] * U_f[k,j]) +
    #     sum[k](du6[n,k] * U_g[k,j]) + sum[k](du8[n,k] * U_o[k,j])
    dh_prev = du2 @ U_i + du4 @ U_f + du6 @ U_g + du8 @ U_o
    # du[n,j] = di[n,j] * i[n,j] * (1 - i[n,j])
    di *= i
    du = np.multiply(di, 1.0 - i, out=di)
    # dW_i[j,d] = sum[n](du[n,j] * x[n,d])
    dW_i = du.T @ x
    # dx[n,d] = sum[j](du[n,j] * W_i[j,d]) + sum[j](du3[n,j] * W_f[j,d]) +
    #     sum[j](du5[n,j] * W_g[j,d]) + sum[j](du7[n,j] * W_o[j,d])
    dx = du @ W_i + du3 @ W_f + du5 @ W_g + du7 @ W_o
    return Gradients(
        dc,
        dW_i,
        dU_i,
        db_i,
        dW_f,
        dU_f,
        db_f,
        dW_g,
        dU_g,
        db_g,
        dW_o,
        dU_o,
        db_o,
        dx,
        dh_prev,
        dc_prev,
    )


def _sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x), without overflow for any x."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0.0, 1.0, small) / (1.0 + small)
