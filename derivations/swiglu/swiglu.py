"""SwiGLU feed-forward layer: forward and backward pass.

Extents:
    N: rows of the batch (indices n)
    D: model dimension (indices m)
    H: hidden units (indices h)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "D"),
    "W_gate": ("D", "H"),
    "W_up": ("D", "H"),
    "W_down": ("H", "D"),
    "Y": ("N", "D"),
    "G": ("N", "D"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, D] inputs
    W_gate: np.ndarray  # [D, H] gate projection
    W_up: np.ndarray  # [D, H] up projection
    W_down: np.ndarray  # [H, D] down projection
    Z: np.ndarray  # [N, H] gate before the nonlinearity
    U: np.ndarray  # [N, H] what is gated
    A: np.ndarray  # [N, H] gated hidden units
    Y: np.ndarray  # [N, D] output


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dW_down: np.ndarray  # [H, D] dL/dW_down
    dA: np.ndarray  # [N, H] dL/dA
    dZ: np.ndarray  # [N, H] dL/dZ
    dU: np.ndarray  # [N, H] dL/dU
    dW_gate: np.ndarray  # [D, H] dL/dW_gate
    dW_up: np.ndarray  # [D, H] dL/dW_up
    dX: np.ndarray  # [N, D] dL/dX


def forward(
    X: np.ndarray, W_gate: np.ndarray, W_up: np.ndarray, W_down: np.ndarray
) -> Values:
    """Forward pass.

    Args:
        X: [N, D] inputs.
        W_gate: [D, H] gate projection.
        W_up: [D, H] up projection.
        W_down: [H, D] down projection.
    """
    X, W_gate, W_up, W_down = _checked(X=X, W_gate=W_gate, W_up=W_up, W_down=W_down)
    # Z[n,h] = sum[m](X[n,m] * W_gate[m,h])
    Z = X @ W_gate
    # U[n,h] = sum[m](X[n,m] * W_up[m,h])
    U = X @ W_up
    # A[n,h] = silu(Z[n,h]) * U[n,h]
    A = _silu(Z) * U
    # Y[n,m] = sum[h](A[n,h] * W_down[h,m])
    Y = A @ W_down
    return Values(X, W_gate, W_up, W_down, Z, U, A, Y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, D] the upstream gradient dL/dY.
    """
    *_, G = _checked(Y=values.Y, G=G)
    X = values.X
    W_gate = values.W_gate
    W_up = values.W_up
    W_down = values.W_down
    Z = values.Z
    U = values.U
    A = values.A
    # dW_down[h,m] = sum[n](G[n,m] * A[n,h])
    dW_down = A.T @ G
    # dA[n,h] = sum[m](G[n,m] * W_down[h,m])
    dA = G @ W_down.T
    # silu_Z[n,h] = silu(Z[n,h])
    silu_Z = _silu(Z)
    # dZ[n,h] = dA[n,h] * (1 + Z[n,h] - silu_Z[n,h]) * sigmoid(Z[n,h]) * U[n,h]
    dZ = dA * (1.0 + Z - silu_Z) * _sigmoid(Z) * U
    # dU[n,h] = dA[n,h] * silu_Z[n,h]
    dU = dA * silu_Z
    # dW_gate[m,h] = sum[n](dZ[n,h] * X[n,m])
    dW_gate = X.T @ dZ
    # dW_up[m,h] = sum[n](dU[n,h] * X[n,m])
    dW_up = X.T @ dU
    # dX[n,m] = sum[h](dZ[n,h] * W_gate[m,h]) + sum[h](dU[n,h] * W_up[m,h])
    dX = dZ @ W_gate.T + dU @ W_up.T
    return Gradients(dW_down, dA, dZ, dU, dW_gate, dW_up, dX)


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


def _silu(x: np.ndarray) -> np.ndarray:
    """x / (1 + e^-x)."""
    return x * _sigmoid(x)


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {getattr(array, "dtype", None) for array in arrays}
    floats = [dtype for dtype in dtypes if dtype is not None and dtype.kind in "fcO"]
    if len(dtypes) == len(floats) == 1:
        return arrays
    dtype = np.result_type(*floats) if floats else float
    return tuple([np.asarray(array, dtype) for array in arrays])
