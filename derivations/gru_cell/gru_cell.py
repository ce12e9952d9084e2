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
    W_R: np.ndarray  # [H, D] reset gate: weights of the inputs
    U_R: np.ndarray  # [H, H] reset gate: weights of the hidden states
    b_R: np.ndarray  # [H] reset gate: bias
    W_Z: np.ndarray  # [H, D] update gate: weights of the inputs
    U_Z: np.ndarray  # [H, H] update gate: weights of the hidden states
    b_Z: np.ndarray  # [H] update gate: bias
    W_G: np.ndarray  # [H, D] candidate: weights of the inputs
    U_G: np.ndarray  # [H, H] candidate: weights of the hidden states
    b_G: np.ndarray  # [H] candidate: bias
    r: np.ndarray  # [N, H] reset gate
    z: np.ndarray  # [N, H] update gate
    g: np.ndarray  # [N, H] candidate
    h: np.ndarray  # [N, H] hidden states


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dW_R: np.ndarray  # [H, D] dL/dW_R
    dU_R: np.ndarray  # [H, H] dL/dU_R
    db_R: np.ndarray  # [H] dL/db_R
    dW_Z: np.ndarray  # [H, D] dL/dW_Z
    dU_Z: np.ndarray  # [H, H] dL/dU_Z
    db_Z: np.ndarray  # [H] dL/db_Z
    dW_G: np.ndarray  # [H, D] dL/dW_G
    dU_G: np.ndarray  # [H, H] dL/dU_G
    db_G: np.ndarray  # [H] dL/db_G
    dx: np.ndarray  # [N, D] dL/dx
    dh_prev: np.ndarray  # [N, H] dL/dh_prev


def forward(
    x: np.ndarray,
    h_prev: np.ndarray,
    W_R: np.ndarray,
    U_R: np.ndarray,
    b_R: np.ndarray,
    W_Z: np.ndarray,
    U_Z: np.ndarray,
    b_Z: np.ndarray,
    W_G: np.ndarray,
    U_G: np.ndarray,
    b_G: np.ndarray,
) -> Values:
    """Forward pass.

    Args:
        x: [N, D] inputs.
        h_prev: [N, H] hidden states before.
        W_R: [H, D] reset gate: weights of the inputs.
        U_R: [H, H] reset gate: weights of the hidden states.
        b_R: [H] reset gate: bias.
        W_Z: [H, D] update gate: weights of the inputs.
        U_Z: [H, H] update gate: weights of the hidden states.
        b_Z: [H] update gate: bias.
        W_G: [H, D] candidate: weights of the inputs.
        U_G: [H, H] candidate: weights of the hidden states.
        b_G: [H] candidate: bias.
    """
    # u[n,j] = sum[d](W_R[j,d] * x[n,d])
    u = x @ W_R.T
    # u2[n,j] = sum[k](U_R[j,k] * h_prev[n,k])
    u2 = h_prev @ U_R.T
    # r[n,j] = sigmoid(u[n,j] + u2[n,j] + b_R[j])
    r = _sigmoid(u + u2 + b_R)
    # u3[n,j] = sum[d](W_Z[j,d] * x[n,d])
    u3 = x @ W_Z.T
    # u4[n,j] = sum[k](U_Z[j,k] * h_prev[n,k])
    u4 = h_prev @ U_Z.T
    # z[n,j] = sigmoid(u3[n,j] + u4[n,j] + b_Z[j])
    z = _sigmoid(u3 + u4 + b_Z)
    # u5[n,j] = sum[d](W_G[j,d] * x[n,d])
    u5 = x @ W_G.T
    # u6[n,j] = sum[k](U_G[j,k] * r[n,k] * h_prev[n,k])
    u6 = r * h_prev @ U_G.T
    # g[n,j] = tanh(u5[n,j] + u6[n,j] + b_G[j])
    g = np.tanh(u5 + u6 + b_G)
    # h[n,j] = (1 - z[n,j]) * g[n,j] + z[n,j] * h_prev[n,j]
    h = (1.0 - z) * g + z * h_prev
    return Values(x, h_prev, W_R, U_R, b_R, W_Z, U_Z, b_Z, W_G, U_G, b_G, r, z, g, h)


