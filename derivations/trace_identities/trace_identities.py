"""Traces of products: tr(AXB) and tr(X^T C X D): forward and backward pass.

Extents:
    m: rows of X (indices i, j)
    n: columns of X (indices k, l)
    r: rows of A and columns of B (indices a)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("m", "n"),
    "A": ("r", "m"),
    "B": ("n", "r"),
    "C": ("m", "m"),
    "D": ("n", "n"),
    "s": (),
    "u": (),
    "t": (),
    "v": (),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [m, n] the variable
    A: np.ndarray  # [r, m] left factor
    B: np.ndarray  # [n, r] right factor
    C: np.ndarray  # [m, m] form on the rows
    D: np.ndarray  # [n, n] form on the columns
    s: np.ndarray  # scalar tr(A X B)
    t: np.ndarray  # scalar tr(X^T C X D)


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dX: np.ndarray  # [m, n] dL/dX
    dA: np.ndarray  # [r, m] dL/dA
    dB: np.ndarray  # [n, r] dL/dB
    dC: np.ndarray  # [m, m] dL/dC
    dD: np.ndarray  # [n, n] dL/dD


def forward(
    X: np.ndarray, A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray
) -> Values:
    """Forward pass.

    Args:
        X: [m, n] the variable.
        A: [r, m] left factor.
        B: [n, r] right factor.
        C: [m, m] form on the rows.
        D: [n, n] form on the columns.
    """
    X, A, B, C, D = _checked(X=X, A=A, B=B, C=C, D=D)
    # s = sum[a,i,k](A[a,i] * X[i,k] * B[k,a])
    s = np.einsum("ai,ik,ka->", A, X, B, optimize=True)
    # t = sum[i,j,k,l](X[i,l] * C[i,j] * X[j,k] * D[k,l])
    t = np.einsum("il,ij,jk,kl->", X, C, X, D, optimize=True)
    return Values(X, A, B, C, D, s, t)


def backward(values: Values, u: np.ndarray, v: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        u: scalar the upstream gradient dL/ds.
        v: scalar the upstream gradient dL/dt.
    """
    *_, u, v = _checked(s=values.s, t=values.t, u=u, v=v)
    X, A, B, C, D = values.X, values.A, values.B, values.C, values.D
    # dX[i,k] = u * sum[a](A[a,i] * B[k,a]) + v * sum[j,l](X[j,l] * (C[i,j] * D[l,k] +
    #     C[j,i] * D[k,l]))
    dX = (
        u * (A.T @ B.T)
        + v * np.einsum("jl,ij,lk->ik", X, C, D, optimize=True)
        + v * np.einsum("jl,ji,kl->ik", X, C, D, optimize=True)
    )
    # dA[a,i] = u * sum[k](X[i,k] * B[k,a])
    dA = u * (B.T @ X.T)
    # dB[k,a] = u * sum[i](A[a,i] * X[i,k])
    dB = u * (X.T @ A.T)
    # dC[i,j] = v * sum[k,l](X[i,l] * X[j,k] * D[k,l])
    dC = v * np.einsum("il,jk,kl->ij", X, X, D, optimize=True)
    # dD[k,l] = v * sum[i,j](X[i,l] * C[i,j] * X[j,k])
    dD = v * np.einsum("il,ij,jk->kl", X, C, X, optimize=True)
    return Gradients(dX, dA, dB, dC, dD)


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
