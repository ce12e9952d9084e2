"""Graph attention layer: each node weighs its neighbours: forward and backward pass.

Extents:
    N: nodes (indices i, j, l)
    F: input features (indices f)
    M: output features (indices h)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "F"),
    "A": ("N", "N"),
    "W": ("F", "M"),
    "a": ("M",),
    "b": ("M",),
    "Y": ("N", "M"),
    "G": ("N", "M"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, F] features of the nodes
    # [N, N] 1 where there is an edge from j to i, and on the diagonal, else 0
    A: np.ndarray
    W: np.ndarray  # [F, M] projection
    a: np.ndarray  # [M] attention vector, receiving node
    b: np.ndarray  # [M] attention vector, sending node
    H: np.ndarray  # [N, M] projected nodes
    s: np.ndarray  # [N] share of the receiving node
    t: np.ndarray  # [N] share of the sending node
    u: np.ndarray  # [N, N] scores of the edges, before the leaky ReLU
    E: np.ndarray  # [N, N] scores, leaky ReLU
    P: np.ndarray  # [N, N] attention, softmax over the neighbours
    Y: np.ndarray  # [N, M] output
    slope: float  # slope of the leaky ReLU below zero


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dP: np.ndarray  # [N, N] dL/dP
    dE: np.ndarray  # [N, N] dL/dE
    du: np.ndarray  # [N, N] dL/du
    ds: np.ndarray  # [N] dL/ds
    dt: np.ndarray  # [N] dL/dt
    da: np.ndarray  # [M] dL/da
    db: np.ndarray  # [M] dL/db
    dH: np.ndarray  # [N, M] dL/dH
    dW: np.ndarray  # [F, M] dL/dW
    dX: np.ndarray  # [N, F] dL/dX


def forward(
    X: np.ndarray,
    A: np.ndarray,
    W: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    *,
    slope: float = 0.2,
) -> Values:
    """Forward pass.

    Args:
        X: [N, F] features of the nodes.
        A: [N, N] 1 where there is an edge from j to i, and on the diagonal, else 0.
        W: [F, M] projection.
        a: [M] attention vector, receiving node.
        b: [M] attention vector, sending node.
        slope: slope of the leaky ReLU below zero.
    """
    X, A, W, a, b = _checked(X=X, A=A, W=W, a=a, b=b)
    # H[i,h] = sum[f](X[i,f] * W[f,h])
    H = X @ W
    # s[i] = sum[h](a[h] * H[i,h])
    s = H @ a
    # t[j] = sum[h](b[h] * H[j,h])
    t = H @ b
    # u[i,j] = s[i] + t[j]
    u = s[:, None] + t
    # E[i,j] = slope * u[i,j] + (1 - slope) * relu(u[i,j])
    E = slope * u + (1 - slope) * np.maximum(u, 0.0)
    # E_masked[i,l] = E[i,l] where A[i,l] != 0, else -inf
    E_masked = np.where(A != 0.0, E, -np.inf)
    # E_max[i] = max[l](E_masked[i,l])
    E_max = E_masked.max(axis=1)
    # exp_E[i,l] = exp(E_masked[i,l] - E_max[i])
    exp_E = np.exp(E_masked - E_max[:, None])
    # Z[i] = sum[l](A[i,l] * exp_E[i,l])
    Z = np.einsum("il,il->i", A, exp_E)
    # P[i,j] = A[i,j] * exp_E[i,j] / Z[i]
    P = A * exp_E / Z[:, None]
    # Y[i,h] = sum[j](P[i,j] * H[j,h])
    Y = P @ H
    return Values(X, A, W, a, b, H, s, t, u, E, P, Y, slope)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, M] the upstream gradient dL/dY.
    """
    *_, G = _checked(Y=values.Y, G=G)
    X = values.X
    W = values.W
    a = values.a
    b = values.b
    H = values.H
    u = values.u
    P = values.P
    Y = values.Y
    slope = values.slope
    # dP[i,j] = sum[h](G[i,h] * H[j,h])
    dP = G @ H.T
    # r[i] = sum[h](G[i,h] * Y[i,h])
    r = np.einsum("ih,ih->i", G, Y)
    # dE[i,j] = P[i,j] * (dP[i,j] - r[i])
    dE = P * (dP - r[:, None])
    # du[i,j] = dE[i,j] * (slope + (1 - slope) * step(u[i,j]))
    du = dE * (slope + (1 - slope) * np.heaviside(u, 0.0))
    # ds[i] = sum[j](du[i,j])
    ds = du.sum(axis=1)
    # dt[j] = sum[i](du[i,j])
    dt = du.sum(axis=0)
    # da[h] = sum[i](ds[i] * H[i,h])
    da = H.T @ ds
    # db[h] = sum[j](dt[j] * H[j,h])
    db = H.T @ dt
    # dH[i,h] = ds[i] * a[h] + dt[i] * b[h] + sum[j](G[j,h] * P[j,i])
    dH = ds[:, None] * a + dt[:, None] * b + P.T @ G
    # dW[f,h] = sum[i](dH[i,h] * X[i,f])
    dW = X.T @ dH
    # dX[i,f] = sum[h](dH[i,h] * W[f,h])
    dX = dH @ W.T
    return Gradients(dP, dE, du, ds, dt, da, db, dH, dW, dX)


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
