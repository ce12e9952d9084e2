# ruff: noqa: E741, RUF100 (I: as the author wrote)
"""Tucker decomposition of a tensor of three ways: least squares: forward and backward
pass.

Extents:
    I: first way (indices i)
    J: second way (indices j)
    K: third way (indices k)
    R_A: rank of the first way (indices a)
    R_B: rank of the second way (indices b)
    R_C: rank of the third way (indices c)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("I", "J", "K"),
    "G": ("R_A", "R_B", "R_C"),
    "A": ("I", "R_A"),
    "B": ("J", "R_B"),
    "C": ("K", "R_C"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [I, J, K] data
    G: np.ndarray  # [R_A, R_B, R_C] core
    A: np.ndarray  # [I, R_A] factor of the first way
    B: np.ndarray  # [J, R_B] factor of the second way
    C: np.ndarray  # [K, R_C] factor of the third way
    E: np.ndarray  # [I, J, K] errors
    L: np.ndarray  # scalar half the squared error


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dG: np.ndarray  # [R_A, R_B, R_C] dL/dG
    dA: np.ndarray  # [I, R_A] dL/dA
    dB: np.ndarray  # [J, R_B] dL/dB
    dC: np.ndarray  # [K, R_C] dL/dC


def forward(
    X: np.ndarray, G: np.ndarray, A: np.ndarray, B: np.ndarray, C: np.ndarray
) -> Values:
    """Forward pass.

    Args:
        X: [I, J, K] data.
        G: [R_A, R_B, R_C] core.
        A: [I, R_A] factor of the first way.
        B: [J, R_B] factor of the second way.
        C: [K, R_C] factor of the third way.
    """
    X, G, A, B, C = _checked(X=X, G=G, A=A, B=B, C=C)
    # E[i,j,k] = sum[a,b,c](G[a,b,c] * A[i,a] * B[j,b] * C[k,c]) - X[i,j,k]
    E = np.einsum("abc,ia,jb,kc->ijk", G, A, B, C, optimize=True) - X
    # L = 0.5 * sum[i,j,k](E[i,j,k]^2)
    L = 0.5 * (E**2).sum()
    return Values(X, G, A, B, C, E, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    G, A, B, C, E = values.G, values.A, values.B, values.C, values.E
    # dG[a,b,c] = sum[i,j,k](E[i,j,k] * A[i,a] * B[j,b] * C[k,c])
    dG = np.einsum("ijk,ia,jb,kc->abc", E, A, B, C, optimize=True)
    # dA[i,a] = sum[j,k,b,c](E[i,j,k] * G[a,b,c] * B[j,b] * C[k,c])
    dA = np.einsum("ijk,abc,jb,kc->ia", E, G, B, C, optimize=True)
    # dB[j,b] = sum[i,k,a,c](E[i,j,k] * G[a,b,c] * A[i,a] * C[k,c])
    dB = np.einsum("ijk,abc,ia,kc->jb", E, G, A, C, optimize=True)
    # dC[k,c] = sum[i,j,a,b](E[i,j,k] * G[a,b,c] * A[i,a] * B[j,b])
    dC = np.einsum("ijk,abc,ia,jb->kc", E, G, A, B, optimize=True)
    return Gradients(dG, dA, dB, dC)


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
