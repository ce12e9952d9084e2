"""The Hessian of a softmax with cross-entropy loss: forward and backward pass.

Extents:
    N: rows of the batch (indices n, m)
    C: classes (indices c, d, l)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "z": ("N", "C"),
    "y": ("N", "C"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N", "C")
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    z: np.ndarray  # [N, C] logits
    y: np.ndarray  # [N, C] target distribution, such as one-hot labels
    p: np.ndarray  # [N, C] probabilities
    L: np.ndarray  # scalar mean cross-entropy over the rows


class Hessian(NamedTuple):
    """Second derivative of the loss by z and z, in its parts.

    H[n,c,m,d] = delta[n,m] * delta[c,d] * H_diagonal[n,c] - delta[n,m] *
        H_diagonal[n,c] * p[n,d]
    """

    H_diagonal: np.ndarray  # [N, C] part of H
    p: np.ndarray  # [N, C] probabilities

    def dense(self) -> np.ndarray:
        """All entries, zeros included: [N, C, N, C]."""
        H_diagonal = self.H_diagonal
        p = self.p
        N, C = H_diagonal.shape
        mask = np.eye(N, dtype=bool)
        part = mask[:, None, :, None] & np.eye(C, dtype=bool)[:, None, :]
        return np.where(part, H_diagonal[:, :, None, None], 0.0) - np.where(
            mask[:, None, :, None],
            (H_diagonal[..., None] * p[:, None, :])[:, :, None, :],
            0.0,
        )

    def __matmul__(self, vector: np.ndarray) -> np.ndarray:
        """The product with an array of shape [N, C]."""
        H_diagonal = self.H_diagonal
        p = self.p
        part = H_diagonal * np.einsum("nd,nd->n", p, vector)[:, None]
        return H_diagonal * vector - part


class Gradients(NamedTuple):
    """The derivatives that were asked for."""

    dz: np.ndarray  # [N, C] dL/dz
    H: Hessian  # [N, C, N, C] second derivative of the loss by z and z


def forward(z: np.ndarray, y: np.ndarray) -> Values:
    """Forward pass.

    Args:
        z: [N, C] logits.
        y: [N, C] target distribution, such as one-hot labels.
    """
    z, y = _checked(z=z, y=y)
    N = z.shape[0]
    # z_max[n] = max[l](z[n,l])
    z_max = z.max(axis=1)
    # exp_z[n,l] = exp(z[n,l] - z_max[n])
    exp_z = np.exp(z - z_max[:, None])
    # Z[n] = sum[l](exp_z[n,l])
    Z = exp_z.sum(axis=1)
    # p[n,c] = exp_z[n,c] / Z[n]
    p = exp_z / Z[:, None]
    # L = -1/N * sum[n,c](y[n,c] * ((z[n,c] - z_max[n]) - log(Z[n])))
    part = np.einsum(
        "nc,nc->", y, z - z_max[:, None] - np.log(Z)[:, None], optimize=True
    )
    L = -part / N
    return Values(z, y, p, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    y, p = values.y, values.p
    N = y.shape[0]
    # dz[n,c] = 1/N * (p[n,c] - y[n,c])
    dz = (p - y) / N
    # H_diagonal[n,c] = 1/N * p[n,c]
    H_diagonal = p / N
    return Gradients(dz=dz, H=Hessian(H_diagonal, p))


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
