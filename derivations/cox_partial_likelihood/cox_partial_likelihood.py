"""Cox regression: the partial likelihood of survival times: forward and backward pass.

Extents:
    N: subjects (indices i, j, l)
    F: covariates (indices f)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "F"),
    "w": ("F",),
    "s": ("N",),
    "R": ("N", "N"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, F] covariates
    w: np.ndarray  # [F] coefficients
    # [N] status: 1 where the event is observed, 0 where the subject is censored
    s: np.ndarray
    # [N, N] risk sets: 1 where j is still at risk when i has the event, as i itself is,
    #     else 0
    R: np.ndarray
    eta: np.ndarray  # [N] logarithm of the hazard ratio
    p: np.ndarray  # [N, N] probability that the event at the time of i is that of j
    L: np.ndarray  # scalar negative partial log-likelihood


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    deta: np.ndarray  # [N] dL/deta
    dw: np.ndarray  # [F] dL/dw


def forward(X: np.ndarray, w: np.ndarray, s: np.ndarray, R: np.ndarray) -> Values:
    """Forward pass.

    Args:
        X: [N, F] covariates.
        w: [F] coefficients.
        s: [N] status: 1 where the event is observed, 0 where the subject is censored.
        R: [N, N] risk sets: 1 where j is still at risk when i has the event, as i
            itself is, else 0.
    """
    X, w, s, R = _checked(X=X, w=w, s=s, R=R)
    # eta[j] = sum[f](X[j,f] * w[f])
    eta = X @ w
    # eta_masked[l,i] = eta[l] where R[i,l] != 0, else -inf
    eta_masked = np.where(R.T != 0.0, eta[:, None], -np.inf)
    # eta_max[i] = max[l](eta_masked[l,i])
    eta_max = eta_masked.max(axis=0)
    # exp_eta[l,i] = exp(eta_masked[l,i] - eta_max[i])
    exp_eta = np.exp(eta_masked - eta_max)
    # Z[i] = sum[l](R[i,l] * exp_eta[l,i])
    Z = np.einsum("il,li->i", R, exp_eta)
    # p[i,j] = R[i,j] * exp_eta[j,i] / Z[i]
    p = R * exp_eta.T / Z[:, None]
    # L = -sum[i](s[i] * ((eta_masked[i,i] - eta_max[i]) + log(R[i,i] / Z[i])))
    part = np.einsum("ii->i", eta_masked) - eta_max + np.log(np.einsum("ii->i", R) / Z)
    L = -(s @ part)
    return Values(X, w, s, R, eta, p, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    X, s, p = values.X, values.s, values.p
    # deta[j] = sum[i](s[i] * p[i,j]) - s[j]
    deta = p.T @ s - s
    # dw[f] = sum[j](deta[j] * X[j,f])
    dw = X.T @ deta
    return Gradients(deta, dw)


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
