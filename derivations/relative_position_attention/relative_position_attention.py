# ruff: noqa: E741, RUF100 (O: as the author wrote)
"""Attention with a bias by relative position: forward and backward pass.

Extents:
    T: positions (indices i, j, l)
    d: head dimension (indices k)
    d_v: value dimension (indices p)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "Q": ("T", "d"),
    "K": ("T", "d"),
    "V": ("T", "d_v"),
    "B": ("2 * T - 1",),
    "O": ("T", "d_v"),
    "G": ("T", "d_v"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("T", "d")
"""The extents without which there is no result."""

LENGTHS = {
    "2 * T - 1": (("T",), lambda T: 2 * T - 1),
}
"""The lengths that are no products, each with the extents that it is computed from."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    Q: np.ndarray  # [T, d] queries
    K: np.ndarray  # [T, d] keys
    V: np.ndarray  # [T, d_v] values
    B: np.ndarray  # [2 * T - 1] biases
    S: np.ndarray  # [T, T] scores
    A: np.ndarray  # [T, T] weights
    O: np.ndarray  # [T, d_v] output


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dB: np.ndarray  # [2 * T - 1] dL/dB
    dS: np.ndarray  # [T, T] dL/dS
    dQ: np.ndarray  # [T, d] dL/dQ
    dK: np.ndarray  # [T, d] dL/dK
    dV: np.ndarray  # [T, d_v] dL/dV


def forward(Q: np.ndarray, K: np.ndarray, V: np.ndarray, B: np.ndarray) -> Values:
    """Forward pass.

    Args:
        Q: [T, d] queries.
        K: [T, d] keys.
        V: [T, d_v] values.
        B: [2 * T - 1] biases.
    """
    Q, K, V, B = _checked(Q=Q, K=K, V=V, B=B)
    T, d = Q.shape
    # B_win[i,j] = B[i+T-j-1]
    B_win = _windows(B, (0, T - 1, (1, T), (-1, T)))
    # S[i,j] = 1/sqrt(d) * sum[k](Q[i,k] * K[j,k]) + B_win[i,j]
    S = Q @ K.T / d**0.5 + B_win
    # S_max[i] = max[l](S[i,l])
    S_max = S.max(axis=1)
    # exp_S[i,l] = exp(S[i,l] - S_max[i])
    exp_S = np.exp(S - S_max[:, None])
    # Z[i] = sum[l](exp_S[i,l])
    Z = exp_S.sum(axis=1)
    # A[i,j] = exp_S[i,j] / Z[i]
    A = exp_S / Z[:, None]
    # O[i,p] = sum[j](A[i,j] * V[j,p])
    O = A @ V
    return Values(Q, K, V, B, S, A, O)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [T, d_v] the upstream gradient dL/dO.
    """
    *_, G = _checked(O=values.O, G=G)
    Q, K, V, A, O = values.Q, values.K, values.V, values.A, values.O
    T = G.shape[0]
    d = Q.shape[1]
    # dV[j,p] = sum[i](G[i,p] * A[i,j])
    dV = A.T @ G
    # dA[i,j] = sum[p](G[i,p] * V[j,p])
    dA = G @ V.T
    # s[i] = sum[p](G[i,p] * O[i,p])
    s = np.einsum("ip,ip->i", G, O)
    # dS[i,j] = A[i,j] * (dA[i,j] - s[i])
    dS = A * (dA - s[:, None])
    # dS_win[j,r] = dS[j+r-T+1,j]
    dS_win = _entries(
        dS,
        np.arange(T, dtype=int)[:, None] + np.arange(2 * T - 1, dtype=int) + (1 - T),
        np.arange(T, dtype=int)[:, None],
    )
    # dB[r] = sum[j](dS_win[j,r])
    dB = dS_win.sum(axis=0)
    # dQ[i,k] = 1/sqrt(d) * sum[j](dS[i,j] * K[j,k])
    dQ = dS @ K / d**0.5
    # dK[j,k] = 1/sqrt(d) * sum[i](dS[i,j] * Q[i,k])
    dK = dS.T @ Q / d**0.5
    return Gradients(dB, dS, dQ, dK, dV)


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
    _check_products(seen)
    for extent in NEVER_EMPTY:
        if extent in seen and seen[extent][0] == 0:
            raise ValueError(f"{extent} is 0 in {seen[extent][1]}; 1 is the least")
    return arrays


def _check_products(seen: dict[str, tuple[int, str, int]]) -> None:
    """Raise an error unless an axis is as long as the product that stands for it."""
    for extent in [extent for extent in seen if not extent.isidentifier()]:
        size, name, place = seen[extent]
        if extent in LENGTHS:
            parts, length = LENGTHS[extent]
            known = [seen[part][0] for part in parts if part in seen]
            expected = length(*known) if len(known) == len(parts) else size
            if size != expected:
                message = f"axis {place} of {name} has length {size}, but {extent} "
                raise ValueError(message + f"is {expected}")
            continue
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
