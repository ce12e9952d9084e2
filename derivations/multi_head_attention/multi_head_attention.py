# ruff: noqa: E741, RUF100 (O: as the author wrote)
"""Multi-head self-attention with an output projection: forward and backward pass.

Extents:
    B: batch (indices b)
    T: token positions (indices s, t, u)
    D: model dimension (indices m)
    N_H: heads (indices h)
    D_h: dimension of a head (indices k)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("B", "T", "D"),
    "W_Q": ("D", "N_H * D_h"),
    "W_K": ("D", "N_H * D_h"),
    "W_V": ("D", "N_H * D_h"),
    "W_O": ("N_H * D_h", "D"),
    "Y": ("B", "T", "D"),
    "G": ("B", "T", "D"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("T", "D_h")
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [B, T, D] tokens
    W_Q: np.ndarray  # [D, N_H * D_h] query projection of all heads
    W_K: np.ndarray  # [D, N_H * D_h] key projection of all heads
    W_V: np.ndarray  # [D, N_H * D_h] value projection of all heads
    W_O: np.ndarray  # [N_H * D_h, D] output projection
    Q: np.ndarray  # [B, N_H, T, D_h] queries, head by head
    K: np.ndarray  # [B, N_H, T, D_h] keys, head by head
    V: np.ndarray  # [B, N_H, T, D_h] values, head by head
    S: np.ndarray  # [B, N_H, T, T] scaled scores
    A: np.ndarray  # [B, N_H, T, T] attention weights, softmax over keys
    O: np.ndarray  # [B, N_H, T, D_h] outputs of the heads
    O_cat: np.ndarray  # [B, T, N_H * D_h] heads side by side
    Y: np.ndarray  # [B, T, D] output
    N_H: int  # extent


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dW_O: np.ndarray  # [N_H * D_h, D] dL/dW_O
    dO_cat: np.ndarray  # [B, T, N_H * D_h] dL/dO_cat
    dO: np.ndarray  # [B, N_H, T, D_h] dL/dO
    dV: np.ndarray  # [B, N_H, T, D_h] dL/dV
    dA: np.ndarray  # [B, N_H, T, T] dL/dA
    dS: np.ndarray  # [B, N_H, T, T] dL/dS
    dQ: np.ndarray  # [B, N_H, T, D_h] dL/dQ
    dK: np.ndarray  # [B, N_H, T, D_h] dL/dK
    dW_Q: np.ndarray  # [D, N_H * D_h] dL/dW_Q
    dW_K: np.ndarray  # [D, N_H * D_h] dL/dW_K
    dW_V: np.ndarray  # [D, N_H * D_h] dL/dW_V
    dX: np.ndarray  # [B, T, D] dL/dX


def forward(
    X: np.ndarray,
    W_Q: np.ndarray,
    W_K: np.ndarray,
    W_V: np.ndarray,
    W_O: np.ndarray,
    *,
    N_H: int,
) -> Values:
    """Forward pass.

    Args:
        X: [B, T, D] tokens.
        W_Q: [D, N_H * D_h] query projection of all heads.
        W_K: [D, N_H * D_h] key projection of all heads.
        W_V: [D, N_H * D_h] value projection of all heads.
        W_O: [N_H * D_h, D] output projection.
        N_H: extent, no input shows it.
    """
    X, W_Q, W_K, W_V, W_O = _checked(
        {"N_H": N_H}, X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, W_O=W_O
    )
    B, T, D = X.shape
    D_h = W_Q.shape[1] // N_H
    W_Q_split = W_Q.reshape(D, N_H, D_h)
    W_K_split = W_K.reshape(D, N_H, D_h)
    W_V_split = W_V.reshape(D, N_H, D_h)
    W_O_split = W_O.reshape(N_H, D_h, D)
    # Q[b,h,s,k] = sum[m](X[b,s,m] * W_Q[m,(h,k)])
    Q = np.einsum("bsm,mhk->bhsk", X, W_Q_split, optimize=True)
    # K[b,h,s,k] = sum[m](X[b,s,m] * W_K[m,(h,k)])
    K = np.einsum("bsm,mhk->bhsk", X, W_K_split, optimize=True)
    # V[b,h,s,k] = sum[m](X[b,s,m] * W_V[m,(h,k)])
    V = np.einsum("bsm,mhk->bhsk", X, W_V_split, optimize=True)
    # S[b,h,s,t] = 1/sqrt(D_h) * sum[k](Q[b,h,s,k] * K[b,h,t,k])
    S = Q @ K.swapaxes(-1, -2) / D_h**0.5
    # S_max[b,h,s] = max[u](S[b,h,s,u])
    S_max = S.max(axis=3)
    # exp_S[b,h,s,u] = exp(S[b,h,s,u] - S_max[b,h,s])
    exp_S = np.exp(S - S_max[..., None])
    # Z[b,h,s] = sum[u](exp_S[b,h,s,u])
    Z = exp_S.sum(axis=3)
    # A[b,h,s,t] = exp_S[b,h,s,t] / Z[b,h,s]
    A = exp_S / Z[..., None]
    # O[b,h,s,k] = sum[t](A[b,h,s,t] * V[b,h,t,k])
    O = A @ V
    # O_cat[b,s,(h,k)] = O[b,h,s,k]
    O_cat_split = O.transpose(0, 2, 1, 3)
    O_cat = O_cat_split.reshape(B, T, N_H * D_h)
    # Y[b,s,m] = sum[h,k](O_cat[b,s,(h,k)] * W_O[(h,k),m])
    Y = np.einsum("bshk,hkm->bsm", O_cat_split, W_O_split, optimize=True)
    return Values(X, W_Q, W_K, W_V, W_O, Q, K, V, S, A, O, O_cat, Y, N_H)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [B, T, D] the upstream gradient dL/dY.
    """
    *_, G = _checked({}, Y=values.Y, G=G)
    X = values.X
    W_Q = values.W_Q
    W_K = values.W_K
    W_V = values.W_V
    W_O = values.W_O
    Q = values.Q
    K = values.K
    V = values.V
    A = values.A
    O = values.O
    O_cat = values.O_cat
    N_H = values.N_H
    B, T, D = G.shape
    D_h = Q.shape[3]
    W_Q_split = W_Q.reshape(D, N_H, D_h)
    W_K_split = W_K.reshape(D, N_H, D_h)
    W_V_split = W_V.reshape(D, N_H, D_h)
    W_O_split = W_O.reshape(N_H, D_h, D)
    O_cat_split = O_cat.reshape(B, T, N_H, D_h)
    # dW_O[(h,k),m] = sum[b,s](G[b,s,m] * O_cat[b,s,(h,k)])
    dW_O_split = np.einsum("bsm,bshk->hkm", G, O_cat_split, optimize=True)
    dW_O = dW_O_split.reshape(N_H * D_h, D)
    # dO_cat[b,s,(h,k)] = sum[m](G[b,s,m] * W_O[(h,k),m])
    dO_cat_split = np.einsum("bsm,hkm->bshk", G, W_O_split, optimize=True)
    dO_cat = dO_cat_split.reshape(B, T, N_H * D_h)
    # dO[b,h,s,k] = dO_cat[b,s,(h,k)]
    dO = dO_cat_split.transpose(0, 2, 1, 3)
    # dV[b,h,s,k] = sum[t](dO[b,h,t,k] * A[b,h,t,s])
    dV = A.swapaxes(-1, -2) @ dO
    # dA[b,h,s,t] = sum[k](dO[b,h,s,k] * V[b,h,t,k])
    dA = dO @ V.swapaxes(-1, -2)
    # r[b,h,s] = sum[k](dO[b,h,s,k] * O[b,h,s,k])
    r = np.einsum("bhsk,bhsk->bhs", dO, O)
    # dS[b,h,s,t] = A[b,h,s,t] * (dA[b,h,s,t] - r[b,h,s])
    dS = A * (dA - r[..., None])
    # dQ[b,h,s,k] = 1/sqrt(D_h) * sum[t](dS[b,h,s,t] * K[b,h,t,k])
    dQ = dS @ K / D_h**0.5
    # dK[b,h,s,k] = 1/sqrt(D_h) * sum[t](dS[b,h,t,s] * Q[b,h,t,k])
    dK = dS.swapaxes(-1, -2) @ Q / D_h**0.5
    # dW_Q[m,(h,k)] = sum[b,s](dQ[b,h,s,k] * X[b,s,m])
    dW_Q_split = np.einsum("bhsk,bsm->mhk", dQ, X, optimize=True)
    dW_Q = dW_Q_split.reshape(D, N_H * D_h)
    # dW_K[m,(h,k)] = sum[b,s](dK[b,h,s,k] * X[b,s,m])
    dW_K_split = np.einsum("bhsk,bsm->mhk", dK, X, optimize=True)
    dW_K = dW_K_split.reshape(D, N_H * D_h)
    # dW_V[m,(h,k)] = sum[b,s](dV[b,h,s,k] * X[b,s,m])
    dW_V_split = np.einsum("bhsk,bsm->mhk", dV, X, optimize=True)
    dW_V = dW_V_split.reshape(D, N_H * D_h)
    # dX[b,s,m] = sum[h,k](dQ[b,h,s,k] * W_Q[m,(h,k)]) + sum[h,k](dK[b,h,s,k] *
    #     W_K[m,(h,k)]) + sum[h,k](dV[b,h,s,k] * W_V[m,(h,k)])
    dX = (
        np.einsum("bhsk,mhk->bsm", dQ, W_Q_split, optimize=True)
        + np.einsum("bhsk,mhk->bsm", dK, W_K_split, optimize=True)
        + np.einsum("bhsk,mhk->bsm", dV, W_V_split, optimize=True)
    )
    return Gradients(dW_O, dO_cat, dO, dV, dA, dS, dQ, dK, dW_Q, dW_K, dW_V, dX)


