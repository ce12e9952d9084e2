"""One step of a GRU cell: forward and backward pass.

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
    W_r: np.ndarray  # [H, D] reset gate, weights of the inputs
    U_r: np.ndarray  # [H, H] and of the hidden states
    b_r: np.ndarray  # [H] and bias
    W_z: np.ndarray  # [H, D] update gate, weights of the inputs
    U_z: np.ndarray  # [H, H] and of the hidden states
    b_z: np.ndarray  # [H] and bias
    W_n: np.ndarray  # [H, D] candidate, weights of the inputs
    U_n: np.ndarray  # [H, H] and of the hidden states
    b_n: np.ndarray  # [H] and bias
    r: np.ndarray  # [N, H] reset gate
    z: np.ndarray  # [N, H] update gate
    g: np.ndarray  # [N, H] candidate
    h: np.ndarray  # [N, H] hidden states


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dW_r: np.ndarray  # [H, D] dL/dW_r
    dU_r: np.ndarray  # [H, H] dL/dU_r
    db_r: np.ndarray  # [H] dL/db_r
    dW_z: np.ndarray  # [H, D] dL/dW_z
    dU_z: np.ndarray  # [H, H] dL/dU_z
    db_z: np.ndarray  # [H] dL/db_z
    dW_n: np.ndarray  # [H, D] dL/dW_n
    dU_n: np.ndarray  # [H, H] dL/dU_n
    db_n: np.ndarray  # [H] dL/db_n
    dx: np.ndarray  # [N, D] dL/dx
    dh_prev: np.ndarray  # [N, H] dL/dh_prev


def forward(
    x: np.ndarray,
    h_prev: np.ndarray,
    W_r: np.ndarray,
    U_r: np.ndarray,
    b_r: np.ndarray,
    W_z: np.ndarray,
    U_z: np.ndarray,
    b_z: np.ndarray,
    W_n: np.ndarray,
    U_n: np.ndarray,
    b_n: np.ndarray,
) -> Values:
    """Forward pass.

    Args:
        x: [N, D] inputs.
        h_prev: [N, H] hidden states before.
        W_r: [H, D] reset gate, weights of the inputs.
        U_r: [H, H] and of the hidden states.
        b_r: [H] and bias.
        W_z: [H, D] update gate, weights of the inputs.
        U_z: [H, H] and of the hidden states.
        b_z: [H] and bias.
        W_n: [H, D] candidate, weights of the inputs.
        U_n: [H, H] and of the hidden states.
        b_n: [H] and bias.
    """
    # u[n,j] = sum[d](W_r[j,d] * x[n,d])
    u = x @ W_r.T
    # u2[n,j] = sum[k](U_r[j,k] * h_prev[n,k])
    u2 = h_prev @ U_r.T
    # r[n,j] = sigmoid(u[n,j] + u2[n,j] + b_r[j])
    r = _sigmoid(u + u2 + b_r)
    # u3[n,j] = sum[d](W_z[j,d] * x[n,d])
    u3 = x @ W_z.T
    # u4[n,j] = sum[k](U_z[j,k] * h_prev[n,k])
    u4 = h_prev @ U_z.T
    # z[n,j] = sigmoid(u3[n,j] + u4[n,j] + b_z[j])
    z = _sigmoid(u3 + u4 + b_z)
    # u5[n,j] = sum[d](W_n[j,d] * x[n,d])
    u5 = x @ W_n.T
    # u6[n,j] = sum[k](U_n[j,k] * r[n,k] * h_prev[n,k])
    u6 = r * h_prev @ U_n.T
    # g[n,j] = tanh(u5[n,j] + u6[n,j] + b_n[j])
    g = np.tanh(u5 + u6 + b_n)
    # h[n,j] = (1 - z[n,j]) * g[n,j] + z[n,j] * h_prev[n,j]
    h = (1.0 - z) * g + z * h_prev
    return Values(x, h_prev, W_r, U_r, b_r, W_z, U_z, b_z, W_n, U_n, b_n, r, z, g, h)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, H] the upstream gradient dL/dh.
    """
    x = values.x
    h_prev = values.h_prev
    W_r = values.W_r
    U_r = values.U_r
    W_z = values.W_z
    U_z = values.U_z
    W_n = values.W_n
    U_n = values.U_n
    r = values.r
    z = values.z
    g = values.g
    # dg[n,j] = G[n,j] * (1 - z[n,j])
    dg = G * (1.0 - z)
    # db_n[j] = sum[n](dg[n,j] * (1 - g[n,j]^2))
    db_n = np.einsum("nj,nj->j", dg, 1.0 - g**2)
    # du6[n,j] = dg[n,j] * (1 - g[n,j]^2)
    du6 = dg * (1.0 - g**2)
    # dU_n[j,k] = sum[n](du6[n,j] * r[n,k] * h_prev[n,k])
    dU_n = du6.T @ (r.T * h_prev.T).T
    # du5[n,j] = dg[n,j] * (1 - g[n,j]^2)
    du5 = np.multiply(dg, 1.0 - g**2, out=dg)
    # dW_n[j,d] = sum[n](du5[n,j] * x[n,d])
    dW_n = du5.T @ x
    # dz[n,j] = G[n,j] * (h_prev[n,j] - g[n,j])
    dz = G * (h_prev - g)
    # db_z[j] = sum[n](dz[n,j] * z[n,j] * (1 - z[n,j]))
    db_z = np.einsum("nj,nj->j", dz * z, 1.0 - z)
    # du4[n,j] = dz[n,j] * z[n,j] * (1 - z[n,j])
    du4 = dz * z * (1.0 - z)
    # dU_z[j,k] = sum[n](du4[n,j] * h_prev[n,k])
    dU_z = du4.T @ h_prev
    # du3[n,j] = dz[n,j] * z[n,j] * (1 - z[n,j])
    dz *= z
    du3 = np.multiply(dz, 1.0 - z, out=dz)
    # dW_z[j,d] = sum[n](du3[n,j] * x[n,d])
    dW_z = du3.T @ x
    # dr[n,j] = sum[k](du6[n,k] * U_n[k,j] * h_prev[n,j])
    dr = du6 @ U_n * h_prev
    # db_r[j] = sum[n](dr[n,j] * r[n,j] * (1 - r[n,j]))
    db_r = np.einsum("nj,nj->j", dr * r, 1.0 - r)
    # du2[n,j] = dr[n,j] * r[n,j] * (1 - r[n,j])
    du2 = dr * r * (1.0 - r)
    # dU_r[j,k] = sum[n](du2[n,j] * h_prev[n,k])
    dU_r = du2.T @ h_prev
    # dh_prev[n,j] = sum[k](du2[n,k] * U_r[k,j]) + sum[k](du4[n,k] * U_z[k,j]) +
    #     sum[k](du6[n,k] * U_n[k,j] * r[n,j]) + G[n,j] * z[n,j]
    dh_prev = du2 @ U_r + du4 @ U_z + du6 @ U_n * r + G * z
    # du[n,j] = dr[n,j] * r[n,j] * (1 - r[n,j])
    dr *= r
    du = np.multiply(dr, 1.0 - r, out=dr)
    # dW_r[j,d] = sum[n](du[n,j] * x[n,d])
    dW_r = du.T @ x
    # dx[n,d] = sum[j](du[n,j] * W_r[j,d]) + sum[j](du3[n,j] * W_z[j,d]) +
    #     sum[j](du5[n,j] * W_n[j,d])
    dx = du @ W_r + du3 @ W_z + du5 @ W_n
    return Gradients(dW_r, dU_r, db_r, dW_z, dU_z, db_z, dW_n, dU_n, db_n, dx, dh_prev)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x), without overflow for any x."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0.0, 1.0, small) / (1.0 + small)
