# ruff: noqa: E741, RUF100 (I: as the author wrote)
"""Matrix factorisation: observed ratings by products of factors: forward and backward
pass.

Extents:
    U: users (indices u)
    I: items (indices i)
    K: latent factors (indices k)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "R": ("U", "I"),
    "W": ("U", "I"),
    "P": ("U", "K"),
    "Q": ("I", "K"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    R: np.ndarray  # [U, I] ratings
    W: np.ndarray  # [U, I] 1 where a rating is observed, else 0
    P: np.ndarray  # [U, K] factors of the users
    Q: np.ndarray  # [I, K] factors of the items
    E: np.ndarray  # [U, I] errors
    L: np.ndarray  # scalar squared errors where observed, and penalty
    lam: float  # strength of the penalty


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dE: np.ndarray  # [U, I] dL/dE
    dP: np.ndarray  # [U, K] dL/dP
    dQ: np.ndarray  # [I, K] dL/dQ


def forward(
    R: np.ndarray, W: np.ndarray, P: np.ndarray, Q: np.ndarray, *, lam: float = 0.1
) -> Values:
    """Forward pass.

    Args:
        R: [U, I] ratings.
        W: [U, I] 1 where a rating is observed, else 0.
        P: [U, K] factors of the users.
        Q: [I, K] factors of the items.
        lam: strength of the penalty.
    """
    R, W, P, Q = _checked(R=R, W=W, P=P, Q=Q)
    # E[u,i] = sum[k](P[u,k] * Q[i,k]) - R[u,i]
    E = P @ Q.T - R
    # L = 0.5 * sum[u,i](W[u,i] * E[u,i]^2) + lam/2 * sum[u,k](P[u,k]^2) + lam/2 *
    #     sum[i,k](Q[i,k]^2)
    L = (
        0.5 * np.einsum("ui,ui->", W, E**2, optimize=True)
        + 0.5 * lam * (P**2).sum()
        + 0.5 * lam * (Q**2).sum()
    )
    return Values(R, W, P, Q, E, L, lam)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    W, P, Q, E, lam = values.W, values.P, values.Q, values.E, values.lam
    # dE[u,i] = W[u,i] * E[u,i]
    dE = W * E
    # dP[u,k] = sum[i](dE[u,i] * Q[i,k]) + lam * P[u,k]
    dP = dE @ Q + lam * P
    # dQ[i,k] = sum[u](dE[u,i] * P[u,k]) + lam * Q[i,k]
    dQ = dE.T @ P + lam * Q
    return Gradients(dE, dP, dQ)


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
