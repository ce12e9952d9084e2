# ruff: noqa: E741, RUF100 (I: as the author wrote)
"""CP decomposition of a tensor of three ways: least squares: forward and backward pass.

Extents:
    I: first way (indices i)
    J: second way (indices j)
    K: third way (indices k)
    R: components (indices r)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("I", "J", "K"),
    "A": ("I", "R"),
    "B": ("J", "R"),
    "C": ("K", "R"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [I, J, K] data
    A: np.ndarray  # [I, R] factor of the first way
    B: np.ndarray  # [J, R] factor of the second way
    C: np.ndarray  # [K, R] factor of the third way
    E: np.ndarray  # [I, J, K] errors
    L: np.ndarray  # scalar half the squared error


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dA: np.ndarray  # [I, R] dL/dA
    dB: np.ndarray  # [J, R] dL/dB
    dC: np.ndarray  # [K, R] dL/dC


def forward(X: np.ndarray, A: np.ndarray, B: np.ndarray, C: np.ndarray) -> Values:
    """Forward pass.

    Args:
        X: [I, J, K] data.
        A: [I, R] factor of the first way.
        B: [J, R] factor of the second way.
        C: [K, R] factor of the third way.
    """
    X, A, B, C = _checked(X=X, A=A, B=B, C=C)
    # E[i,j,k] = sum[r](A[i,r] * B[j,r] * C[k,r]) - X[i,j,k]
    part = np.einsum("ir,jr->ijr", A, B, optimize=True)
    E = np.einsum("ijr,kr->ijk", part, C, optimize=True) - X
    # L = 0.5 * sum[i,j,k](E[i,j,k]^2)
    L = 0.5 * (E**2).sum()
    return Values(X, A, B, C, E, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    A, B, C, E = values.A, values.B, values.C, values.E
    # dA[i,r] = sum[j,k](E[i,j,k] * B[j,r] * C[k,r])
    dA = np.einsum(
        "rjk,ijk->ir", np.einsum("jr,kr->rjk", B, C, optimize=True), E, optimize=True
    )
    # dB[j,r] = sum[i,k](E[i,j,k] * A[i,r] * C[k,r])
    dB = np.einsum(
        "rik,ijk->jr", np.einsum("ir,kr->rik", A, C, optimize=True), E, optimize=True
    )
    # dC[k,r] = sum[i,j](E[i,j,k] * A[i,r] * B[j,r])
    dC = np.einsum(
        "rij,ijk->kr", np.einsum("ir,jr->rij", A, B, optimize=True), E, optimize=True
    )
    return Gradients(dA, dB, dC)


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


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {array.dtype for array in arrays if hasattr(array, "dtype")}
    floating = [dtype for dtype in dtypes if dtype.kind not in "biu"]
    dtype = np.result_type(*floating) if floating else float
    return tuple([np.asarray(array, dtype) for array in arrays])
