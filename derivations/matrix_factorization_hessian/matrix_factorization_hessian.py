# ruff: noqa: E741, RUF100 (I: as the author wrote)
"""The Hessian of a matrix factorisation: forward and backward pass.

Extents:
    U: users (indices u, v)
    I: items (indices i, j)
    K: latent factors (indices k, l)
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


class HessianPP(NamedTuple):
    """Second derivative of the loss by P and P, in its parts.

    H_P_P[u,k,v,l] = delta[u,v] * H_P_P_block[u,k,l] + delta[u,v] * delta[k,l] *
        H_P_P_diagonal
    """

    H_P_P_block: np.ndarray  # [U, K, K] part of H_P_P
    H_P_P_diagonal: np.ndarray  # scalar part of H_P_P

    def dense(self) -> np.ndarray:
        """All entries, zeros included: [U, K, U, K]."""
        H_P_P_block = self.H_P_P_block
        H_P_P_diagonal = self.H_P_P_diagonal
        U, K, _ = H_P_P_block.shape
        mask = np.eye(U, dtype=bool)
        part = mask[:, None, :, None] & np.eye(K, dtype=bool)[:, None, :]
        part_2 = np.where(mask[:, None, :, None], H_P_P_block[:, :, None, :], 0.0)
        return part_2 + np.where(part, H_P_P_diagonal, 0.0)

    def __matmul__(self, vector: np.ndarray) -> np.ndarray:
        """The product with an array of shape [U, K]."""
        H_P_P_block = self.H_P_P_block
        H_P_P_diagonal = self.H_P_P_diagonal
        return (
            np.einsum("ukl,ul->uk", H_P_P_block, vector, optimize=True)
            + H_P_P_diagonal * vector
        )


class HessianPQ(NamedTuple):
    """Second derivative of the loss by P and Q, in its parts.

    H_P_Q[u,k,i,l] = W[u,i] * P[u,l] * Q[i,k] + dE[u,i] * delta[k,l]
    """

    W: np.ndarray  # [U, I] 1 where a rating is observed, else 0
    P: np.ndarray  # [U, K] factors of the users
    Q: np.ndarray  # [I, K] factors of the items
    dE: np.ndarray  # [U, I] gradient of the loss by E

    def dense(self) -> np.ndarray:
        """All entries, zeros included: [U, K, I, K]."""
        W = self.W
        P = self.P
        Q = self.Q
        dE = self.dE
        K = P.shape[1]
        return W[:, None, :, None] * P[:, None, None, :] * Q.T[..., None] + np.where(
            np.eye(K, dtype=bool)[:, None, :], dE[:, None, :, None], 0.0
        )

    def __matmul__(self, vector: np.ndarray) -> np.ndarray:
        """The product with an array of shape [I, K]."""
        W = self.W
        P = self.P
        Q = self.Q
        dE = self.dE
        return P @ vector.T * W @ Q + dE @ vector


class HessianQQ(NamedTuple):
    """Second derivative of the loss by Q and Q, in its parts.

    H_Q_Q[i,k,j,l] = delta[i,j] * H_Q_Q_block[i,k,l] + delta[i,j] * delta[k,l] *
        H_Q_Q_diagonal
    """

    H_Q_Q_block: np.ndarray  # [I, K, K] part of H_Q_Q
    H_Q_Q_diagonal: np.ndarray  # scalar part of H_Q_Q

    def dense(self) -> np.ndarray:
        """All entries, zeros included: [I, K, I, K]."""
        H_Q_Q_block = self.H_Q_Q_block
        H_Q_Q_diagonal = self.H_Q_Q_diagonal
        I, K, _ = H_Q_Q_block.shape
        mask = np.eye(I, dtype=bool)
        part = mask[:, None, :, None] & np.eye(K, dtype=bool)[:, None, :]
        part_2 = np.where(mask[:, None, :, None], H_Q_Q_block[:, :, None, :], 0.0)
        return part_2 + np.where(part, H_Q_Q_diagonal, 0.0)

    def __matmul__(self, vector: np.ndarray) -> np.ndarray:
        """The product with an array of shape [I, K]."""
        H_Q_Q_block = self.H_Q_Q_block
        H_Q_Q_diagonal = self.H_Q_Q_diagonal
        return (
            np.einsum("ikl,il->ik", H_Q_Q_block, vector, optimize=True)
            + H_Q_Q_diagonal * vector
        )


class Gradients(NamedTuple):
    """The derivatives that were asked for."""

    H_P_P: HessianPP  # [U, K, U, K] second derivative of the loss by P and P
    H_P_Q: HessianPQ  # [U, K, I, K] second derivative of the loss by P and Q
    H_Q_Q: HessianQQ  # [I, K, I, K] second derivative of the loss by Q and Q


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
    # H_P_P_block[u,k,l] = sum[i](W[u,i] * Q[i,k] * Q[i,l])
    H_P_P_block = np.einsum(
        "uki,il->ukl", np.einsum("ui,ik->uki", W, Q, optimize=True), Q, optimize=True
    )
    # H_P_P_diagonal = lam
    H_P_P_diagonal = lam
    # H_Q_Q_block[i,k,l] = sum[u](W[u,i] * P[u,k] * P[u,l])
    H_Q_Q_block = np.einsum(
        "iku,ul->ikl", np.einsum("ui,uk->iku", W, P, optimize=True), P, optimize=True
    )
    # H_Q_Q_diagonal = lam
    H_Q_Q_diagonal = lam
    return Gradients(
        H_P_P=HessianPP(H_P_P_block, H_P_P_diagonal),
        H_P_Q=HessianPQ(W, P, Q, dE),
        H_Q_Q=HessianQQ(H_Q_Q_block, H_Q_Q_diagonal),
    )


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
