"""Gaussian mixture with diagonal covariances: negative log-likelihood: forward and
backward pass.

Extents:
    N: observations (indices n)
    D: coordinates (indices d)
    K: components (indices k, l)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "x": ("N", "D"),
    "a": ("K",),
    "mu": ("K", "D"),
    "sigma": ("K", "D"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N", "K")
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    x: np.ndarray  # [N, D] observations
    a: np.ndarray  # [K] logits of the mixing weights
    mu: np.ndarray  # [K, D] means
    sigma: np.ndarray  # [K, D] standard deviations
    w: np.ndarray  # [K] mixing weights
    ell: np.ndarray  # [N, K] log joint densities
    r: np.ndarray  # [N, K] responsibilities: posterior probabilities of the components
    L: np.ndarray  # scalar mean negative log-likelihood


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dell: np.ndarray  # [N, K] dL/dell
    da: np.ndarray  # [K] dL/da
    dmu: np.ndarray  # [K, D] dL/dmu
    dsigma: np.ndarray  # [K, D] dL/dsigma


def forward(x: np.ndarray, a: np.ndarray, mu: np.ndarray, sigma: np.ndarray) -> Values:
    """Forward pass.

    Args:
        x: [N, D] observations.
        a: [K] logits of the mixing weights.
        mu: [K, D] means.
        sigma: [K, D] standard deviations.
    """
    x, a, mu, sigma = _checked(x=x, a=a, mu=mu, sigma=sigma)
    N, D = x.shape
    # a_max = max[l](a[l])
    a_max = a.max()
    # exp_a[l] = exp(a[l] - a_max)
    exp_a = np.exp(a - a_max)
    # Z = sum[l](exp_a[l])
    Z = exp_a.sum()
    # w[k] = exp_a[k] / Z
    w = exp_a / Z
    # ell_arg[k] = sum[d](log(sigma[k,d]))
    ell_arg = np.log(sigma).sum(axis=1)
    # ell[n,k] = (a[k] - a_max) - log(Z) - 0.5 * sum[d]((x[n,d] - mu[k,d])^2 /
    #     sigma[k,d]^2) - ell_arg[k] - D*log(2*pi)/2
    ell = (
        a
        - a_max
        - np.log(Z)
        - 0.5 * ((x[:, None, :] - mu) ** 2 / sigma**2).sum(axis=2)
        - ell_arg
        - 0.5 * D * float(np.log(2 * np.pi))
    )
    # ell_max[n] = max[l](ell[n,l])
    ell_max = ell.max(axis=1)
    # exp_ell[n,l] = exp(ell[n,l] - ell_max[n])
    exp_ell = np.exp(ell - ell_max[:, None])
    # Z_r[n] = sum[l](exp_ell[n,l])
    Z_r = exp_ell.sum(axis=1)
    # r[n,k] = exp_ell[n,k] / Z_r[n]
    r = exp_ell / Z_r[:, None]
    # L = -1/N * sum[n]((ell_max[n] + log(Z_r[n])))
    L = -(ell_max + np.log(Z_r)).sum() / N
    return Values(x, a, mu, sigma, w, ell, r, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    x, mu, sigma, w, r = values.x, values.mu, values.sigma, values.w, values.r
    N = x.shape[0]
    # dell[n,k] = -1/N * r[n,k]
    dell = -r / N
    # da[k] = sum[n](dell[n,k]) + w[k]
    da = dell.sum(axis=0) + w
    # dmu[k,d] = sum[n](dell[n,k] * (x[n,d] - mu[k,d]) / sigma[k,d]^2)
    dmu = np.einsum("nk,kdn->kd", dell, x.T - mu[..., None], optimize=True) / sigma**2
    # dsigma[k,d] = sum[n](dell[n,k] * ((x[n,d] - mu[k,d])^2 / sigma[k,d]^2 - 1) /
    #     sigma[k,d])
    part = (x.T - mu[..., None]) ** 2 / (sigma**2)[..., None] - 1.0
    dsigma = np.einsum("nk,kdn->kd", dell, part, optimize=True) / sigma
    return Gradients(dell, da, dmu, dsigma)


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
