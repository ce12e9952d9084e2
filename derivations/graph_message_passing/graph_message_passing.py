"""Message passing along a list of edges: forward and backward pass.

Extents:
    V: nodes (indices v)
    A: features (indices a)
    B: features of messages (indices b)
    E: edges (indices e)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "h": ("V", "A"),
    "W": ("B", "A"),
    "g": ("E",),
    "src": ("E",),
    "dst": ("E",),
    "y": ("V", "B"),
    "G": ("V", "B"),
}
"""The extents of the axes of every array that is given."""

WHOLE = {
    "src": "V",
    "dst": "V",
}
"""The arrays of whole numbers, from 0 on and below an extent: they are looked up."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    h: np.ndarray  # [V, A] features of nodes
    W: np.ndarray  # [B, A] weights
    g: np.ndarray  # [E] weights of edges
    src: np.ndarray  # [E] where an edge begins
    dst: np.ndarray  # [E] where it ends
    m: np.ndarray  # [E, B] a message for each edge
    y: np.ndarray  # [V, B] what arrives at each node


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dh: np.ndarray  # [V, A] dL/dh
    dW: np.ndarray  # [B, A] dL/dW
    dg: np.ndarray  # [E] dL/dg


def forward(
    h: np.ndarray, W: np.ndarray, g: np.ndarray, src: np.ndarray, dst: np.ndarray
) -> Values:
    """Forward pass.

    Args:
        h: [V, A] features of nodes.
        W: [B, A] weights.
        g: [E] weights of edges.
        src: [E] where an edge begins.
        dst: [E] where it ends.
    """
    h, W, g, src, dst = _checked(h=h, W=W, g=g, src=src, dst=dst)
    V = h.shape[0]
    # h_at[e,a] = h[src[e],a]
    h_at = _looked_up(h, 0, src)
    # m[e,b] = g[e] * sum[a](W[b,a] * h_at[e,a])
    m = g[:, None] * (h_at @ W.T)
    # y[v,b] = sum[e](m[e,b] * delta[v,dst[e]])
    y = _summed_at(m, 0, dst, V)
    return Values(h, W, g, src, dst, m, y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [V, B] the upstream gradient dL/dy.
    """
    *_, G = _checked(y=values.y, G=G)
    h, W, g, src, dst = values.h, values.W, values.g, values.src, values.dst
    V = G.shape[0]
    # G_at[e,b] = G[dst[e],b]
    G_at = _looked_up(G, 0, dst)
    # dh_parts[e,a] = g[e] * sum[b](G_at[e,b] * W[b,a])
    dh_parts = G_at @ W * g[:, None]
    # dh[v,a] = sum[e](dh_parts[e,a] * delta[src[e],v])
    dh = _summed_at(dh_parts, 0, src, V)
    # h_at[e,a] = h[src[e],a]
    h_at = _looked_up(h, 0, src)
    # dW[b,a] = sum[e](G_at[e,b] * g[e] * h_at[e,a])
    dW = G_at.T * g @ h_at
    # dg[e] = sum[b,a](G_at[e,b] * W[b,a] * h_at[e,a])
    dg = np.einsum("ea,ea->e", G_at @ W, h_at)
    return Gradients(dh, dW, dg)


def _checked(**given: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype, if their axes agree with `AXES`."""
    floats = iter(_promoted(*(a for n, a in given.items() if n not in WHOLE)))
    arrays = tuple(
        [_whole(n, a) if n in WHOLE else next(floats) for n, a in given.items()]
    )
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
    for name, array in zip(given, arrays, strict=True):
        if name in WHOLE:
            extent = WHOLE[name]
            _check_below(name, array, extent, int(seen.get(extent, (extent,))[0]))
    return arrays


def _whole(name: str, array: np.ndarray) -> np.ndarray:
    """The array, if it holds whole numbers."""
    numbers = np.asarray(array)
    if not np.issubdtype(numbers.dtype, np.integer):
        message = f"{name} holds numbers of {numbers.dtype}; expected whole numbers"
        raise ValueError(message)
    return numbers


def _check_below(name: str, array: np.ndarray, extent: str, size: int) -> None:
    """Raise an error that names the first entry outside of 0 .. size - 1."""
    wrong = (array < 0) | (array >= size)
    if wrong.any():
        place = tuple(map(int, zip(*wrong.nonzero(), strict=True).__next__()))
        entry = f"{name}[{', '.join(map(str, place))}]"
        message = f"{entry} is {array[place]}, but {extent} is {size}: "
        raise ValueError(message + "entries go from 0 to the extent less 1")


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {getattr(array, "dtype", None) for array in arrays}
    floats = [dtype for dtype in dtypes if dtype is not None and dtype.kind in "fcO"]
    if len(dtypes) == len(floats) == 1:
        return arrays
    dtype = np.result_type(*floats) if floats else float
    return tuple([np.asarray(array, dtype) for array in arrays])


def _looked_up(x: np.ndarray, axis: int, ids: np.ndarray) -> np.ndarray:
    """x[ids] along an axis, which becomes the axes of ids."""
    return np.take(x, ids, axis=axis)


def _summed_at(
    parts: np.ndarray, axis: int, places: np.ndarray, length: int
) -> np.ndarray:
    """total[places] += parts, from an axis on: the axes of places become one.

    A row alone is copied. Several of one place are brought together by a sort, and
    added up run by run; nothing is added outside.
    """
    at, count = np.ravel(places), np.ndim(places)
    moved = np.moveaxis(parts, range(axis, axis + count), range(count))
    rest = moved.shape[count:]
    rows = moved.reshape(at.size, *rest)
    inside = (at >= 0) & (at < length)
    within = slice(None) if inside.all() else inside
    to, given = at[within], rows[within]
    total = np.zeros((length, *rest), dtype=parts.dtype)
    total[to] = given
    order = np.argsort(to, kind="stable")
    runs = to[order]
    starts = np.flatnonzero(np.diff(runs, prepend=-1))
    counts = np.diff(starts, append=runs.size)
    several = counts > 1
    if several.any():
        together, sizes = order[np.repeat(several, counts)], counts[several]
        firsts = np.cumsum(sizes) - sizes
        added = np.add.reduceat(given[together], firsts, axis=0)
        total[runs[starts[several]]] = added
    return np.moveaxis(total, 0, axis)