def _checked(known: dict[str, int], /, **given: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype, if their axes agree with `AXES`."""
    arrays = _promoted(*given.values())
    seen = {name: (size, "the arguments", 0) for name, size in known.items()}
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
    _check_products(seen)
    for extent in NEVER_EMPTY:
        if extent in seen and seen[extent][0] == 0:
            raise ValueError(f"{extent} is 0 in {seen[extent][1]}; 1 is the least")
    return arrays


def _check_products(seen: dict[str, tuple[int, str, int]]) -> None:
    """Raise an error unless an axis is as long as the product that stands for it."""
    for extent in [extent for extent in seen if not extent.isidentifier()]:
        size, name, place = seen[extent]
        known, unknown = 1, []
        for part in extent.split(" * "):
            if part.isdigit() or part in seen:
                known *= int(part) if part.isdigit() else seen[part][0]
            else:
                unknown.append(part)
        wrong = size % known if unknown and known else size != known
        if len(unknown) < 2 and wrong:
            expected = f"a multiple of {known}" if unknown else known
            message = f"axis {place} of {name} has length {size}, but {extent} "
            raise ValueError(message + f"is {expected}")
        if len(unknown) == 1 and known:
            seen[unknown[0]] = (size // known, name, place)


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {getattr(array, "dtype", None) for array in arrays}
    floats = [dtype for dtype in dtypes if dtype is not None and dtype.kind in "fcO"]
    if len(dtypes) == len(floats) == 1:
        return arrays
    dtype = np.result_type(*floats) if floats else float
    return tuple([np.asarray(array, dtype) for array in arrays])
