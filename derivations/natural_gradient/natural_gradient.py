"""A natural gradient step of softmax regression: forward and backward pass.

Extents:
    N: examples (indices n)
    F: features (indices f, g)
    C: classes (indices c, d, l)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "F"),
    "W": ("C", "F"),
    "y": ("N", "C"),
    "alpha": (),
    "V": ("C", "F"),
    "G": ("C", "F"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N", "C")
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, F] features
    W: np.ndarray  # [C, F] weights
    y: np.ndarray  # [N, C] distribution of the label
    alpha: np.ndarray  # scalar damping
    z: np.ndarray  # [N, C] logits, the natural parameters of the label's distribution
    p: np.ndarray  # [N, C] probabilities
    R: np.ndarray  # [C, F] gradient of the mean negative log-likelihood
    q: np.ndarray  # [N, C, C] covariance of the label
    S: np.ndarray  # [C, F] natural gradient
    V: np.ndarray  # [C, F] weights after the step
    eta: float  # length of the step


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dW: np.ndarray  # [C, F] dL/dW
    dy: np.ndarray  # [N, C] dL/dy
    dalpha: np.ndarray  # scalar dL/dalpha


def forward(
    X: np.ndarray, W: np.ndarray, y: np.ndarray, alpha: np.ndarray, *, eta: float = 0.1
) -> Values:
    """Forward pass.

    Args:
        X: [N, F] features.
        W: [C, F] weights.
        y: [N, C] distribution of the label.
        alpha: scalar damping.
        eta: length of the step.
    """
    X, W, y, alpha = _checked(X=X, W=W, y=y, alpha=alpha)
    N, F = X.shape
    C = W.shape[0]
    # z[n,c] = sum[f](W[c,f] * X[n,f])
    z = X @ W.T
    # z_max[n] = max[l](z[n,l])
    z_max = z.max(axis=1)
    # exp_z[n,l] = exp(z[n,l] - z_max[n])
    exp_z = np.exp(z - z_max[:, None])
    # Z[n] = sum[l](exp_z[n,l])
    Z = exp_z.sum(axis=1)
    # p[n,c] = exp_z[n,c] / Z[n]
    p = exp_z / Z[:, None]
    # R[c,f] = 1/N * sum[n]((p[n,c] - y[n,c]) * X[n,f])
    R = (p.T - y.T) @ X / N
    mask = np.eye(C, dtype=bool)
    # q[n,c,d] = p[n,c] * delta[c,d] - p[n,c] * p[n,d]
    q = np.where(mask, p[..., None], 0.0) - p[..., None] * p[:, None, :]
    # S_matrix[c,f,d,g] = alpha * delta[c,d] * delta[f,g] + 1/N * sum[n](X[n,f] *
    #     q[n,c,d] * X[n,g])
    part = np.einsum("nf,ng->fgn", X, X, optimize=True)
    part_2 = np.einsum("fgn,ncd->cfdg", part, q, optimize=True) / N
    S_matrix = (
        np.where(mask[:, None, :, None] & np.eye(F, dtype=bool)[:, None, :], alpha, 0.0)
        + part_2
    )
    # solve S[d,g]: alpha * S[c,f] + 1/N * sum[n,d,g](X[n,f] * q[n,c,d] * X[n,g] *
    #     S[d,g]) = R[c,f]
    S = np.linalg.solve(S_matrix.reshape(C * F, C * F), R.reshape(C * F)).reshape(C, F)
    # V[c,f] = W[c,f] - eta * S[c,f]
    V = W - eta * S
    return Values(X, W, y, alpha, z, p, R, q, S, V, eta)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [C, F] the upstream gradient dL/dV.
    """
    *_, G = _checked(V=values.V, G=G)
    X = values.X
    alpha = values.alpha
    p = values.p
    q = values.q
    S = values.S
    eta = values.eta
    C, F = G.shape
    N = X.shape[0]
    # lam_matrix[d,g,c,f] = delta[d,c] * delta[g,f] * alpha + 1/N * sum[n](X[n,f] *
    #     q[n,d,c] * X[n,g])
    part = np.eye(C, dtype=bool)[:, None, :, None] & np.eye(F, dtype=bool)[:, None, :]
    part_2 = np.einsum("nf,ng->gfn", X, X, optimize=True)
    part_3 = np.einsum("gfn,ndc->dgcf", part_2, q, optimize=True) / N
    lam_matrix = np.where(part, alpha, 0.0) + part_3
    # lam_right[d,g] = -eta * G[d,g]
    lam_right = -eta * G
    # solve lam[c,f]: eta * G[d,g] + lam[d,g] * alpha + 1/N * sum[c,f,n](lam[c,f] *
    #     X[n,f] * q[n,d,c] * X[n,g]) = 0
    part_4 = np.linalg.solve(lam_matrix.reshape(C * F, C * F), lam_right.reshape(C * F))
    lam = part_4.reshape(C, F)
    # dalpha = -sum[c,f](lam[c,f] * S[c,f])
    dalpha = -np.einsum("cf,cf->", lam, S, optimize=True)
    # r[n,c] = 1/N * sum[f](lam[c,f] * X[n,f])
    r = X @ lam.T / N
    # s[n,d] = sum[f](X[n,f] * S[d,f])
    s = X @ S.T
    # dy[n,c] = -r[n,c]
    dy = -r
    # u[n] = sum[c](p[n,c] * s[n,c])
    u = np.einsum("nc,nc->n", p, s)
    # v[n] = sum[c](p[n,c] * r[n,c])
    v = np.einsum("nc,nc->n", p, r)
    # dp[n,c] = r[n,c] * (u[n] - s[n,c]) - dy[n,c] + v[n] * s[n,c]
    dp = r * (u[:, None] - s) - dy + v[:, None] * s
    # w[n] = sum[c](dp[n,c] * p[n,c])
    w = np.einsum("nc,nc->n", dp, p)
    # dz[n,c] = p[n,c] * (dp[n,c] - w[n])
    dz = p * (dp - w[:, None])
    # dW[c,f] = sum[n](dz[n,c] * X[n,f]) + G[c,f]
    dW = dz.T @ X + G
    return Gradients(dW, dy, dalpha)


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
