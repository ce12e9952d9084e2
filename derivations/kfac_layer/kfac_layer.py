# ruff: noqa: E741, RUF100 (I: as the author wrote)
"""The Kronecker factors of the curvature of a layer (K-FAC): forward and backward pass.

Extents:
    N: examples (indices n)
    K: inputs of the layer (indices k, l)
    I: outputs of the layer (indices i, j, m)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "a": ("N", "K"),
    "W": ("I", "K"),
    "y": ("N", "I"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N", "I")
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    a: np.ndarray  # [N, K] inputs
    W: np.ndarray  # [I, K] weights
    y: np.ndarray  # [N, I] distribution of the label
    s: np.ndarray  # [N, I] outputs
    p: np.ndarray  # [N, I] probabilities
    L: np.ndarray  # scalar mean negative log-likelihood
    e: np.ndarray  # [N, I] gradient of the loss of one example by the outputs
    A: np.ndarray  # [K, K] factor of the inputs
    G: np.ndarray  # [I, I] factor of the outputs


class GaussNewton(NamedTuple):
    """Gauss-Newton part of the second derivative of the loss by W and W, through s, in
    its parts.

    GN[i,k,j,l] = delta[i,j] * GN_block[i,k,l] - GN_full[i,k,j,l]
    """

    GN_block: np.ndarray  # [I, K, K] part of GN
    GN_full: np.ndarray  # [I, K, I, K] part of GN

    def dense(self) -> np.ndarray:
        """All entries, zeros included: [I, K, I, K]."""
        GN_block = self.GN_block
        GN_full = self.GN_full
        I = GN_block.shape[0]
        part = np.where(
            np.eye(I, dtype=bool)[:, None, :, None], GN_block[:, :, None, :], 0.0
        )
        return part - GN_full

    def __matmul__(self, vector: np.ndarray) -> np.ndarray:
        """The product with an array of shape [I, K]."""
        GN_block = self.GN_block
        GN_full = self.GN_full
        return np.einsum("ikl,il->ik", GN_block, vector, optimize=True) - np.einsum(
            "ikjl,jl->ik", GN_full, vector, optimize=True
        )


class Gradients(NamedTuple):
    """The derivatives that were asked for."""

    dW: np.ndarray  # [I, K] dL/dW
    # [I, K, I, K] Gauss-Newton part of the second derivative of the loss by W and W,
    #     through s
    GN: GaussNewton


def forward(a: np.ndarray, W: np.ndarray, y: np.ndarray) -> Values:
    """Forward pass.

    Args:
        a: [N, K] inputs.
        W: [I, K] weights.
        y: [N, I] distribution of the label.
    """
    a, W, y = _checked(a=a, W=W, y=y)
    N = a.shape[0]
    # s[n,i] = sum[k](W[i,k] * a[n,k])
    s = a @ W.T
    # s_max[n] = max[m](s[n,m])
    s_max = s.max(axis=1)
    # exp_s[n,m] = exp(s[n,m] - s_max[n])
    exp_s = np.exp(s - s_max[:, None])
    # Z[n] = sum[m](exp_s[n,m])
    Z = exp_s.sum(axis=1)
    # p[n,i] = exp_s[n,i] / Z[n]
    p = exp_s / Z[:, None]
    # L = -1/N * sum[n,i](y[n,i] * ((s[n,i] - s_max[n]) - log(Z[n])))
    part = np.einsum(
        "ni,ni->", y, s - s_max[:, None] - np.log(Z)[:, None], optimize=True
    )
    L = -part / N
    # e[n,i] = p[n,i] - y[n,i]
    e = p - y
    # A[k,l] = 1/N * sum[n](a[n,k] * a[n,l])
    A = a.T @ a / N
    # G[i,j] = 1/N * sum[n](e[n,i] * e[n,j])
    G = e.T @ e / N
    return Values(a, W, y, s, p, L, e, A, G)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    a, y, p = values.a, values.y, values.p
    N = a.shape[0]
    # ds[n,i] = 1/N * (p[n,i] - y[n,i])
    ds = (p - y) / N
    # dW[i,k] = sum[n](ds[n,i] * a[n,k])
    dW = ds.T @ a
    # GN_block[i,k,l] = 1/N * sum[n](p[n,i] * a[n,k] * a[n,l])
    part = np.einsum("ni,nk->ikn", p, a, optimize=True)
    GN_block = np.einsum("ikn,nl->ikl", part, a, optimize=True) / N
    # GN_full[i,k,j,l] = 1/N * sum[n](p[n,i] * a[n,k] * p[n,j] * a[n,l])
    part_2 = np.einsum("nj,nl->jln", p, a, optimize=True)
    part_3 = np.einsum("ni,nk->ikn", p, a, optimize=True)
    GN_full = np.einsum("jln,ikn->ikjl", part_2, part_3, optimize=True) / N
    return Gradients(dW=dW, GN=GaussNewton(GN_block, GN_full))


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
