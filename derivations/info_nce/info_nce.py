"""InfoNCE: contrastive loss with the other rows as negatives: forward and backward pass.

Extents:
    N: pairs; a query's own key has its number (indices i, j, l)
    H: features (indices h)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "Q": ("N", "H"),
    "K": ("N", "H"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    Q: np.ndarray  # [N, H] queries
    K: np.ndarray  # [N, H] keys
    S: np.ndarray  # [N, N] similarities over temperature
    P: np.ndarray  # [N, N] probability that query i belongs to key j
    L: np.ndarray  # scalar mean of -log P[i,i], the log loss of the right keys
    tau: float  # temperature


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dS: np.ndarray  # [N, N] dL/dS
    dQ: np.ndarray  # [N, H] dL/dQ
    dK: np.ndarray  # [N, H] dL/dK


def forward(Q: np.ndarray, K: np.ndarray, *, tau: float = 0.1) -> Values:
    """Forward pass.

    Args:
        Q: [N, H] queries.
        K: [N, H] keys.
        tau: temperature.
    """
    Q, K = _checked(Q=Q, K=K)
    N = Q.shape[0]
    # S[i,j] = 1/tau * sum[h](Q[i,h] * K[j,h])
    S = Q @ K.T / tau
    # S_max[i] = max[l](S[i,l])
    S_max = S.max(axis=1)
    # exp_S[i,l] = exp(S[i,l] - S_max[i])
    exp_S = np.exp(S - S_max[:, None])
    # Z[i] = sum[l](exp_S[i,l])
    Z = exp_S.sum(axis=1)
    # P[i,j] = exp_S[i,j] / Z[i]
    P = exp_S / Z[:, None]
    # L = 1/N * sum[i]((S_max[i] + log(Z[i]) - S[i,i]))
    L = (S_max + np.log(Z) - np.einsum("ii->i", S)).sum() / N
    return Values(Q, K, S, P, L, tau)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    Q, K, P, tau = values.Q, values.K, values.P, values.tau
    N = Q.shape[0]
    # dS[i,j] = 1/N * (P[i,j] - delta[i,j])
    dS = (P - np.eye(N, dtype=values.Q.dtype)) / N
    # dQ[i,h] = 1/tau * sum[j](dS[i,j] * K[j,h])
    dQ = dS @ K / tau
    # dK[j,h] = 1/tau * sum[i](dS[i,j] * Q[i,h])
    dK = dS.T @ Q / tau
    return Gradients(dS, dQ, dK)


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
