"""Rotary position embedding: a rotation of every pair of features: forward and backward
pass.

Extents:
    T: token positions (indices t)
    P: pairs of features (indices p)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("T", "P * 2"),
    "theta": ("T", "P"),
    "Y": ("T", "P * 2"),
    "G": ("T", "P * 2"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [T, P * 2] queries or keys, pairs side by side
    theta: np.ndarray  # [T, P] angle: position times frequency of the pair
    R: np.ndarray  # [T, P, 2, 2] rotation by the angle
    Y: np.ndarray  # [T, P * 2] rotated features


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dX: np.ndarray  # [T, P * 2] dL/dX


def forward(X: np.ndarray, theta: np.ndarray) -> Values:
    """Forward pass.

    Args:
        X: [T, P * 2] queries or keys, pairs side by side.
        theta: [T, P] angle: position times frequency of the pair.
    """
    X, theta = _checked(X=X, theta=theta)
    T = X.shape[0]
    P = theta.shape[1]
    X_split = X.reshape(T, P, 2)
    # R[t,p,q,r] = delta[q,r] * cos(theta[t,p]) + ([r < q] - [q < r]) * sin(theta[t,p])
    part = np.tri(2, k=-1, dtype=X.dtype) - (~np.tri(2, dtype=bool)).astype(X.dtype)
    part_2 = part * np.sin(theta)[:, :, None, None]
    R = np.where(np.eye(2, dtype=bool), np.cos(theta)[:, :, None, None], 0.0) + part_2
    # Y[t,(p,q)] = sum[r](R[t,p,q,r] * X[t,(p,r)])
    Y_split = np.einsum("tpqr,tpr->tpq", R, X_split, optimize=True)
    Y = Y_split.reshape(T, P * 2)
    return Values(X, theta, R, Y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [T, P * 2] the upstream gradient dL/dY.
    """
    *_, G = _checked(Y=values.Y, G=G)
    R = values.R
    T = G.shape[0]
    P = R.shape[1]
    G_split = G.reshape(T, P, 2)
    # dX[t,(p,r)] = sum[q](G[t,(p,q)] * R[t,p,q,r])
    dX_split = np.einsum("tpq,tpqr->tpr", G_split, R, optimize=True)
    dX = dX_split.reshape(T, P * 2)
    return Gradients(dX)


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
