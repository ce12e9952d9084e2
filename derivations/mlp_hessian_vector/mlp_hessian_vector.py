"""Hessian times vector of a two-layer perceptron: forward and backward pass.

Extents:
    N: rows of the batch (indices n)
    F: input features (indices f)
    M: output features (indices o)
    H: hidden units (indices h)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "F"),
    "T": ("N", "M"),
    "W1": ("F", "H"),
    "b1": ("H",),
    "W2": ("H", "M"),
    "b2": ("M",),
    "V1": ("F", "H"),
    "c1": ("H",),
    "V2": ("H", "M"),
    "c2": ("M",),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, F] inputs
    T: np.ndarray  # [N, M] targets
    W1: np.ndarray  # [F, H] weights of the first layer
    b1: np.ndarray  # [H] bias of the first layer
    W2: np.ndarray  # [H, M] weights of the second layer
    b2: np.ndarray  # [M] bias of the second layer
    Z: np.ndarray  # [N, H] before the nonlinearity
    A: np.ndarray  # [N, H] hidden activations
    Y: np.ndarray  # [N, M] output
    L: np.ndarray  # scalar mean squared error


class Gradients(NamedTuple):
    """The derivatives that were asked for."""

    HV2: np.ndarray  # [H, M] derivative of dW2 along the direction
    Hc2: np.ndarray  # [M] derivative of db2 along the direction
    HV1: np.ndarray  # [F, H] derivative of dW1 along the direction
    Hc1: np.ndarray  # [H] derivative of db1 along the direction


def forward(
    X: np.ndarray,
    T: np.ndarray,
    W1: np.ndarray,
    b1: np.ndarray,
    W2: np.ndarray,
    b2: np.ndarray,
) -> Values:
    """Forward pass.

    Args:
        X: [N, F] inputs.
        T: [N, M] targets.
        W1: [F, H] weights of the first layer.
        b1: [H] bias of the first layer.
        W2: [H, M] weights of the second layer.
        b2: [M] bias of the second layer.
    """
    X, T, W1, b1, W2, b2 = _checked(X=X, T=T, W1=W1, b1=b1, W2=W2, b2=b2)
    N = X.shape[0]
    # Z[n,h] = sum[f](X[n,f] * W1[f,h]) + b1[h]
    Z = X @ W1 + b1
    # A[n,h] = tanh(Z[n,h])
    A = np.tanh(Z)
    # Y[n,o] = sum[h](A[n,h] * W2[h,o]) + b2[o]
    Y = A @ W2 + b2
    # L = 1/(2*N) * sum[n,o]((Y[n,o] - T[n,o])^2)
    L = 0.5 * ((Y - T) ** 2).sum() / N
    return Values(X, T, W1, b1, W2, b2, Z, A, Y, L)


def backward(
    values: Values, V1: np.ndarray, c1: np.ndarray, V2: np.ndarray, c2: np.ndarray
) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        V1: [F, H] direction in the space of W1.
        c1: [H] direction in the space of b1.
        V2: [H, M] direction in the space of W2.
        c2: [M] direction in the space of b2.
    """
    *_, V1, c1, V2, c2 = _checked(
        W1=values.W1,
        b1=values.b1,
        W2=values.W2,
        b2=values.b2,
        V1=V1,
        c1=c1,
        V2=V2,
        c2=c2,
    )
    X, T, W2, A, Y = values.X, values.T, values.W2, values.A, values.Y
    N = X.shape[0]
    # dA[n,h] = 1/N * sum[o]((Y[n,o] - T[n,o]) * W2[h,o])
    dA = (Y - T) @ W2.T / N
    # Z_dot[n,h] = sum[f](X[n,f] * V1[f,h]) + c1[h]
    Z_dot = X @ V1 + c1
    # A_dot[n,h] = (1 - A[n,h]^2) * Z_dot[n,h]
    A_dot = (1.0 - A**2) * Z_dot
    # Y_dot[n,o] = sum[h](A[n,h] * V2[h,o]) + c2[o] + sum[h](A_dot[n,h] * W2[h,o])
    Y_dot = A @ V2 + c2 + A_dot @ W2
    # HV2[h,o] = 1/N * sum[n](A_dot[n,h] * (Y[n,o] - T[n,o])) + 1/N * sum[n](A[n,h] *
    #     Y_dot[n,o])
    HV2 = A_dot.T @ (Y.T - T.T).T / N + A.T @ Y_dot / N
    # Hc2[o] = 1/N * sum[n](Y_dot[n,o])
    Hc2 = Y_dot.sum(axis=0) / N
    # dA_dot[n,h] = 1/N * sum[o]((Y[n,o] - T[n,o]) * V2[h,o]) + 1/N * sum[o](Y_dot[n,o]
    #     * W2[h,o])
    dA_dot = (Y - T) @ V2.T / N + Y_dot @ W2.T / N
    # dZ_dot[n,h] = -2 * dA[n,h] * A[n,h] * A_dot[n,h] + (1 - A[n,h]^2) * dA_dot[n,h]
    dZ_dot = (1.0 - A**2) * dA_dot - 2 * dA * A * A_dot
    # HV1[f,h] = sum[n](X[n,f] * dZ_dot[n,h])
    HV1 = X.T @ dZ_dot
    # Hc1[h] = sum[n](dZ_dot[n,h])
    Hc1 = dZ_dot.sum(axis=0)
    return Gradients(HV2, Hc2, HV1, Hc1)


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
    for extent in NEVER_EMPTY:
        if extent in seen and seen[extent][0] == 0:
            raise ValueError(f"{extent} is 0 in {seen[extent][1]}; 1 is the least")
    return arrays


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {getattr(array, "dtype", None) for array in arrays}
    floats = [dtype for dtype in dtypes if dtype is not None and dtype.kind in "fcO"]
    if len(dtypes) == len(floats) == 1:
        return arrays
    dtype = np.result_type(*floats) if floats else float
    return tuple([np.asarray(array, dtype) for array in arrays])
