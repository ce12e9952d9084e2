"""Word vectors with negative sampling, by numbers of words: forward and backward pass.

Extents:
    V: words of the vocabulary (indices v)
    M: dimension of the vectors (indices m)
    N: pairs of words (indices n)
    K: negative samples of a pair (indices k)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "E": ("V", "M"),
    "C": ("V", "M"),
    "word": ("N",),
    "ctx": ("N",),
    "neg": ("N", "K"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""

WHOLE = {
    "word": "V",
    "ctx": "V",
    "neg": "V",
}
"""The arrays of whole numbers, from 0 on and below an extent: they are looked up."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    E: np.ndarray  # [V, M] vectors of words
    C: np.ndarray  # [V, M] vectors of contexts
    word: np.ndarray  # [N] the word
    ctx: np.ndarray  # [N] its context
    neg: np.ndarray  # [N, K] words drawn at random
    s: np.ndarray  # [N] score of the context
    q: np.ndarray  # [N, K] scores of what was drawn
    L: np.ndarray  # scalar the loss


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dE: np.ndarray  # [V, M] dL/dE
    dC: np.ndarray  # [V, M] dL/dC


def forward(
    E: np.ndarray, C: np.ndarray, word: np.ndarray, ctx: np.ndarray, neg: np.ndarray
) -> Values:
    """Forward pass.

    Args:
        E: [V, M] vectors of words.
        C: [V, M] vectors of contexts.
        word: [N] the word.
        ctx: [N] its context.
        neg: [N, K] words drawn at random.
    """
    E, C, word, ctx, neg = _checked(E=E, C=C, word=word, ctx=ctx, neg=neg)
    N = word.shape[0]
    # E_at[n,m] = E[word[n],m]
    E_at = _looked_up(E, 0, word)
    # C_at[n,m] = C[ctx[n],m]
    C_at = _looked_up(C, 0, ctx)
    # s[n] = sum[m](E_at[n,m] * C_at[n,m])
    s = np.einsum("nm,nm->n", E_at, C_at)
    # C_at_2[n,k,m] = C[neg[n,k],m]
    C_at_2 = _looked_up(C, 0, neg)
    # q[n,k] = sum[m](E_at[n,m] * C_at_2[n,k,m])
    q = np.einsum("nm,nkm->nk", E_at, C_at_2, optimize=True)
    # L = 1/N * sum[n](softplus(-s[n])) + 1/N * sum[n,k](softplus(q[n,k]))
    L = np.logaddexp(0.0, -s).sum() / N + np.logaddexp(0.0, q).sum() / N
    return Values(E, C, word, ctx, neg, s, q, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    E = values.E
    C = values.C
    word = values.word
    ctx = values.ctx
    neg = values.neg
    s = values.s
    q = values.q
    V = E.shape[0]
    N = word.shape[0]
    # dq[n,k] = 1/N * sigmoid(q[n,k])
    dq = _sigmoid(q) / N
    # ds[n] = -1/N * sigmoid(-s[n])
    ds = -_sigmoid(-s) / N
    # C_at[n,m] = C[ctx[n],m]
    C_at = _looked_up(C, 0, ctx)
    # dE_moved_parts[n,m] = ds[n] * C_at[n,m]
    dE_moved_parts = ds[:, None] * C_at
    # dE_moved[v,m] = sum[n](dE_moved_parts[n,m] * delta[word[n],v])
    dE_moved = _summed_at(dE_moved_parts, 0, word, V)
    # C_at_2[n,k,m] = C[neg[n,k],m]
    C_at_2 = _looked_up(C, 0, neg)
    # dE_moved_2_parts[n,m] = sum[k](dq[n,k] * C_at_2[n,k,m])
    dE_moved_2_parts = np.einsum("nk,nkm->nm", dq, C_at_2, optimize=True)
    # dE_moved_2[v,m] = sum[n](dE_moved_2_parts[n,m] * delta[word[n],v])
    dE_moved_2 = _summed_at(dE_moved_2_parts, 0, word, V)
    # dE[v,m] = dE_moved[v,m] + dE_moved_2[v,m]
    dE = dE_moved + dE_moved_2
    # E_at[n,m] = E[word[n],m]
    E_at = _looked_up(E, 0, word)
    # dC_moved_parts[n,m] = ds[n] * E_at[n,m]
    dC_moved_parts = ds[:, None] * E_at
    # dC_moved[v,m] = sum[n](dC_moved_parts[n,m] * delta[ctx[n],v])
    dC_moved = _summed_at(dC_moved_parts, 0, ctx, V)
    # dC_moved_2_parts[n,k,m] = dq[n,k] * E_at[n,m]
    dC_moved_2_parts = dq[..., None] * E_at[:, None, :]
    # dC_moved_2[v,m] = sum[n,k](dC_moved_2_parts[n,k,m] * delta[neg[n,k],v])
    dC_moved_2 = _summed_at(dC_moved_2_parts, 0, neg, V)
    # dC[v,m] = dC_moved[v,m] + dC_moved_2[v,m]
    dC = dC_moved + dC_moved_2
    return Gradients(dE, dC)


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
    for extent in NEVER_EMPTY:
        if extent in seen and seen[extent][0] == 0:
            raise ValueError(f"{extent} is 0 in {seen[extent][1]}; 1 is the least")
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


def _sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x), without overflow for any x."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0.0, 1.0, small) / (1.0 + small)


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
