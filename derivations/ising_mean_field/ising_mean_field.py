"""Ising model in mean field: the free energy of the magnetisations: forward and backward
pass.

Extents:
    N: spins (indices i, j)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    a: np.ndarray  # [N] mean fields
    J: np.ndarray  # [N, N] couplings
    h: np.ndarray  # [N] fields
    m: np.ndarray  # [N] magnetisations
    U: np.ndarray  # scalar energy
    H: np.ndarray  # scalar entropy
    F: np.ndarray  # scalar free energy at temperature 1


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dm: np.ndarray  # [N] dL/dm


def forward(a: np.ndarray, J: np.ndarray, h: np.ndarray) -> Values:
    """Forward pass.

    Args:
        a: [N] mean fields.
        J: [N, N] couplings.
        h: [N] fields.
    """
    # m[i] = tanh(a[i])
    m = np.tanh(a)
    # U = -0.5 * sum[i,j](J[i,j] * m[i] * m[j]) - sum[i](h[i] * m[i])
    part = -0.5 * np.einsum("j,j->", (J * m[:, None]).sum(axis=0), m, optimize=True)
    U = part - np.einsum("i,i->", h, m, optimize=True)
    # H = -0.5 * sum[i]((1 + m[i]) * log(0.5 + 0.5 * m[i])) - 0.5 * sum[i]((1 - m[i]) *
    #     log(0.5 - 0.5 * m[i]))
    part = -0.5 * np.einsum("i,i->", 1.0 + m, np.log(0.5 + 0.5 * m), optimize=True)
    H = part - 0.5 * np.einsum("i,i->", 1.0 - m, np.log(0.5 - 0.5 * m), optimize=True)
    # F = U - H
    F = U - H
    return Values(a, J, h, m, U, H, F)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    J, h, m = values.J, values.h, values.m
    # dm[i] = -0.5 * sum[j](m[j] * (J[i,j] + J[j,i])) - h[i] - 0.5 * log(0.5 - 0.5 *
    #     m[i]) + 0.5 * log(0.5 + 0.5 * m[i])
    dm = (
        0.5 * np.log(0.5 + 0.5 * m)
        - 0.5 * ((J + J.T) @ m)
        - h
        - 0.5 * np.log(0.5 - 0.5 * m)
    )
    return Gradients(dm)
