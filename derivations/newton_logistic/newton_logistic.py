"""A Newton step of logistic regression: forward and backward pass.

Extents:
    N: examples (indices n)
    F: features (indices f, g)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "F"),
    "y": ("N",),
    "w": ("F",),
    "alpha": (),
    "v": ("F",),
    "G": ("F",),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, F] features
    y: np.ndarray  # [N] labels, 0 or 1
    w: np.ndarray  # [F] weights
    alpha: np.ndarray  # scalar weight of the penalty
    z: np.ndarray  # [N] logits
    p: np.ndarray  # [N] probabilities of label 1
    J: np.ndarray  # scalar what is minimised
    e: np.ndarray  # [N] residuals
    q: np.ndarray  # [F] gradient of J
    d: np.ndarray  # [N] curvature by the logits
    H: np.ndarray  # [F, F] second derivative of J
    s: np.ndarray  # [F] step
    v: np.ndarray  # [F] weights after the step


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dw: np.ndarray  # [F] dL/dw
    dy: np.ndarray  # [N] dL/dy
    dalpha: np.ndarray  # scalar dL/dalpha


def forward(X: np.ndarray, y: np.ndarray, w: np.ndarray, alpha: np.ndarray) -> Values:
    """Forward pass.

    Args:
        X: [N, F] features.
        y: [N] labels, 0 or 1.
        w: [F] weights.
        alpha: scalar weight of the penalty.
    """
    X, y, w, alpha = _checked(X=X, y=y, w=w, alpha=alpha)
    N, F = X.shape
    # z[n] = sum[f](X[n,f] * w[f])
    z = X @ w
    # p[n] = sigmoid(z[n])
    p = _sigmoid(z)
    # J = 1/N * sum[n]((softplus(z[n]) - y[n] * z[n])) + 0.5 * alpha * sum[f](w[f]^2)
    J = (np.logaddexp(0.0, z) - y * z).sum() / N + 0.5 * alpha * (w**2).sum()
    # e[n] = 1/N * (p[n] - y[n])
    e = (p - y) / N
    # q[f] = sum[n](e[n] * X[n,f]) + alpha * w[f]
    q = X.T @ e + alpha * w
    # d[n] = 1/N * p[n] * (1 - p[n])
    d = p * (1.0 - p) / N
    # H[f,g] = sum[n](d[n] * X[n,f] * X[n,g]) + alpha * delta[f,g]
    H = d * X.T @ X + np.where(np.eye(F, dtype=bool), alpha, 0.0)
    # solve s[g]: sum[g](H[f,g] * s[g]) = q[f]
    s = np.linalg.solve(H, q)
    # v[f] = w[f] - s[f]
    v = w - s
    return Values(X, y, w, alpha, z, p, J, e, q, d, H, s, v)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [F] the upstream gradient dL/dv.
    """
    *_, G = _checked(v=values.v, G=G)
    X = values.X
    w = values.w
    alpha = values.alpha
    p = values.p
    d = values.d
    H = values.H
    s = values.s
    N = X.shape[0]
    # lam_right[g] = -G[g]
    lam_right = -G
    # solve lam[f]: G[g] + sum[f](lam[f] * H[g,f]) = 0
    lam = np.linalg.solve(H, lam_right)
    # dd[n] = -sum[f,g](lam[f] * s[g] * X[n,f] * X[n,g])
    dd = -(X @ lam) * (X @ s)
    # dalpha = sum[f](lam[f] * (w[f] - s[f]))
    dalpha = lam @ (w - s)
    # de[n] = sum[f](lam[f] * X[n,f])
    de = X @ lam
    # dy[n] = -1/N * de[n]
    dy = -de / N
    # dp[n] = 1/N * (de[n] + dd[n] * (1 - 2 * p[n]))
    dp = (de + dd * (1.0 - 2 * p)) / N
    # dz[n] = N * dp[n] * d[n]
    dz = N * dp * d
    # dw[f] = sum[n](dz[n] * X[n,f]) + lam[f] * alpha + G[f]
    dw = X.T @ dz + lam * alpha + G
    return Gradients(dw, dy, dalpha)


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


def _sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x), without overflow for any x."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0.0, 1.0, small) / (1.0 + small)


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {getattr(array, "dtype", None) for array in arrays}
    floats = [dtype for dtype in dtypes if dtype is not None and dtype.kind in "fcO"]
    if len(dtypes) == len(floats) == 1:
        return arrays
    dtype = np.result_type(*floats) if floats else float
    return tuple([np.asarray(array, dtype) for array in arrays])
