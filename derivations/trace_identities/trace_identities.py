"""Traces of products: tr(AXB) and tr(X^T C X D): forward and backward pass.

Extents:
    m: rows of X (indices i, j)
    n: columns of X (indices k, l)
    r: rows of A and columns of B (indices a)
"""

from typing import NamedTuple

import numpy as np


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
