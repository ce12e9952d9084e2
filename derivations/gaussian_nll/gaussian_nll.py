"""Gaussian negative log-likelihood with learned mean and standard deviation: forward and
backward pass.

Extents:
    N: observations (indices n)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    y: np.ndarray  # [N] observed values
    mu: np.ndarray  # [N] predicted means
    sigma: np.ndarray  # [N] predicted standard deviations
    u: np.ndarray  # [N] standardised residuals
    L: np.ndarray  # scalar mean negative log-likelihood


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dmu: np.ndarray  # [N] dL/dmu
    dsigma: np.ndarray  # [N] dL/dsigma


def forward(y: np.ndarray, mu: np.ndarray, sigma: np.ndarray) -> Values:
    """Forward pass.

    Args:
        y: [N] observed values.
        mu: [N] predicted means.
        sigma: [N] predicted standard deviations.
    """
    N = y.shape[0]
    # u[n] = (y[n] - mu[n]) / sigma[n]
    u = (y - mu) / sigma
    # L = 1/N * sum[n](log(sigma[n])) + 1/(2*N) * sum[n](u[n]^2) + log(2*pi)/2
    L = (
        np.log(sigma).sum() / N
        + 0.5 * (u**2).sum() / N
        + 0.5 * float(np.log(2 * np.pi))
    )
    return Values(y, mu, sigma, u, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    sigma, u = values.sigma, values.u
    N = sigma.shape[0]
    # dmu[n] = -1/N * u[n] / sigma[n]
    dmu = -u / (sigma * N)
    # dsigma[n] = 1/N * (1 - u[n]^2) / sigma[n]
    dsigma = (1.0 - u**2) / (sigma * N)
    return Gradients(dmu, dsigma)
