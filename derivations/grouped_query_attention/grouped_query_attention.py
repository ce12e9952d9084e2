# ruff: noqa: E741, RUF100 (O: as the author wrote)
"""Grouped-query attention: the query heads of a group share keys and values: forward and
backward pass.

Extents:
    B: batch (indices b)
    T: token positions (indices s, t, u)
    N_G: groups: heads of keys and values (indices g)
    R: query heads of a group (indices r)
    D_h: dimension of a head (indices k)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "Q": ("B", "T", "N_G * R * D_h"),
    "K": ("B", "T", "N_G * D_h"),
    "V": ("B", "T", "N_G * D_h"),
    "O": ("B", "T", "N_G * R * D_h"),
    "G": ("B", "T", "N_G * R * D_h"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("T", "D_h")
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    Q: np.ndarray  # [B, T, N_G * R * D_h] queries, head by head
    K: np.ndarray  # [B, T, N_G * D_h] keys
    V: np.ndarray  # [B, T, N_G * D_h] values
    S: np.ndarray  # [B, N_G, R, T, T] scaled scores
    A: np.ndarray  # [B, N_G, R, T, T] attention weights, softmax over keys
    O: np.ndarray  # [B, T, N_G * R * D_h] outputs, head by head
    N_G: int  # extent


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dV: np.ndarray  # [B, T, N_G * D_h] dL/dV
    dA: np.ndarray  # [B, N_G, R, T, T] dL/dA
    dS: np.ndarray  # [B, N_G, R, T, T] dL/dS
    dQ: np.ndarray  # [B, T, N_G * R * D_h] dL/dQ
    dK: np.ndarray  # [B, T, N_G * D_h] dL/dK


def forward(Q: np.ndarray, K: np.ndarray, V: np.ndarray, *, N_G: int) -> Values:
    """Forward pass.

    Args:
        Q: [B, T, N_G * R * D_h] queries, head by head.
        K: [B, T, N_G * D_h] keys.
        V: [B, T, N_G * D_h] values.
        N_G: extent, no input shows it.
    """
    Q, K, V = _checked({"N_G": N_G}, Q=Q, K=K, V=V)
    B, T, _ = Q.shape
    D_h = K.shape[2] // N_G
    R = Q.shape[2] // (N_G * D_h)
    Q_split = Q.reshape(B, T, N_G, R, D_h)
    K_split = K.reshape(B, T, N_G, D_h)
    V_split = V.reshape(B, T, N_G, D_h)
    # S[b,g,r,s,t] = 1/sqrt(D_h) * sum[k](Q[b,s,(g,r,k)] * K[b,t,(g,k)])
    part = Q_split.transpose(0, 2, 3, 1, 4).reshape(B, N_G, R * T, D_h)
    part_2 = part @ K_split.transpose(0, 2, 3, 1)
    part_3 = part_2.reshape(B, N_G, R, T, T)
    S = part_3 / D_h**0.5
    # S_max[b,g,r,s] = max[u](S[b,g,r,s,u])
    S_max = S.max(axis=4)
    # exp_S[b,g,r,s,u] = exp(S[b,g,r,s,u] - S_max[b,g,r,s])
    exp_S = np.exp(S - S_max[..., None])
    # Z[b,g,r,s] = sum[u](exp_S[b,g,r,s,u])
    Z = exp_S.sum(axis=4)
    # A[b,g,r,s,t] = exp_S[b,g,r,s,t] / Z[b,g,r,s]
    A = exp_S / Z[..., None]
    # O[b,s,(g,r,k)] = sum[t](A[b,g,r,s,t] * V[b,t,(g,k)])
    part_4 = A.transpose(0, 1, 3, 2, 4).reshape(B, N_G, T * R, T)
    part_5 = part_4 @ V_split.transpose(0, 2, 1, 3)
    part_6 = part_5.reshape(B, N_G, T, R, D_h)
    O_split = part_6.transpose(0, 2, 1, 3, 4)
    O = O_split.reshape(B, T, N_G * R * D_h)
    return Values(Q, K, V, S, A, O, N_G)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [B, T, N_G * R * D_h] the upstream gradient dL/dO.
    """
    *_, G = _checked({}, O=values.O, G=G)
    Q, K, V, A, O, N_G = values.Q, values.K, values.V, values.A, values.O, values.N_G
    B, T, _ = G.shape
    R = A.shape[2]
    D_h = G.shape[2] // (N_G * R)
    Q_split = Q.reshape(B, T, N_G, R, D_h)
    K_split = K.reshape(B, T, N_G, D_h)
    V_split = V.reshape(B, T, N_G, D_h)
    O_split = O.reshape(B, T, N_G, R, D_h)
    G_split = G.reshape(B, T, N_G, R, D_h)
    # dV[b,t,(g,k)] = sum[s,r](G[b,s,(g,r,k)] * A[b,g,r,s,t])
    part = G_split.transpose(0, 2, 1, 3, 4).reshape(B, N_G, T * R, D_h)
    part_2 = A.transpose(0, 1, 4, 3, 2).reshape(B, N_G, T, T * R) @ part
    dV_split = part_2.transpose(0, 2, 1, 3)
    dV = dV_split.reshape(B, T, N_G * D_h)
    # D[b,g,r,s,t] = sum[k](G[b,s,(g,r,k)] * V[b,t,(g,k)])
    part_3 = G_split.transpose(0, 2, 3, 1, 4).reshape(B, N_G, R * T, D_h)
    part_4 = part_3 @ V_split.transpose(0, 2, 3, 1)
    D = part_4.reshape(B, N_G, R, T, T)
    # v[b,g,r,s] = sum[k](G[b,s,(g,r,k)] * O[b,s,(g,r,k)])
    v = np.einsum("bsgrk,bsgrk->bgrs", G_split, O_split)
    # dS[b,g,r,s,t] = A[b,g,r,s,t] * (D[b,g,r,s,t] - v[b,g,r,s])
    dS = A * (D - v[..., None])
    # dQ[b,s,(g,r,k)] = 1/sqrt(D_h) * sum[t](dS[b,g,r,s,t] * K[b,t,(g,k)])
    part_5 = dS.transpose(0, 1, 3, 2, 4).reshape(B, N_G, T * R, T)
    part_6 = part_5 @ K_split.transpose(0, 2, 1, 3)
    part_7 = part_6.reshape(B, N_G, T, R, D_h)
    part_8 = part_7.transpose(0, 2, 1, 3, 4)
    dQ_split = part_8 / D_h**0.5
    dQ = dQ_split.reshape(B, T, N_G * R * D_h)
    # dK[b,t,(g,k)] = 1/sqrt(D_h) * sum[r,s](dS[b,g,r,s,t] * Q[b,s,(g,r,k)])
    part_9 = Q_split.transpose(0, 2, 3, 1, 4).reshape(B, N_G, R * T, D_h)
    part_10 = dS.reshape(B, N_G, R * T, T).swapaxes(-1, -2) @ part_9
    part_11 = part_10.transpose(0, 2, 1, 3)
    dK_split = part_11 / D_h**0.5
    dK = dK_split.reshape(B, T, N_G * D_h)
    return Gradients(dV=dV, dA=D, dS=dS, dQ=dQ, dK=dK)


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
