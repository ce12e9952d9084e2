"""Barlow Twins: the cross-correlation of two views brought to the identity: forward and
backward pass.

Extents:
    N: samples of the batch (indices n)
    D: features (indices i, j)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "D"),
    "Y": ("N", "D"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, D] embeddings of the first view
    Y: np.ndarray  # [N, D] embeddings of the second view
    mu: np.ndarray  # [D] mean of the feature over the batch, first view
    nu: np.ndarray  # [D] mean of the feature over the batch, second view
    vx: np.ndarray  # [D] variance of the feature over the batch, first view
    vy: np.ndarray  # [D] variance of the feature over the batch, second view
    rx: np.ndarray  # [D] reciprocal standard deviation, first view
    ry: np.ndarray  # [D] reciprocal standard deviation, second view
    xh: np.ndarray  # [N, D] normalised first view
    yh: np.ndarray  # [N, D] normalised second view
    C: np.ndarray  # [D, D] cross-correlation of the views
    L: np.ndarray  # scalar invariance, and redundancy
    lam: float  # weight of the redundancy between features


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dC: np.ndarray  # [D, D] dL/dC
    dX: np.ndarray  # [N, D] dL/dX
    dY: np.ndarray  # [N, D] dL/dY


def forward(
    X: np.ndarray, Y: np.ndarray, *, lam: float = 0.005, eps: float = 1e-05
) -> Values:
    """Forward pass.

    Args:
        X: [N, D] embeddings of the first view.
        Y: [N, D] embeddings of the second view.
        lam: weight of the redundancy between features.
        eps: keeps the root away from zero.
    """
    X, Y = _checked(X=X, Y=Y)
    N, D = X.shape
    # mu_rough[i] = 1/N * sum[n](X[n,i])
    mu_rough = X.sum(axis=0) / N
    # X_near[n,i] = X[n,i] - mu_rough[i]
    X_near = X - mu_rough
    # mu_rest[i] = 1/N * sum[n](X_near[n,i])
    mu_rest = X_near.sum(axis=0) / N
    # X_centred[n,i] = X_near[n,i] - mu_rest[i]
    X_centred = X_near - mu_rest
    # mu[i] = mu_rough[i] + mu_rest[i]
    mu = mu_rough + mu_rest
    # nu_rough[j] = 1/N * sum[n](Y[n,j])
    nu_rough = Y.sum(axis=0) / N
    # Y_near[n,j] = Y[n,j] - nu_rough[j]
    Y_near = Y - nu_rough
    # nu_rest[j] = 1/N * sum[n](Y_near[n,j])
    nu_rest = Y_near.sum(axis=0) / N
    # Y_centred[n,j] = Y_near[n,j] - nu_rest[j]
    Y_centred = Y_near - nu_rest
    # nu[j] = nu_rough[j] + nu_rest[j]
    nu = nu_rough + nu_rest
    # vx[i] = 1/N * sum[n](X_centred[n,i]^2)
    vx = (X_centred**2).sum(axis=0) / N
    # vy[j] = 1/N * sum[n](Y_centred[n,j]^2)
    vy = (Y_centred**2).sum(axis=0) / N
    # rx[i] = 1 / sqrt(vx[i] + eps)
    rx = 1.0 / np.sqrt(vx + eps)
    # ry[j] = 1 / sqrt(vy[j] + eps)
    ry = 1.0 / np.sqrt(vy + eps)
    # xh[n,i] = X_centred[n,i] * rx[i]
    xh = X_centred * rx
    # yh[n,j] = Y_centred[n,j] * ry[j]
    yh = Y_centred * ry
    # C[i,j] = 1/N * sum[n](xh[n,i] * yh[n,j])
    C = xh.T @ yh / N
    # L = sum[i]((1 - C[i,i])^2) + lam * sum[i,j]([i != j] * C[i,j]^2)
    part = lam * np.where(~np.eye(D, dtype=bool), C**2, 0.0).sum()
    L = ((1.0 - np.einsum("ii->i", C)) ** 2).sum() + part
    return Values(X, Y, mu, nu, vx, vy, rx, ry, xh, yh, C, L, lam)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    rx = values.rx
    ry = values.ry
    xh = values.xh
    yh = values.yh
    C = values.C
    lam = values.lam
    D = rx.shape[0]
    N = xh.shape[0]
    mask = np.eye(D, dtype=bool)
    # dC[i,j] = -2 * (1 - C[i,i]) * delta[i,j] + 2*lam * [i != j] * C[i,j]
    dC = np.where(~mask, 2 * lam * C, 0.0) - np.where(
        mask, (2 * (1.0 - np.einsum("ii->i", C)))[:, None], 0.0
    )
    # dyh[n,j] = 1/N * sum[i](dC[i,j] * xh[n,i])
    dyh = xh @ dC / N
    # s[j] = 1/N * sum[n](dyh[n,j] * yh[n,j])
    s = np.einsum("nj,nj->j", dyh, yh) / N
    # dY[n,j] = ry[j] * (dyh[n,j] - s[j] * yh[n,j])
    dY = ry * (dyh - s * yh)
    # dxh[n,i] = 1/N * sum[j](dC[i,j] * yh[n,j])
    dxh = yh @ dC.T / N
    # v[i] = 1/N * sum[n](dxh[n,i] * xh[n,i])
    v = np.einsum("ni,ni->i", dxh, xh) / N
    # dX[n,i] = rx[i] * (dxh[n,i] - v[i] * xh[n,i])
    dX = rx * (dxh - v * xh)
    return Gradients(dC, dX, dY)


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
    for extent in NEVER_EMPTY:
        if extent in seen and seen[extent][0] == 0:
            raise ValueError(f"{extent} is 0 in {seen[extent][1]}; 1 is the least")
    return arrays


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {array.dtype for array in arrays if hasattr(array, "dtype")}
    floating = [dtype for dtype in dtypes if dtype.kind not in "biu"]
    dtype = np.result_type(*floating) if floating else float
    return tuple([np.asarray(array, dtype) for array in arrays])
