"""The shipped derivations with systems as a user of PyTorch writes them, with `torch.linalg`.

Each function is as those in `references`.
"""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from references import reference
from torch import Tensor


def correlations(X: Tensor, Z: Tensor, s: Tensor) -> Tensor:
    """The Gaussian kernel between two sets of points."""
    return torch.exp(-s / 2 * ((X[:, None] - Z[None]) ** 2).sum(-1))


@reference
def ridge_closed_form(X: Tensor, y: Tensor, V: Tensor, t: Tensor, alpha: Tensor) -> Tensor:
    A = X.T @ X + alpha * torch.eye(X.shape[1], dtype=X.dtype)
    w = torch.linalg.solve(A, X.T @ y)
    return ((V @ w - t) ** 2).sum() / (2 * len(t))


@reference
def mahalanobis(x: Tensor, mu: Tensor, S: Tensor) -> Tensor:
    u = x - mu
    return (u * torch.linalg.solve(S, u.T).T).sum(1)


@reference
def kernel_ridge(X: Tensor, y: Tensor, Z: Tensor, s: Tensor, ridge: Tensor) -> Tensor:
    a = torch.linalg.solve(correlations(X, X, s) + ridge * torch.eye(len(y), dtype=y.dtype), y)
    return correlations(Z, X, s) @ a


@reference
def least_squares_layer(J: Tensor, y: Tensor, w: Tensor) -> Tensor:
    weighted = w[:, None] * J
    return torch.linalg.solve(weighted.mT @ J, (weighted.mT @ y[..., None]))[..., 0]


@reference
def gaussian_full_covariance(x: Tensor, mu: Tensor, S: Tensor) -> Tensor:
    u = x - mu
    distances = (u * torch.linalg.solve(S, u.T).T).sum()
    return distances / 2 + len(x) / 2 * torch.linalg.slogdet(S)[1] + x.numel() / 2 * math.log(2 * math.pi)


@reference
def gaussian_process(X: Tensor, y: Tensor, a: Tensor, s: Tensor, noise: Tensor) -> Tensor:
    K = a * correlations(X, X, s) + noise * torch.eye(len(y), dtype=y.dtype)
    alpha = torch.linalg.solve(K, y)
    return y @ alpha / 2 + torch.linalg.slogdet(K)[1] / 2 + len(y) / 2 * math.log(2 * math.pi)


@reference
def gaussian_samples(mu: Tensor, S: Tensor, e: Tensor) -> Tensor:
    return mu + e @ torch.linalg.cholesky(S).mT


@reference
def deep_equilibrium(W: Tensor, U: Tensor, b: Tensor, x: Tensor) -> Tensor:
    z = FixedPoint.apply(W, x @ U.T + b)
    assert isinstance(z, Tensor)
    return z


class FixedPoint(torch.autograd.Function):
    """``z = tanh(W z / D + c)`` for each row of c, by iteration; the backward pass iterates the adjoint equation."""

    @staticmethod
    def forward(ctx: Any, W: Tensor, c: Tensor) -> Tensor:
        """The fixed point."""
        z = torch.zeros_like(c)
        for _ in range(300):
            z = torch.tanh(z @ W.T / len(W) + c)
        ctx.save_for_backward(W, z)
        return z

    @staticmethod
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, Tensor]:
        """The gradients by the weights and by what is added."""
        W, z = ctx.saved_tensors
        adjoint, slope = upstream, 1 - z**2
        for _ in range(300):
            adjoint = upstream + (adjoint * slope) @ W / len(W)
        return (adjoint * slope).T @ z / len(W), adjoint * slope


@reference
def log_det_flow(x: Tensor, W: Tensor, b: Tensor) -> Tensor:
    z = x @ W.T + b
    return (z**2).sum() / (2 * len(x)) + x.shape[1] / 2 * math.log(2 * math.pi) - torch.linalg.slogdet(W)[1]


@reference
def newton_logistic(X: Tensor, y: Tensor, w: Tensor, alpha: Tensor) -> Tensor:
    def loss(w: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(X @ w, y) + alpha / 2 * (w**2).sum()

    return w - torch.linalg.solve(torch.func.hessian(loss)(w), torch.func.grad(loss)(w))


@reference
def natural_gradient(X: Tensor, W: Tensor, y: Tensor, alpha: Tensor, eta: float) -> Tensor:
    # The information of natural parameters is the second derivative of the log-partition function.
    fisher = torch.func.hessian(lambda W: torch.logsumexp(X @ W.T, 1).mean())(W).reshape(W.numel(), W.numel())
    gradient = torch.func.grad(lambda W: (torch.logsumexp(X @ W.T, 1) - (y * (X @ W.T)).sum(1)).mean())(W)
    damped = fisher + alpha * torch.eye(W.numel(), dtype=W.dtype)
    return W - eta * torch.linalg.solve(damped, gradient.reshape(-1)).reshape(W.shape)
