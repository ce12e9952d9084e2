"""A step of the heat equation: forward and backward pass.

Extents:
    N: points of the grid (indices n)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "u": ("N",),
    "kappa": ("N",),
    "v": ("N",),
    "G": ("N",),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    u: np.ndarray  # [N] temperatures
    kappa: np.ndarray  # [N] conductivities
    v: np.ndarray  # [N] an explicit step, zero outside
    r: float  # diffusivity times time step over the square of the grid's step


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    du: np.ndarray  # [N] dL/du
    dkappa: np.ndarray  # [N] dL/dkappa


def forward(u: np.ndarray, kappa: np.ndarray, *, r: float = 0.25) -> Values:
    """Forward pass.

    Args:
        u: [N] temperatures.
        kappa: [N] conductivities.
        r: diffusivity times time step over the square of the grid's step.
    """
    u, kappa = _checked(u=u, kappa=kappa)
    N = u.shape[0]
    # u_win[n] = u[n-1]
    u_win = _windows(u, (0, -1, (1, N)))
    # u_win_2[n] = u[n+1]
    u_win_2 = _windows(u, (0, 1, (1, N)))
    # v[n] = u[n] + r * kappa[n] * (u_win[n] - 2 * u[n] + u_win_2[n])
    v = u + r * kappa * (u_win - 2 * u + u_win_2)
    return Values(u, kappa, v, r)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N] the upstream gradient dL/dv.
    """
    *_, G = _checked(v=values.v, G=G)
    u, kappa, r = values.u, values.kappa, values.r
    N = G.shape[0]
    # G_win[n] = G[n+1]
    G_win = _windows(G, (0, 1, (1, N)))
    # kappa_win[n] = kappa[n+1]
    kappa_win = _windows(kappa, (0, 1, (1, N)))
    # G_win_2[n] = G[n-1]
    G_win_2 = _windows(G, (0, -1, (1, N)))
    # kappa_win_2[n] = kappa[n-1]
    kappa_win_2 = _windows(kappa, (0, -1, (1, N)))
    # du[n] = G[n] + r * (G_win[n] * kappa_win[n] + G_win_2[n] * kappa_win_2[n]) - 2*r *
    #     G[n] * kappa[n]
    du = G + r * (G_win * kappa_win + G_win_2 * kappa_win_2) - 2 * r * G * kappa
    # u_win[n] = u[n-1]
    u_win = _windows(u, (0, -1, (1, N)))
    # u_win_2[n] = u[n+1]
    u_win_2 = _windows(u, (0, 1, (1, N)))
    # dkappa[n] = r * G[n] * (u_win[n] - 2 * u[n] + u_win_2[n])
    dkappa = r * G * (u_win - 2 * u + u_win_2)
    return Gradients(du, dkappa)


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
