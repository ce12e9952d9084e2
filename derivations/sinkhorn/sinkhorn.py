"""Entropic optimal transport by Sinkhorn's iterations: forward and backward pass.

Extents:
    N: sources (indices i, k)
    M: targets (indices j, l)
    T: iterations (indices t)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "C": ("N", "M"),
    "a": ("N",),
    "b": ("M",),
    "g0": ("M",),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N", "M")
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    C: np.ndarray  # [N, M] costs
    a: np.ndarray  # [N] mass of the sources
    b: np.ndarray  # [M] mass of the targets
    g0: np.ndarray  # [M] potentials to start from
    h: np.ndarray  # [T, M] potentials of the targets before
    R: np.ndarray  # [T, N, M] exponents of the rows
    f: np.ndarray  # [T, N] potentials of the sources
    S: np.ndarray  # [T, N, M] exponents of the columns
    g: np.ndarray  # [T, M] potentials of the targets
    P: np.ndarray  # [N, M] transport plan
    L: np.ndarray  # scalar cost of the transport
    R_max: np.ndarray  # [T, N] R_max[i] = max[j](R_here[i,j])
    # [T, N] Z_shifted[i] = sum[j](exp(R_here[i,j] - R_max_here[i]))
    Z_shifted: np.ndarray
    S_max: np.ndarray  # [T, M] S_max[j] = max[i](S_here[i,j])
    # [T, M] Z_g_shifted[j] = sum[i](exp(S_here[i,j] - S_max_here[j]))
    Z_g_shifted: np.ndarray
    T: int  # extent
    eps: float  # weight of the entropy


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dC: np.ndarray  # [N, M] dL/dC
    da: np.ndarray  # [N] dL/da
    db: np.ndarray  # [M] dL/db


def forward(
    C: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    g0: np.ndarray,
    *,
    T: int,
    eps: float = 0.5,
) -> Values:
    """Forward pass.

    Args:
        C: [N, M] costs.
        a: [N] mass of the sources.
        b: [M] mass of the targets.
        g0: [M] potentials to start from.
        T: extent, no input shows it.
        eps: weight of the entropy.
    """
    C, a, b, g0 = _checked({"T": T}, C=C, a=a, b=b, g0=g0)
    N, M = C.shape
    h = np.zeros((T, M), dtype=C.dtype)
    R = np.zeros((T, N, M), dtype=C.dtype)
    R_max = np.zeros((T, N), dtype=C.dtype)
    Z_shifted = np.zeros((T, N), dtype=C.dtype)
    R_lse = np.zeros((T, N), dtype=C.dtype)
    f = np.zeros((T, N), dtype=C.dtype)
    S = np.zeros((T, N, M), dtype=C.dtype)
    S_max = np.zeros((T, M), dtype=C.dtype)
    Z_g_shifted = np.zeros((T, M), dtype=C.dtype)
    S_lse = np.zeros((T, M), dtype=C.dtype)
    g = np.zeros((T, M), dtype=C.dtype)
    for t in range(T):
        # h[t,j] = delta[t,0] * g0[j] + [1 <= t] * g[t-1,j]
        if t == 0:
            h[t] = g0
        if 1 <= t:
            h[t] = g[t - 1]
        # R[t,i,j] = 1/eps * (h[t,j] - C[i,j])
        R[t] = (h[t] - C) / eps
        # R_max[t,i] = max[j](R[t,i,j])
        R_max[t] = R[t].max(axis=1)
        # Z_shifted[t,i] = sum[j](exp(R[t,i,j] - R_max[t,i]))
        Z_shifted[t] = np.exp(R[t] - R_max[t][:, None]).sum(axis=1)
        # R_lse[t,i] = R_max[t,i] + log(Z_shifted[t,i])
        R_lse[t] = R_max[t] + np.log(Z_shifted[t])
        # f[t,i] = eps * (log(a[i]) - R_lse[t,i])
        f[t] = eps * (np.log(a) - R_lse[t])
        # S[t,i,j] = 1/eps * (f[t,i] - C[i,j])
        S[t] = (f[t][:, None] - C) / eps
        # S_max[t,j] = max[i](S[t,i,j])
        S_max[t] = S[t].max(axis=0)
        # Z_g_shifted[t,j] = sum[i](exp(S[t,i,j] - S_max[t,j]))
        Z_g_shifted[t] = np.exp(S[t] - S_max[t]).sum(axis=0)
        # S_lse[t,j] = S_max[t,j] + log(Z_g_shifted[t,j])
        S_lse[t] = S_max[t] + np.log(Z_g_shifted[t])
        # g[t,j] = eps * (log(b[j]) - S_lse[t,j])
        g[t] = eps * (np.log(b) - S_lse[t])
    # f_win[i] = f[T-1,i]
    f_win = _windows(f, (0, T - 1))
    # g_win[j] = g[T-1,j]
    g_win = _windows(g, (0, T - 1))
    # P[i,j] = exp(1/eps * (f_win[i] + g_win[j] - C[i,j]))
    P = np.exp((f_win[:, None] + g_win - C) / eps)
    # L = sum[i,j](P[i,j] * C[i,j])
    L = np.einsum("ij,ij->", P, C, optimize=True)
    return Values(
        C, a, b, g0, h, R, f, S, g, P, L, R_max, Z_shifted, S_max, Z_g_shifted, T, eps
    )


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    C = values.C
    a = values.a
    b = values.b
    R = values.R
    f = values.f
    S = values.S
    g = values.g
    P = values.P
    R_max = values.R_max
    Z_shifted = values.Z_shifted
    S_max = values.S_max
    Z_g_shifted = values.Z_g_shifted
    T = values.T
    eps = values.eps
    N, M = C.shape
    # f_win[i] = f[T-1,i]
    f_win = _windows(f, (0, T - 1))
    # g_win[j] = g[T-1,j]
    g_win = _windows(g, (0, T - 1))
    # r_max[j] = max[i](1/eps * (f_win[i] + g_win[j] - C[i,j]))
    r_max = ((f_win + g_win[:, None] - C.T) / eps).max(axis=1)
    # r[j] = 1/eps * sum[i](C[i,j] * exp(1/eps * (f_win[i] + g_win[j] - C[i,j]) -
    #     r_max[j]))
    r = (
        np.einsum("ij,ij->j", C, np.exp((f_win[:, None] + g_win - C) / eps - r_max))
        / eps
    )
    # s_max[i] = max[j](1/eps * (f_win[i] + g_win[j] - C[i,j]))
    s_max = ((f_win[:, None] + g_win - C) / eps).max(axis=1)
    # s[i] = 1/eps * sum[j](C[i,j] * exp(1/eps * (f_win[i] + g_win[j] - C[i,j]) -
    #     s_max[i]))
    part = np.exp((f_win[:, None] + g_win - C) / eps - s_max[:, None])
    s = np.einsum("ij,ij->i", C, part) / eps
    # dg_masked[t] = 0 where t+1 < T, else -inf
    dg_masked = np.where(
        np.arange(T, dtype=int) + 1 < T, np.asarray(0.0, dtype=values.C.dtype), -np.inf
    )
    # r_max_masked[j,t] = r_max[j] where T-1 = t, else -inf
    r_max_masked = np.where(T - 1 == np.arange(T, dtype=int), r_max[:, None], -np.inf)
    # dg_bound[t,j] = max(r_max_masked[j,t], dg_masked[t], -1e+30)
    dg_bound = np.maximum(np.maximum(r_max_masked.T, dg_masked[:, None]), -1e30)
    # df_max[t,i] = max[j]((dg_bound[t,j] - S_max[t,j]) + S[t,i,j])
    df_max = ((dg_bound - S_max)[:, None, :] + S).max(axis=2)
    # s_max_masked[i,t] = s_max[i] where T-1 = t, else -inf
    s_max_masked = np.where(T - 1 == np.arange(T, dtype=int), s_max[:, None], -np.inf)
    # df_bound[t,i] = max(df_max[t,i], s_max_masked[i,t], -1e+30)
    df_bound = np.maximum(np.maximum(df_max, s_max_masked.T), -1e30)
    dg_shifted = np.zeros((T, M), dtype=values.C.dtype)
    df_shifted = np.zeros((T, N), dtype=values.C.dtype)
    dR = np.zeros((T, N, M), dtype=values.C.dtype)
    for t in reversed(range(T)):
        # dg_shifted[t,j] = 1/eps * exp(dg_masked[t] - dg_bound[t,j]) *
        #     sum[i](dR[t+1,i,j]) + exp(r_max_masked[j,t] - dg_bound[t,j]) * r[j]
        dg_shifted[t] = np.exp(r_max_masked[:, t] - dg_bound[t]) * r
        if t + 1 < T:
            dg_shifted[t] += (
                dR[t + 1].sum(axis=0) * np.exp(dg_masked[t] - dg_bound[t]) / eps
            )
        # df_shifted[t,i] = -sum[j](exp(((dg_bound[t,j] - S_max[t,j]) + S[t,i,j]) -
        #     df_bound[t,i]) * dg_shifted[t,j] / Z_g_shifted[t,j]) +
        #     exp(s_max_masked[i,t] - df_bound[t,i]) * s[i]
        part_2 = np.exp(dg_bound[t] - S_max[t] + S[t] - df_bound[t][:, None])
        part_3 = part_2 @ (dg_shifted[t] / Z_g_shifted[t])
        df_shifted[t] = np.exp(s_max_masked[:, t] - df_bound[t]) * s - part_3
        # dR[t,i,j] = -eps * exp(df_bound[t,i]) * df_shifted[t,i] * exp(R[t,i,j] -
        #     R_max[t,i]) / Z_shifted[t,i]
        dR[t] = (
            -eps
            * np.exp(df_bound[t])[:, None]
            * df_shifted[t][:, None]
            * np.exp(R[t] - R_max[t][:, None])
            / Z_shifted[t][:, None]
        )
    # dg[t,j] = exp(dg_bound[t,j]) * dg_shifted[t,j]
    with np.errstate(over="ignore"):
        dg = np.exp(dg_bound) * dg_shifted
    # dS[t,i,j] = -eps * exp(dg_bound[t,j]) * dg_shifted[t,j] * exp(S[t,i,j] -
    #     S_max[t,j]) / Z_g_shifted[t,j]
    dS = (
        -eps
        * np.exp(dg_bound)[:, None, :]
        * dg_shifted[:, None, :]
        * np.exp(S - S_max[:, None, :])
        / Z_g_shifted[:, None, :]
    )
    # df[t,i] = exp(df_bound[t,i]) * df_shifted[t,i]
    with np.errstate(over="ignore"):
        df = np.exp(df_bound) * df_shifted
    # dC[i,j] = P[i,j] * (1 - 1/eps * C[i,j]) - 1/eps * sum[t]((dR[t,i,j] + dS[t,i,j]))
    dC = P * (1.0 - C / eps) - (dR + dS).sum(axis=0) / eps
    # da[i] = eps * sum[t](df[t,i] / a[i])
    da = eps * df.sum(axis=0) / a
    # db[j] = eps * sum[t](dg[t,j] / b[j])
    db = eps * dg.sum(axis=0) / b
    return Gradients(dC, da, db)


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
