"""Group normalisation with gain and bias: forward and backward pass.

Extents:
    N: samples of the batch (indices n)
    N_G: groups (indices g)
    C: channels of a group (indices c)
    S: positions in space (indices s)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "N_G * C", "S"),
    "w": ("N_G * C",),
    "b": ("N_G * C",),
    "Y": ("N", "N_G * C", "S"),
    "G": ("N", "N_G * C", "S"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("C", "S")
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, N_G * C, S] inputs, channels grouped
    w: np.ndarray  # [N_G * C] gain
    b: np.ndarray  # [N_G * C] bias
    mu: np.ndarray  # [N, N_G] mean of the group
    var: np.ndarray  # [N, N_G] variance of the group
    rs: np.ndarray  # [N, N_G] reciprocal standard deviation
    xh: np.ndarray  # [N, N_G * C, S] normalised input
    Y: np.ndarray  # [N, N_G * C, S] output
    N_G: int  # extent


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dX: np.ndarray  # [N, N_G * C, S] dL/dX
    dw: np.ndarray  # [N_G * C] dL/dw
    db: np.ndarray  # [N_G * C] dL/db


def forward(
    X: np.ndarray, w: np.ndarray, b: np.ndarray, *, N_G: int, eps: float = 1e-05
) -> Values:
    """Forward pass.

    Args:
        X: [N, N_G * C, S] inputs, channels grouped.
        w: [N_G * C] gain.
        b: [N_G * C] bias.
        N_G: extent, no input shows it.
        eps: keeps the root away from zero.
    """
    X, w, b = _checked({"N_G": N_G}, X=X, w=w, b=b)
    N, _, S = X.shape
    C = X.shape[1] // N_G
    X_split = X.reshape(N, N_G, C, S)
    w_split = w.reshape(N_G, C)
    b_split = b.reshape(N_G, C)
    # mu[n,g] = 1/(C*S) * sum[c,s](X[n,(g,c),s])
    mu = X_split.sum(axis=(2, 3)) / (C * S)
    # var[n,g] = 1/(C*S) * sum[c,s]((X[n,(g,c),s] - mu[n,g])^2)
    var = ((X_split - mu[:, :, None, None]) ** 2).sum(axis=(2, 3)) / (C * S)
    # rs[n,g] = 1 / sqrt(var[n,g] + eps)
    rs = 1.0 / np.sqrt(var + eps)
    # xh[n,(g,c),s] = (X[n,(g,c),s] - mu[n,g]) * rs[n,g]
    xh_split = (X_split - mu[:, :, None, None]) * rs[:, :, None, None]
    xh = xh_split.reshape(N, N_G * C, S)
    # Y[n,(g,c),s] = w[(g,c)] * xh[n,(g,c),s] + b[(g,c)]
    Y_split = w_split[..., None] * xh_split + b_split[..., None]
    Y = Y_split.reshape(N, N_G * C, S)
    return Values(X, w, b, mu, var, rs, xh, Y, N_G)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, N_G * C, S] the upstream gradient dL/dY.
    """
    *_, G = _checked({}, Y=values.Y, G=G)
    w, rs, xh, N_G = values.w, values.rs, values.xh, values.N_G
    N, _, S = G.shape
    C = G.shape[1] // N_G
    w_split = w.reshape(N_G, C)
    xh_split = xh.reshape(N, N_G, C, S)
    G_split = G.reshape(N, N_G, C, S)
    # dw[(g,c)] = sum[n,s](G[n,(g,c),s] * xh[n,(g,c),s])
    dw_split = np.einsum("ngcs,ngcs->gc", G_split, xh_split)
    dw = dw_split.reshape(N_G * C)
    # db[(g,c)] = sum[n,s](G[n,(g,c),s])
    db_split = G_split.sum(axis=(0, 3))
    db = db_split.reshape(N_G * C)
    # dxh[n,(g,c),s] = G[n,(g,c),s] * w[(g,c)]
    dxh_split = G_split * w_split[..., None]
    # r[n,g] = 1/(C*S) * sum[c,s](dxh[n,(g,c),s])
    r = dxh_split.sum(axis=(2, 3)) / (C * S)
    # u[n,g] = 1/(C*S) * sum[c,s](dxh[n,(g,c),s] * xh[n,(g,c),s])
    u = np.einsum("ngcs,ngcs->ng", dxh_split, xh_split) / (C * S)
    # dX[n,(g,c),s] = rs[n,g] * (dxh[n,(g,c),s] - r[n,g] - u[n,g] * xh[n,(g,c),s])
    part = dxh_split - r[:, :, None, None] - u[:, :, None, None] * xh_split
    dX_split = rs[:, :, None, None] * part
    dX = dX_split.reshape(N, N_G * C, S)
    return Gradients(dX, dw, db)


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
