"""Samples of a Gaussian by the Cholesky factor of its covariance: forward and backward
pass.

Extents:
    D: dimensions (indices i, j, k)
    N: samples (indices n)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "mu": ("D",),
    "S": ("D", "D"),
    "e": ("N", "D"),
    "x": ("N", "D"),
    "G": ("N", "D"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    mu: np.ndarray  # [D] mean
    S: np.ndarray  # [D, D] covariance
    e: np.ndarray  # [N, D] standard normal numbers
    C: np.ndarray  # [D, D] Cholesky factor of the covariance
    C_inv: np.ndarray  # [D, D] inverse of C
    x: np.ndarray  # [N, D] samples


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dmu: np.ndarray  # [D] dL/dmu
    dS: np.ndarray  # [D, D] dL/dS


def forward(mu: np.ndarray, S: np.ndarray, e: np.ndarray) -> Values:
    """Forward pass.

    Args:
        mu: [D] mean.
        S: [D, D] covariance.
        e: [N, D] standard normal numbers.
    """
    mu, S, e = _checked(mu=mu, S=S, e=e)
    # C[i,j] = cholesky(S)[i,j]
    C = np.linalg.cholesky(S)
    # solve C_inv[j,k]: sum[j](C[i,j] * C_inv[j,k]) = delta[i,k]
    C_inv = np.linalg.inv(C)
    # x[n,i] = mu[i] + sum[j](C[i,j] * e[n,j])
    x = mu + e @ C.T
    return Values(mu, S, e, C, C_inv, x)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, D] the upstream gradient dL/dx.
    """
    *_, G = _checked(x=values.x, G=G)
    e, C, C_inv = values.e, values.C, values.C_inv
    D = G.shape[1]
    # dmu[i] = sum[n](G[n,i])
    dmu = G.sum(axis=0)
    # dC[i,j] = sum[n](G[n,i] * e[n,j])
    dC = G.T @ e
    # dS[i,j] = 0.5 * sum[k,b,f](dC[k,b] * C[k,f] * ([b <= f] * C_inv[f,i] * C_inv[b,j]
    #     + [b < f] * C_inv[f,j] * C_inv[b,i]))
    part = 0.5 * np.einsum(
        "bf,fi,bj->ij",
        dC.T @ C * (~np.tri(D, k=-1, dtype=bool)).astype(G.dtype),
        C_inv,
        C_inv,
        optimize=True,
    )
    part_2 = 0.5 * np.einsum(
        "bf,fj,bi->ij",
        dC.T @ C * (~np.tri(D, dtype=bool)).astype(G.dtype),
        C_inv,
        C_inv,
        optimize=True,
    )
    dS = part + part_2
    return Gradients(dmu, dS)


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
