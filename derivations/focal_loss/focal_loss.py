"""Focal loss: cross-entropy in which easy examples count less: forward and backward pass.

Extents:
    N: examples (indices n)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    x: np.ndarray  # [N] logits
    y: np.ndarray  # [N] labels, 1 or -1
    p: np.ndarray  # [N] probability of the right label
    L: np.ndarray  # scalar mean of the weighted log losses
    gamma: float  # focus: how fast the weight of easy examples falls


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dx: np.ndarray  # [N] dL/dx


def forward(x: np.ndarray, y: np.ndarray, *, gamma: float = 2) -> Values:
    """Forward pass.

    Args:
        x: [N] logits.
        y: [N] labels, 1 or -1.
        gamma: focus: how fast the weight of easy examples falls.
    """
    N = x.shape[0]
    # p[n] = sigmoid(y[n] * x[n])
    p = _sigmoid(y * x)
    # L = 1/N * sum[n]((1 - p[n])^gamma * softplus(-y[n] * x[n]))
    L = (
        np.einsum("n,n->", (1.0 - p) ** gamma, np.logaddexp(0.0, -y * x), optimize=True)
        / N
    )
    return Values(x, y, p, L, gamma)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    x, y, p, gamma = values.x, values.y, values.p, values.gamma
    N = x.shape[0]
    # dx[n] = y[n] * (-gamma/N * (1 - p[n])^gamma * softplus(-y[n] * x[n]) * p[n] - 1/N
    #     * (1 - p[n])^(gamma + 1))
    part_1 = -gamma * (1.0 - p) ** gamma * np.logaddexp(0.0, -y * x) * p / N
    part_2 = part_1 - (1.0 - p) ** (gamma + 1) / N
    dx = y * part_2
    return Gradients(dx)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + e^-x), without overflow for any x."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0.0, 1.0, small) / (1.0 + small)
