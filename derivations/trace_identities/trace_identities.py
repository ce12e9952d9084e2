"""Traces: tr(AXB) and tr(X^T B X C): forward and backward pass.

Extents:
    m: rows of X (indices i, j)
    n: columns of X (indices k, l)
    r: rows of A and columns of D (indices a)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [m, n] the variable
    A: np.ndarray  # [r, m] left factor
    D: np.ndarray  # [n, r] right factor
    B: np.ndarray  # [m, m] form on the rows
    C: np.ndarray  # [n, n] form on the columns
    s: np.ndarray  # scalar tr(A X D)
    t: np.ndarray  # scalar tr(X^T B X C)


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dX: np.ndarray  # [m, n] dL/dX
    dA: np.ndarray  # [r, m] dL/dA
    dD: np.ndarray  # [n, r] dL/dD
    dB: np.ndarray  # [m, m] dL/dB
    dC: np.ndarray  # [n, n] dL/dC


def forward(
    X: np.ndarray, A: np.ndarray, D: np.ndarray, B: np.ndarray, C: np.ndarray
) -> Values:
    """Forward pass.

    Args:
        X: [m, n] the variable.
        A: [r, m] left factor.
        D: [n, r] right factor.
        B: [m, m] form on the rows.
        C: [n, n] form on the columns.
    """
    # s = sum[a,i,k](A[a,i] * X[i,k] * D[k,a])
    s = np.einsum("ai,ik,ka->", A, X, D, optimize=True)
    # t = sum[i,j,k,l](X[i,l] * B[i,j] * X[j,k] * C[k,l])
    t = np.einsum("il,ij,jk,kl->", X, B, X, C, optimize=True)
    return Values(X, A, D, B, C, s, t)


def backward(values: Values, u: np.ndarray, v: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        u: scalar the upstream gradient dL/ds.
        v: scalar the upstream gradient dL/dt.
    """
    X, A, D, B, C = values.X, values.A, values.D, values.B, values.C
    # dX[i,k] = sum[a](u * A[a,i] * D[k,a]) + sum[j,l](v * X[j,l] * (B[i,j] * C[l,k] +
    #     B[j,i] * C[k,l]))
    dX = (
        u * np.einsum("ai,ka->ik", A, D, optimize=True)
        + v * np.einsum("jl,ij,lk->ik", X, B, C, optimize=True)
        + v * np.einsum("jl,ji,kl->ik", X, B, C, optimize=True)
    )
    # dA[a,i] = sum[k](u * X[i,k] * D[k,a])
    dA = u * np.einsum("ik,ka->ai", X, D, optimize=True)
    # dD[k,a] = sum[i](u * A[a,i] * X[i,k])
    dD = u * np.einsum("ai,ik->ka", A, X, optimize=True)
    # dB[i,j] = sum[k,l](v * X[i,l] * X[j,k] * C[k,l])
    dB = v * np.einsum("il,jk,kl->ij", X, X, C, optimize=True)
    # dC[k,l] = sum[i,j](v * X[i,l] * B[i,j] * X[j,k])
    dC = v * np.einsum("il,ij,jk->kl", X, B, X, optimize=True)
    return Gradients(dX, dA, dD, dB, dC)