def backward(values: Values, dh: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        dh: [N, H] the upstream gradient dL/dh.
    """
    x = values.x
    h_prev = values.h_prev
    W_R = values.W_R
    U_R = values.U_R
    W_Z = values.W_Z
    U_Z = values.U_Z
    W_G = values.W_G
    U_G = values.U_G
    r = values.r
    z = values.z
    g = values.g
    # dg[n,j] = dh[n,j] * (1 - z[n,j])
    dg = dh * (1.0 - z)
    # db_G[j] = sum[n](dg[n,j] * (1 - g[n,j]^2))
    db_G = np.einsum("nj,nj->j", dg, 1.0 - g**2)
    # du6[n,j] = dg[n,j] * (1 - g[n,j]^2)
    du6 = dg * (1.0 - g**2)
    # dU_G[j,k] = sum[n](du6[n,j] * r[n,k] * h_prev[n,k])
    dU_G = du6.T @ (r.T * h_prev.T).T
    # du5[n,j] = dg[n,j] * (1 - g[n,j]^2)
    du5 = np.multiply(dg, 1.0 - g**2, out=dg)
    # dW_G[j,d] = sum[n](du5[n,j] * x[n,d])
    dW_G = du5.T @ x
    # dz[n,j] = dh[n,j] * (h_prev[n,j] - g[n,j])
    dz = dh * (h_prev - g)
    # db_Z[j] = sum[n](dz[n,j] * z[n,j] * (1 - z[n,j]))
    db_Z = np.einsum("nj,nj->j", dz * z, 1.0 - z)
    # du4[n,j] = dz[n,j] * z[n,j] * (1 - z[n,j])
    du4 = dz * z * (1.0 - z)
    # dU_Z[j,k] = sum[n](du4[n,j] * h_prev[n,k])
    dU_Z = du4.T @ h_prev
    # du3[n,j] = dz[n,j] * z[n,j] * (1 - z[n,j])
    dz *= z
    du3 = np.multiply(dz, 1.0 - z, out=dz)
    # dW_Z[j,d] = sum[n](du3[n,j] * x[n,d])
    dW_Z = du3.T @ x
    # dr[n,j] = sum[k](du6[n,k] * U_G[k,j] * h_prev[n,j])
    dr = du6 @ U_G * h_prev
    # db_R[j] = sum[n](dr[n,j] * r[n,j] * (1 - r[n,j]))
    db_R = np.einsum("nj,nj->j", dr * r, 1.0 - r)
    # du2[n,j] = dr[n,j] * r[n,j] * (1 - r[n,j])
    du2 = dr * r * (1.0 - r)
    # dU_R[j,k] = sum[n](du2[n,j] * h_prev[n,k])
    dU_R = du2.T @ h_prev
    # dh_prev[n,j] = sum[k](du2[n,k] * U_R[k,j]) + sum[k](du4[n,k] * U_Z[k,j]) +
    #     sum[k](du6[n,k] * U_G[k,j] * r[n,j]) + dh[n,j] * z[n,j]
    dh_prev = du2 @ U_R + du4 @ U_Z + du6 @ U_G * r + dh * z
    # du[n,j] = dr[n,j] * r[n,j] * (1 - r[n,j])
    dr *= r
    du = np.multiply(dr, 1.0 - r, out=dr)
    # dW_R[j,d] = sum[n](du[n,j] * x[n,d])
    dW_R = du.T @ x
    # dx[n,d] = sum[j](du[n,j] * W_R[j,d]) + sum[j](du3[n,j] * W_Z[j,d]) +
    #     sum[j](du5[n,j] * W_G[j,d])
    dx = du @ W_R + du3 @ W_Z + du5 @ W_G
    return Gradients(dW_R, dU_R, db_R, dW_Z, dU_Z, db_Z, dW_G, dU_G, db_G, dx, dh_prev)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x), without overflow for any x."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0.0, 1.0, small) / (1.0 + small)
