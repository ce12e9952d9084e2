"""Cross-entropy with integer labels: forward and backward pass.

Extents:
    N: samples (indices n)
    C: classes (indices c, e)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "z": ("N", "C"),
    "y": ("N",),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N", "C")
"""The extents without which there is no result."""

WHOLE = {
    "y": "C",
}
"""The arrays of whole numbers, from 0 on and below an extent: they are looked up."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    z: np.ndarray  # [N, C] logits
    y: np.ndarray  # [N] labels
    p: np.ndarray  # [N, C] probabilities
    L: np.ndarray  # scalar the label's own probability counts


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dz: np.ndarray  # [N, C] dL/dz


def forward(z: np.ndarray, y: np.ndarray) -> Values:
    """Forward pass.

    Args:
        z: [N, C] logits.
        y: [N] labels.
    """
    z, y = _checked(z=z, y=y)
    N = z.shape[0]
    # z_max[n] = max[e](z[n,e])
    z_max = z.max(axis=1)
    # exp_z[n,e] = exp(z[n,e] - z_max[n])
    exp_z = np.exp(z - z_max[:, None])
    # Z[n] = sum[e](exp_z[n,e])
    Z = exp_z.sum(axis=1)
    # p[n,c] = exp_z[n,c] / Z[n]
    p = exp_z / Z[:, None]
    # z_at[n] = z[n,y[n]]
    z_at = _nearest(z, np.arange(N, dtype=int), y)
    # L = -1/N * sum[n](((z_at[n] - z_max[n]) - log(Z[n])))
    L = -(z_at - z_max - np.log(Z)).sum() / N
    return Values(z, y, p, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    y, p = values.y, values.p
    N = y.shape[0]
    C = p.shape[1]
    # dz[n,c] = 1/N * (p[n,c] - delta[y[n],c])
    dz = (p - (y[:, None] == np.arange(C, dtype=int)).astype(values.z.dtype)) / N
    return Gradients(dz)


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


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {getattr(array, "dtype", None) for array in arrays}
    floats = [dtype for dtype in dtypes if dtype is not None and dtype.kind in "fcO"]
    if len(dtypes) == len(floats) == 1:
        return arrays
    dtype = np.result_type(*floats) if floats else float
    return tuple([np.asarray(array, dtype) for array in arrays])


def _nearest(x: np.ndarray, *places: np.ndarray) -> np.ndarray:
    """x[places], with the nearest place where one lies outside of x."""
    sizes = zip(places, x.shape, strict=True)
    return x[tuple(np.clip(place, 0, size - 1) for place, size in sizes)]
