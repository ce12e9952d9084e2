"""Cox regression: the partial likelihood of survival times: forward and backward pass.

Extents:
    N: subjects (indices i, j, l)
    F: covariates (indices f)
"""

from typing import NamedTuple

import numpy as np


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
    # eta[j] = sum[f](X[j,f] * w[f])
    eta = X @ w
    # exp_eta[l] = exp(eta[l])
    exp_eta = np.exp(eta)
    # Z[i] = sum[l](R[i,l] * exp_eta[l])
    Z = R @ exp_eta
    # p[i,j] = R[i,j] * exp_eta[j] / Z[i]
    p = R * exp_eta / Z[:, None]
    # L = -sum[i](s[i] * (eta[i] - log(Z[i])))
    L = -np.einsum("i,i->", s, eta - np.log(Z), optimize=True)
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
