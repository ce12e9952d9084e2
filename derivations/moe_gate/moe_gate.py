"""Mixture of experts: outputs weighted by a softmax gate: forward and backward pass.

Extents:
    N: rows of the batch (indices n)
    D: input features (indices m)
    E: experts (indices e, l)
    M: output features (indices o)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "D"),
    "W": ("D", "E"),
    "F": ("N", "E", "M"),
    "Y": ("N", "M"),
    "G": ("N", "M"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("E",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, D] inputs
    W: np.ndarray  # [D, E] gate weights
    F: np.ndarray  # [N, E, M] outputs of the experts
    z: np.ndarray  # [N, E] gate logits
    p: np.ndarray  # [N, E] gate, softmax over experts
    Y: np.ndarray  # [N, M] output


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dF: np.ndarray  # [N, E, M] dL/dF
    dp: np.ndarray  # [N, E] dL/dp
    dz: np.ndarray  # [N, E] dL/dz
    dW: np.ndarray  # [D, E] dL/dW
    dX: np.ndarray  # [N, D] dL/dX


def forward(X: np.ndarray, W: np.ndarray, F: np.ndarray) -> Values:
    """Forward pass.

    Args:
        X: [N, D] inputs.
        W: [D, E] gate weights.
        F: [N, E, M] outputs of the experts.
    """
    X, W, F = _checked(X=X, W=W, F=F)
    # z[n,e] = sum[m](X[n,m] * W[m,e])
    z = X @ W
    # z_max[n] = max[l](z[n,l])
    z_max = z.max(axis=1)
    # exp_z[n,l] = exp(z[n,l] - z_max[n])
    exp_z = np.exp(z - z_max[:, None])
    # Z[n] = sum[l](exp_z[n,l])
    Z = exp_z.sum(axis=1)
    # p[n,e] = exp_z[n,e] / Z[n]
    p = exp_z / Z[:, None]
    # Y[n,o] = sum[e](p[n,e] * F[n,e,o])
    Y = np.einsum("ne,neo->no", p, F, optimize=True)
    return Values(X, W, F, z, p, Y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, M] the upstream gradient dL/dY.
    """
    *_, G = _checked(Y=values.Y, G=G)
    X, W, F, p, Y = values.X, values.W, values.F, values.p, values.Y
    # dF[n,e,o] = G[n,o] * p[n,e]
    dF = G[:, None, :] * p[..., None]
    # dp[n,e] = sum[o](G[n,o] * F[n,e,o])
    dp = np.einsum("no,neo->ne", G, F, optimize=True)
    # r[n] = sum[o](G[n,o] * Y[n,o])
    r = np.einsum("no,no->n", G, Y)
    # dz[n,e] = p[n,e] * (dp[n,e] - r[n])
    dz = p * (dp - r[:, None])
    # dW[m,e] = sum[n](dz[n,e] * X[n,m])
    dW = X.T @ dz
    # dX[n,m] = sum[e](dz[n,e] * W[m,e])
    dX = dz @ W.T
    return Gradients(dF, dp, dz, dW, dX)


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
