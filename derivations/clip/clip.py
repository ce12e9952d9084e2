"""CLIP: contrastive loss of paired images and texts, both ways: forward and backward pass.

Extents:
    N: pairs; an image's own text has its number (indices n, m, l)
    H: features (indices h)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "H"),
    "Y": ("N", "H"),
    "s": (),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, H] image embeddings of unit length
    Y: np.ndarray  # [N, H] text embeddings of unit length
    s: np.ndarray  # scalar logit scale, the inverse of a temperature
    C: np.ndarray  # [N, N] cosines of images and texts
    S: np.ndarray  # [N, N] logits
    P: np.ndarray  # [N, N] probability of text m for image n, softmax over texts
    R: np.ndarray  # [N, N] probability of image n for text m, softmax over images
    L: np.ndarray  # scalar mean log loss of the right texts and the right images


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dS: np.ndarray  # [N, N] dL/dS
    dX: np.ndarray  # [N, H] dL/dX
    dY: np.ndarray  # [N, H] dL/dY
    ds: np.ndarray  # scalar dL/ds


def forward(X: np.ndarray, Y: np.ndarray, s: np.ndarray) -> Values:
    """Forward pass.

    Args:
        X: [N, H] image embeddings of unit length.
        Y: [N, H] text embeddings of unit length.
        s: scalar logit scale, the inverse of a temperature.
    """
    X, Y, s = _checked(X=X, Y=Y, s=s)
    N = X.shape[0]
    # C[n,m] = sum[h](X[n,h] * Y[m,h])
    C = X @ Y.T
    # S[n,m] = s * C[n,m]
    S = s * C
    # S_max[n] = max[l](S[n,l])
    S_max = S.max(axis=1)
    # exp_S[n,l] = exp(S[n,l] - S_max[n])
    exp_S = np.exp(S - S_max[:, None])
    # Z[n] = sum[l](exp_S[n,l])
    Z = exp_S.sum(axis=1)
    # P[n,m] = exp_S[n,m] / Z[n]
    P = exp_S / Z[:, None]
    # S_max_2[m] = max[l](S[l,m])
    S_max_2 = S.max(axis=0)
    # exp_S_2[l,m] = exp(S[l,m] - S_max_2[m])
    exp_S_2 = np.exp(S - S_max_2)
    # Z_R[m] = sum[l](exp_S_2[l,m])
    Z_R = exp_S_2.sum(axis=0)
    # R[n,m] = exp_S_2[n,m] / Z_R[m]
    R = exp_S_2 / Z_R
    # L = -1/(2*N) * sum[n](((S[n,n] - S_max[n]) - log(Z[n]))) - 1/(2*N) *
    #     sum[n](((S[n,n] - S_max_2[n]) - log(Z_R[n])))
    part = 0.5 * (np.einsum("nn->n", S) - S_max_2 - np.log(Z_R)).sum() / N
    L = -0.5 * (np.einsum("nn->n", S) - S_max - np.log(Z)).sum() / N - part
    return Values(X, Y, s, C, S, P, R, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    X, Y, s, C, P, R = values.X, values.Y, values.s, values.C, values.P, values.R
    N = X.shape[0]
    # dS[n,m] = 1/(2*N) * (P[n,m] - 2 * delta[n,m] + R[n,m])
    dS = 0.5 * (P - 2 * np.eye(N, dtype=values.X.dtype) + R) / N
    # ds = sum[n,m](dS[n,m] * C[n,m])
    ds = np.einsum("nm,nm->", dS, C, optimize=True)
    # dX[n,h] = s * sum[m](dS[n,m] * Y[m,h])
    dX = dS @ Y * s
    # dY[m,h] = s * sum[n](dS[n,m] * X[n,h])
    dY = dS.T @ X * s
    return Gradients(dS, dX, dY, ds)


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
