"""The Fisher information of softmax regression: forward and backward pass.

Extents:
    N: examples (indices n)
    F: features (indices f, g)
    C: classes (indices c, d, l)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "F"),
    "W": ("C", "F"),
    "y": ("N", "C"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N", "C")
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, F] features
    W: np.ndarray  # [C, F] weights
    # [N, C] distribution of the label; the Fisher information does not read it
    y: np.ndarray
    z: np.ndarray  # [N, C] logits, the natural parameters of the label's distribution
    p: np.ndarray  # [N, C] probabilities
    L: np.ndarray  # scalar mean negative log-likelihood


class GaussNewton(NamedTuple):
    """Gauss-Newton part of the second derivative of the loss by W and W, through z, in
    its parts.

    GN[c,f,d,g] = delta[c,d] * GN_block[c,f,g] - GN_full[c,f,d,g]
    """

    GN_block: np.ndarray  # [C, F, F] part of GN
    GN_full: np.ndarray  # [C, F, C, F] part of GN

    def dense(self) -> np.ndarray:
        """All entries, zeros included: [C, F, C, F]."""
        GN_block = self.GN_block
        GN_full = self.GN_full
        C = GN_block.shape[0]
        part = np.where(
            np.eye(C, dtype=bool)[:, None, :, None], GN_block[:, :, None, :], 0.0
        )
        return part - GN_full

    def __matmul__(self, vector: np.ndarray) -> np.ndarray:
        """The product with an array of shape [C, F]."""
        GN_block = self.GN_block
        GN_full = self.GN_full
        return np.einsum("cfg,cg->cf", GN_block, vector, optimize=True) - np.einsum(
            "cfdg,dg->cf", GN_full, vector, optimize=True
        )


class Gradients(NamedTuple):
    """The derivatives that were asked for."""

    # [C, F, C, F] Gauss-Newton part of the second derivative of the loss by W and W,
    #     through z
    GN: GaussNewton


def forward(X: np.ndarray, W: np.ndarray, y: np.ndarray) -> Values:
    """Forward pass.

    Args:
        X: [N, F] features.
        W: [C, F] weights.
        y: [N, C] distribution of the label; the Fisher information does not read it.
    """
    X, W, y = _checked(X=X, W=W, y=y)
    N = X.shape[0]
    # z[n,c] = sum[f](W[c,f] * X[n,f])
    z = X @ W.T
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
    return Values(X, W, y, z, p, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    X, p = values.X, values.p
    N = X.shape[0]
    # GN_block[c,f,g] = 1/N * sum[n](p[n,c] * X[n,f] * X[n,g])
    part = np.einsum("nc,nf->cfn", p, X, optimize=True)
    GN_block = np.einsum("cfn,ng->cfg", part, X, optimize=True) / N
    # GN_full[c,f,d,g] = 1/N * sum[n](p[n,c] * X[n,f] * p[n,d] * X[n,g])
    part_2 = np.einsum("nd,ng->dgn", p, X, optimize=True)
    part_3 = np.einsum("nc,nf->cfn", p, X, optimize=True)
    GN_full = np.einsum("dgn,cfn->cfdg", part_2, part_3, optimize=True) / N
    return Gradients(GN=GaussNewton(GN_block, GN_full))


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
