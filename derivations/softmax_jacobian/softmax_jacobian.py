"""The Jacobian of a softmax over rows: forward and backward pass.

Extents:
    N: rows of the batch (indices n, m)
    C: classes (indices c, d, l)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "z": ("N", "C"),
    "s": ("N", "C"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("C",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    z: np.ndarray  # [N, C] logits
    p: np.ndarray  # [N, C] probabilities


class Jacobian(NamedTuple):
    """Derivative of p by z, in its parts.

    J[n,c,m,d] = p[n,c] * delta[n,m] * delta[c,d] - p[n,c] * delta[n,m] * p[n,d]
    """

    p: np.ndarray  # [N, C] probabilities

    def dense(self) -> np.ndarray:
        """All entries, zeros included: [N, C, N, C]."""
        p = self.p
        N, C = p.shape
        mask = np.eye(N, dtype=bool)
        part = mask[:, None, :, None] & np.eye(C, dtype=bool)[:, None, :]
        return np.where(part, p[:, :, None, None], 0.0) - np.where(
            mask[:, None, :, None], (p[..., None] * p[:, None, :])[:, :, None, :], 0.0
        )

    def __matmul__(self, vector: np.ndarray) -> np.ndarray:
        """The product with an array of shape [N, C]."""
        p = self.p
        return p * vector - p * np.einsum("nd,nd->n", p, vector)[:, None]


class Gradients(NamedTuple):
    """The derivatives that were asked for."""

    J: Jacobian  # [N, C, N, C] derivative of p by z
    Js: np.ndarray  # [N, C] derivative of p along the direction


def forward(z: np.ndarray) -> Values:
    """Forward pass.

    Args:
        z: [N, C] logits.
    """
    (z,) = _checked(z=z)
    # z_max[n] = max[l](z[n,l])
    z_max = z.max(axis=1)
    # exp_z[n,l] = exp(z[n,l] - z_max[n])
    exp_z = np.exp(z - z_max[:, None])
    # Z[n] = sum[l](exp_z[n,l])
    Z = exp_z.sum(axis=1)
    # p[n,c] = exp_z[n,c] / Z[n]
    p = exp_z / Z[:, None]
    return Values(z, p)


def backward(values: Values, s: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        s: [N, C] a change of the logits.
    """
    *_, s = _checked(z=values.z, s=s)
    p = values.p
    # r[n] = sum[c](p[n,c] * s[n,c])
    r = np.einsum("nc,nc->n", p, s)
    # Js[n,c] = p[n,c] * (s[n,c] - r[n])
    Js = p * (s - r[:, None])
    return Gradients(J=Jacobian(p), Js=Js)


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
