# ruff: noqa: E741, RUF100 (O: as the author wrote)
"""Attention in a sliding window: forward and backward pass.

Extents:
    T: positions (indices i)
    d: head dimension (indices k)
    d_v: value dimension (indices p)
    W: how far back a key is (indices j, l)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "Q": ("T", "d"),
    "K": ("T", "d"),
    "V": ("T", "d_v"),
    "O": ("T", "d_v"),
    "G": ("T", "d_v"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("d", "W")
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    Q: np.ndarray  # [T, d] queries
    K: np.ndarray  # [T, d] keys
    V: np.ndarray  # [T, d_v] values
    S: np.ndarray  # [T, W] scores of the last W keys
    A: np.ndarray  # [T, W] weights
    O: np.ndarray  # [T, d_v] output
    W: int  # extent


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dV: np.ndarray  # [T, d_v] dL/dV
    dA: np.ndarray  # [T, W] dL/dA
    dS: np.ndarray  # [T, W] dL/dS
    dQ: np.ndarray  # [T, d] dL/dQ
    dK: np.ndarray  # [T, d] dL/dK


def forward(Q: np.ndarray, K: np.ndarray, V: np.ndarray, *, W: int) -> Values:
    """Forward pass.

    Args:
        Q: [T, d] queries.
        K: [T, d] keys.
        V: [T, d_v] values.
        W: extent, no input shows it.

    Note:
        A row of S that is masked throughout gives NaN.
    """
    Q, K, V = _checked({"W": W}, Q=Q, K=K, V=V)
    T, d = Q.shape
    # K_win[i,j,k] = K[i-j,k]
    K_win = _windows(K, (0, 0, (1, T), (-1, W)))
    # S[i,j] = 1/sqrt(d) * sum[k](Q[i,k] * K_win[i,j,k])
    S = np.einsum("ik,ijk->ij", Q, K_win, optimize=True) / d**0.5
    # S_masked[i,l] = S[i,l] where l <= i, else -inf
    S_masked = np.where(np.tri(T, W, dtype=bool), S, -np.inf)
    # S_max[i] = max[l](S_masked[i,l])
    S_max = S_masked.max(axis=1)
    # exp_S[i,l] = exp(S_masked[i,l] - S_max[i])
    exp_S = np.exp(S_masked - S_max[:, None])
    # Z[i] = sum[l](exp_S[i,l])
    Z = exp_S.sum(axis=1)
    # A[i,j] = exp_S[i,j] / Z[i]
    A = exp_S / Z[:, None]
    # V_win[i,j,p] = V[i-j,p]
    V_win = _windows(V, (0, 0, (1, T), (-1, W)))
    # O[i,p] = sum[j](A[i,j] * V_win[i,j,p])
    O = np.einsum("ij,ijp->ip", A, V_win, optimize=True)
    return Values(Q, K, V, S, A, O, W)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [T, d_v] the upstream gradient dL/dO.
    """
    *_, G = _checked({}, O=values.O, G=G)
    Q, K, V, A, W = values.Q, values.K, values.V, values.A, values.W
    T = G.shape[0]
    d = Q.shape[1]
    # G_win[i,j,p] = G[i+j,p]
    G_win = _windows(G, (0, 0, (1, T), (1, W)))
    # A_win[i,j] = A[i+j,j]
    A_win = _entries(
        A,
        np.arange(T, dtype=int)[:, None] + np.arange(W, dtype=int),
        np.arange(W, dtype=int),
    )
    # dV[i,p] = sum[j](G_win[i,j,p] * A_win[i,j])
    dV = np.einsum("ijp,ij->ip", G_win, A_win, optimize=True)
    # V_win[i,j,p] = V[i-j,p]
    V_win = _windows(V, (0, 0, (1, T), (-1, W)))
    # dA[i,j] = sum[p](G[i,p] * V_win[i,j,p])
    dA = np.einsum("ip,ijp->ij", G, V_win, optimize=True)
    # r[i] = sum[j](dA[i,j] * A[i,j])
    r = np.einsum("ij,ij->i", dA, A)
    # dS[i,j] = A[i,j] * (dA[i,j] - r[i])
    dS = A * (dA - r[:, None])
    # K_win[i,j,k] = K[i-j,k]
    K_win = _windows(K, (0, 0, (1, T), (-1, W)))
    # dQ[i,k] = 1/sqrt(d) * sum[j](dS[i,j] * K_win[i,j,k])
    dQ = np.einsum("ij,ijk->ik", dS, K_win, optimize=True) / d**0.5
    # dS_win[i,j] = dS[i+j,j]
    dS_win = _entries(
        dS,
        np.arange(T, dtype=int)[:, None] + np.arange(W, dtype=int),
        np.arange(W, dtype=int),
    )
    # Q_win[i,j,k] = Q[i+j,k]
    Q_win = _windows(Q, (0, 0, (1, T), (1, W)))
    # dK[i,k] = 1/sqrt(d) * sum[j](dS_win[i,j] * Q_win[i,j,k])
    dK = np.einsum("ij,ijk->ik", dS_win, Q_win, optimize=True) / d**0.5
    return Gradients(dV, dA, dS, dQ, dK)


def _checked(known: dict[str, int], /, **given: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype, if their axes agree with `AXES`."""
    arrays = _promoted(*given.values())
    seen = {name: (size, "the arguments") for name, size in known.items()}
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


def _windows(x: np.ndarray, *along: tuple[int | tuple[int, int], ...]) -> np.ndarray:
    """x[start + sum of step * place] along some axes, an axis for each (step, size).

    For every such axis, in order: its number, the start, the steps. A view that is not
    to be written to, of the part of x that is read; outside of x it is zero.
    """
    shape, strides = [(size,) for size in x.shape], [(1,)] * x.ndim
    read, inside, first = ([slice(None)] * x.ndim for _ in range(3))
    room = list(x.shape)
    for axis, start, *steps in along:
        low = start + sum(min(step * (size - 1), 0) for step, size in steps)
        stop = start + sum(max(step * (size - 1), 0) for step, size in steps) + 1
        shape[axis] = tuple(size for _, size in steps)
        strides[axis] = tuple(step for step, _ in steps)
        begin = min(max(low, 0), x.shape[axis])
        end = max(min(stop, x.shape[axis]), begin)
        read[axis] = slice(begin, end)
        inside[axis] = slice(begin - low, end - low)
        first[axis] = slice(start - low, None)
        room[axis] = stop - low
    sizes = sum(shape, ())
    if 0 in sizes or 0 in x.shape:
        return np.zeros(sizes, dtype=x.dtype)
    given = x[tuple(read)]
    is_whole = given.shape == tuple(room)
    part = given if is_whole else np.zeros(room, dtype=x.dtype)
    if not is_whole:
        part[tuple(inside)] = given
    walked = [step * n for n, steps in zip(part.strides, strides) for step in steps]
    begun = part[tuple(first)]
    return np.lib.stride_tricks.as_strided(begun, sizes, walked, writeable=False)


def _entries(x: np.ndarray, *places: np.ndarray) -> np.ndarray:
    """x[places], zero where a place lies outside of x."""
    found = _nearest(x, *places)
    for place, size in zip(places, x.shape, strict=True):
        found = np.where((place >= 0) & (place < size), found, 0)
    return found


def _nearest(x: np.ndarray, *places: np.ndarray) -> np.ndarray:
    """x[places], with the nearest place where one lies outside of x."""
    sizes = zip(places, x.shape, strict=True)
    return x[tuple(np.clip(place, 0, size - 1) for place, size in sizes)]
