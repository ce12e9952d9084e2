"""Triplet loss: the anchor nearer to the positive than to the negative, by a margin:
forward and backward pass.

Extents:
    N: triplets (indices n)
    H: features (indices h)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    a: np.ndarray  # [N, H] anchors
    p: np.ndarray  # [N, H] positives
    q: np.ndarray  # [N, H] negatives
    u: np.ndarray  # [N] squared distances to the positives
    v: np.ndarray  # [N] squared distances to the negatives
    s: np.ndarray  # [N] what each triplet lacks to the margin
    L: np.ndarray  # scalar mean loss


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    ds: np.ndarray  # [N] dL/ds
    da: np.ndarray  # [N, H] dL/da
    dp: np.ndarray  # [N, H] dL/dp
    dq: np.ndarray  # [N, H] dL/dq


def forward(
    a: np.ndarray, p: np.ndarray, q: np.ndarray, *, alpha: float = 0.2
) -> Values:
    """Forward pass.

    Args:
        a: [N, H] anchors.
        p: [N, H] positives.
        q: [N, H] negatives.
        alpha: margin.
    """
    N = a.shape[0]
    # u[n] = sum[h]((a[n,h] - p[n,h])^2)
    u = ((a - p) ** 2).sum(axis=1)
    # v[n] = sum[h]((a[n,h] - q[n,h])^2)
    v = ((a - q) ** 2).sum(axis=1)
    # s[n] = u[n] - v[n] + alpha
    s = u - v + alpha
    # L = 1/N * sum[n](relu(s[n]))
    L = np.maximum(s, 0.0).sum() / N
    return Values(a, p, q, u, v, s, L)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    a, p, q, s = values.a, values.p, values.q, values.s
    N = a.shape[0]
    # ds[n] = 1/N * step(s[n])
    ds = np.heaviside(s, 0.0) / N
    # dq[n,h] = 2 * ds[n] * (a[n,h] - q[n,h])
    dq = 2 * ds[:, None] * (a - q)
    # da[n,h] = 2 * ds[n] * (a[n,h] - p[n,h] - a[n,h] + q[n,h])
    da = 2 * ds[:, None] * (a - p - a + q)
    # dp[n,h] = -2 * ds[n] * (a[n,h] - p[n,h])
    dp = -2 * ds[:, None] * (a - p)
    return Gradients(ds, da, dp, dq)
