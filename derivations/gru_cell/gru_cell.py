"""One step of a GRU cell: forward and backward pass.

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
    "W_R": ("H", "D"),
    "U_R": ("H", "H"),
    "b_R": ("H",),
    "W_Z": ("H", "D"),
    "U_Z": ("H", "H"),
    "b_Z": ("H",),
    "W_G": ("H", "D"),
    "U_G": ("H", "H"),
    "b_G": ("H",),
    "h": ("N", "H"),
    "dh": ("N", "H"),
}
"""The extents of the axes of every array that is given."""


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
    x, h_prev, W_R, U_R, b_R, W_Z, U_Z, b_Z, W_G, U_G, b_G = _checked(
        x=x,
        h_prev=h_prev,
        W_R=W_R,
        U_R=U_R,
        b_R=b_R,
        W_Z=W_Z,
        U_Z=U_Z,
        b_Z=b_Z,
        W_G=W_G,
        U_G=U_G,
        b_G=b_G,
    )
    # r_arg[n,j] = sum[d](W_R[j,d] * x[n,d]) + sum[k](U_R[j,k] * h_prev[n,k]) + b_R[j]
    r_arg = x @ W_R.T + h_prev @ U_R.T + b_R
    # r[n,j] = sigmoid(r_arg[n,j])
    r = _sigmoid(r_arg)
    # z_arg[n,j] = sum[d](W_Z[j,d] * x[n,d]) + sum[k](U_Z[j,k] * h_prev[n,k]) + b_Z[j]
    z_arg = x @ W_Z.T + h_prev @ U_Z.T + b_Z
    # z[n,j] = sigmoid(z_arg[n,j])
    z = _sigmoid(z_arg)
    # g_arg[n,j] = sum[d](W_G[j,d] * x[n,d]) + sum[k](U_G[j,k] * r[n,k] * h_prev[n,k]) +
    #     b_G[j]
    g_arg = x @ W_G.T + r * h_prev @ U_G.T + b_G
    # g[n,j] = tanh(g_arg[n,j])
    g = np.tanh(g_arg)
    # h[n,j] = (1 - z[n,j]) * g[n,j] + z[n,j] * h_prev[n,j]
    h = (1.0 - z) * g + z * h_prev
    return Values(x, h_prev, W_R, U_R, b_R, W_Z, U_Z, b_Z, W_G, U_G, b_G, r, z, g, h)


def backward(values: Values, dh: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        dh: [N, H] the upstream gradient dL/dh.
    """
    *_, dh = _checked(h=values.h, dh=dh)
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
    # dg_arg[n,j] = dh[n,j] * (1 - z[n,j]) * (1 - g[n,j]^2)
    dg_arg = dh * (1.0 - z) * (1.0 - g**2)
    # dW_G[j,d] = sum[n](dg_arg[n,j] * x[n,d])
    dW_G = dg_arg.T @ x
    # dU_G[j,k] = sum[n](dg_arg[n,j] * r[n,k] * h_prev[n,k])
    dU_G = dg_arg.T @ (r.T * h_prev.T).T
    # db_G[j] = sum[n](dg_arg[n,j])
    db_G = dg_arg.sum(axis=0)
    # dz_arg[n,j] = dh[n,j] * (h_prev[n,j] - g[n,j]) * z[n,j] * (1 - z[n,j])
    dz_arg = dh * (h_prev - g) * z * (1.0 - z)
    # dW_Z[j,d] = sum[n](dz_arg[n,j] * x[n,d])
    dW_Z = dz_arg.T @ x
    # dU_Z[j,k] = sum[n](dz_arg[n,j] * h_prev[n,k])
    dU_Z = dz_arg.T @ h_prev
    # db_Z[j] = sum[n](dz_arg[n,j])
    db_Z = dz_arg.sum(axis=0)
    # s[n,j] = sum[k](dg_arg[n,k] * U_G[k,j])
    s = dg_arg @ U_G
    # dr_arg[n,j] = s[n,j] * h_prev[n,j] * r[n,j] * (1 - r[n,j])
    dr_arg = s * h_prev * r * (1.0 - r)
    # dW_R[j,d] = sum[n](dr_arg[n,j] * x[n,d])
    dW_R = dr_arg.T @ x
    # dU_R[j,k] = sum[n](dr_arg[n,j] * h_prev[n,k])
    dU_R = dr_arg.T @ h_prev
    # db_R[j] = sum[n](dr_arg[n,j])
    db_R = dr_arg.sum(axis=0)
    # dx[n,d] = sum[j](dr_arg[n,j] * W_R[j,d]) + sum[j](dz_arg[n,j] * W_Z[j,d]) +
    #     sum[j](dg_arg[n,j] * W_G[j,d])
    dx = dr_arg @ W_R + dz_arg @ W_Z + dg_arg @ W_G
    # dh_prev[n,j] = sum[k](dr_arg[n,k] * U_R[k,j]) + sum[k](dz_arg[n,k] * U_Z[k,j]) +
    #     r[n,j] * s[n,j] + dh[n,j] * z[n,j]
    dh_prev = dr_arg @ U_R + dz_arg @ U_Z + r * s + dh * z
    return Gradients(dW_R, dU_R, db_R, dW_Z, dU_Z, db_Z, dW_G, dU_G, db_G, dx, dh_prev)


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
