"""Low-rank adaptation of a frozen linear layer: forward and backward pass.

Extents:
    N: rows of the batch (indices n)
    F: input features (indices f)
    M: output features (indices o)
    R: rank (indices r)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "F"),
    "W": ("M", "F"),
    "A": ("R", "F"),
    "B": ("M", "R"),
    "Y": ("N", "M"),
    "G": ("N", "M"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("R",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, F] inputs
    W: np.ndarray  # [M, F] frozen weights
    A: np.ndarray  # [R, F] down projection
    B: np.ndarray  # [M, R] up projection
    U: np.ndarray  # [N, R] inputs in the low-rank space
    Y: np.ndarray  # [N, M] output, X (W + alpha/R B A)^T
    alpha: float  # scale of the update, divided by the rank


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dB: np.ndarray  # [M, R] dL/dB
    dU: np.ndarray  # [N, R] dL/dU
    dA: np.ndarray  # [R, F] dL/dA
    dX: np.ndarray  # [N, F] dL/dX


def forward(
    X: np.ndarray, W: np.ndarray, A: np.ndarray, B: np.ndarray, *, alpha: float = 16
) -> Values:
    """Forward pass.

    Args:
        X: [N, F] inputs.
        W: [M, F] frozen weights.
        A: [R, F] down projection.
        B: [M, R] up projection.
        alpha: scale of the update, divided by the rank.
    """
    X, W, A, B = _checked(X=X, W=W, A=A, B=B)
    R = A.shape[0]
    # U[n,r] = sum[f](X[n,f] * A[r,f])
    U = X @ A.T
    # Y[n,o] = sum[f](X[n,f] * W[o,f]) + alpha/R * sum[r](U[n,r] * B[o,r])
    Y = X @ W.T + alpha * (U @ B.T) / R
    return Values(X, W, A, B, U, Y, alpha)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, M] the upstream gradient dL/dY.
    """
    *_, G = _checked(Y=values.Y, G=G)
    X = values.X
    W = values.W
    A = values.A
    B = values.B
    U = values.U
    alpha = values.alpha
    R = A.shape[0]
    # dB[o,r] = alpha/R * sum[n](G[n,o] * U[n,r])
    dB = alpha * (G.T @ U) / R
    # dU[n,r] = alpha/R * sum[o](G[n,o] * B[o,r])
    dU = alpha * (G @ B) / R
    # dA[r,f] = sum[n](dU[n,r] * X[n,f])
    dA = dU.T @ X
    # dX[n,f] = sum[r](dU[n,r] * A[r,f]) + sum[o](G[n,o] * W[o,f])
    dX = dU @ A + G @ W
    return Gradients(dB, dU, dA, dX)


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
