"""Graph convolution layer with the normalised adjacency matrix: forward and backward pass.

Extents:
    N: nodes (indices i, j)
    F: input features (indices f)
    H: output features (indices h)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "A": ("N", "N"),
    "X": ("N", "F"),
    "W": ("F", "H"),
    "Y": ("N", "H"),
    "G": ("N", "H"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    A: np.ndarray  # [N, N] weights of the edges, without loops
    X: np.ndarray  # [N, F] features of the nodes
    W: np.ndarray  # [F, H] weights
    deg: np.ndarray  # [N] degrees, with the loop
    N_A: np.ndarray  # [N, N] normalised adjacency, with loops
    M: np.ndarray  # [N, F] weighted sums of the features of the neighbours
    U: np.ndarray  # [N, H] before the nonlinearity
    Y: np.ndarray  # [N, H] output


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dU: np.ndarray  # [N, H] dL/dU
    dW: np.ndarray  # [F, H] dL/dW
    dX: np.ndarray  # [N, F] dL/dX


def forward(A: np.ndarray, X: np.ndarray, W: np.ndarray) -> Values:
    """Forward pass.

    Args:
        A: [N, N] weights of the edges, without loops.
        X: [N, F] features of the nodes.
        W: [F, H] weights.
    """
    A, X, W = _checked(A=A, X=X, W=W)
    N = A.shape[0]
    # deg[i] = 1 + sum[j](A[i,j])
    deg = 1.0 + A.sum(axis=1)
    # N_A[i,j] = (A[i,j] + delta[i,j]) / sqrt(deg[i] * deg[j])
    N_A = (A + np.eye(N, dtype=A.dtype)) / np.sqrt(deg[:, None] * deg)
    # M[i,f] = sum[j](N_A[i,j] * X[j,f])
    M = N_A @ X
    # U[i,h] = sum[f](M[i,f] * W[f,h])
    U = M @ W
    # Y[i,h] = relu(U[i,h])
    Y = np.maximum(U, 0.0)
    return Values(A, X, W, deg, N_A, M, U, Y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, H] the upstream gradient dL/dY.
    """
    *_, G = _checked(Y=values.Y, G=G)
    W, N_A, M, U = values.W, values.N_A, values.M, values.U
    # dU[i,h] = G[i,h] * step(U[i,h])
    dU = G * np.heaviside(U, 0.0)
    # dW[f,h] = sum[i](dU[i,h] * M[i,f])
    dW = M.T @ dU
    # dM[i,f] = sum[h](dU[i,h] * W[f,h])
    dM = dU @ W.T
    # dX[i,f] = sum[j](dM[j,f] * N_A[i,j])
    dX = N_A @ dM
    return Gradients(dU, dW, dX)


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


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {getattr(array, "dtype", None) for array in arrays}
    floats = [dtype for dtype in dtypes if dtype is not None and dtype.kind in "fcO"]
    if len(dtypes) == len(floats) == 1:
        return arrays
    dtype = np.result_type(*floats) if floats else float
    return tuple([np.asarray(array, dtype) for array in arrays])
