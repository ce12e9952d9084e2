"""A layer whose output is a least-squares solution: forward and backward pass.

Extents:
    B: batch (indices b)
    D: unknowns of each problem (indices i, j)
    M: extent
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "J": ("B", "D + M", "D"),
    "y": ("B", "D + M"),
    "w": ("D + M",),
    "x": ("B", "D"),
    "G": ("B", "D"),
}
"""The extents of the axes of every array that is given."""

LENGTHS = {
    "D + M": (("D", "M"), lambda D, M: D + M),
}
"""The lengths that are no products, each with the extents that it is computed from."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    J: np.ndarray  # [B, D + M, D] coefficients
    y: np.ndarray  # [B, D + M] right sides
    w: np.ndarray  # [D + M] weights of the equations
    A: np.ndarray  # [B, D, D] normal matrices
    x: np.ndarray  # [B, D] solutions of the normal equations


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dJ: np.ndarray  # [B, D + M, D] dL/dJ
    dy: np.ndarray  # [B, D + M] dL/dy
    dw: np.ndarray  # [D + M] dL/dw


def forward(J: np.ndarray, y: np.ndarray, w: np.ndarray) -> Values:
    """Forward pass.

    Args:
        J: [B, D + M, D] coefficients.
        y: [B, D + M] right sides.
        w: [D + M] weights of the equations.
    """
    J, y, w = _checked({}, J=J, y=y, w=w)
    # A[b,i,j] = sum[m](w[m] * J[b,m,i] * J[b,m,j])
    A = w * J.swapaxes(-1, -2) @ J
    # x_right[b,i] = sum[m](w[m] * J[b,m,i] * y[b,m])
    x_right = np.einsum("bmi,bm->bi", J, w * y, optimize=True)
    # solve x[b,j]: sum[j](A[b,i,j] * x[b,j]) = sum[m](w[m] * J[b,m,i] * y[b,m])
    x = np.linalg.solve(A, x_right[..., None])[..., 0]
    return Values(J, y, w, A, x)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [B, D] the upstream gradient dL/dx.
    """
    *_, G = _checked({}, x=values.x, G=G)
    J, y, w, A, x = values.J, values.y, values.w, values.A, values.x
    # solve lam[b,i]: sum[i](lam[b,i] * A[b,j,i]) = G[b,j]
    lam = np.linalg.solve(A, G[..., None])[..., 0]
    # r[b,m] = sum[i](lam[b,i] * J[b,m,i])
    r = np.einsum("bi,bmi->bm", lam, J, optimize=True)
    # dy[b,m] = r[b,m] * w[m]
    dy = r * w
    # s[b,m] = sum[j](x[b,j] * J[b,m,j])
    s = np.einsum("bj,bmj->bm", x, J, optimize=True)
    # dJ[b,m,i] = w[m] * (lam[b,i] * y[b,m] - lam[b,i] * s[b,m] - x[b,i] * r[b,m])
    part = (
        lam[:, None, :] * y[..., None]
        - lam[:, None, :] * s[..., None]
        - x[:, None, :] * r[..., None]
    )
    dJ = w[:, None] * part
    # dw[m] = sum[b](r[b,m] * (y[b,m] - s[b,m]))
    dw = np.einsum("bm,bm->m", r, y - s)
    return Gradients(dJ, dy, dw)


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
