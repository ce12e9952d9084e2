"""Weight normalisation: length and direction of each row apart: forward and backward pass.

Extents:
    M: rows: output features (indices o)
    F: columns: input features (indices f)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    v: np.ndarray  # [M, F] directions, of any length
    g: np.ndarray  # [M] lengths
    r: np.ndarray  # [M] length of the direction
    vh: np.ndarray  # [M, F] direction of length one
    w: np.ndarray  # [M, F] weights


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dg: np.ndarray  # [M] dL/dg
    dv: np.ndarray  # [M, F] dL/dv


def forward(v: np.ndarray, g: np.ndarray) -> Values:
    """Forward pass.

    Args:
        v: [M, F] directions, of any length.
        g: [M] lengths.
    """
    # u[o] = sum[f](v[o,f]^2)
    u = (v**2).sum(axis=1)
    # r[o] = sqrt(u[o])
    r = np.sqrt(u)
    # vh[o,f] = v[o,f] / r[o]
    vh = v / r[:, None]
    # w[o,f] = g[o] * vh[o,f]
    w = g[:, None] * vh
    return Values(v, g, r, vh, w)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [M, F] the upstream gradient dL/dw.
    """
    g, r, vh = values.g, values.r, values.vh
    # dg[o] = sum[f](G[o,f] * vh[o,f])
    dg = np.einsum("of,of->o", G, vh)
    # dvh[o,f] = G[o,f] * g[o]
    dvh = G * g[:, None]
    # dv[o,f] = (dvh[o,f] - g[o] * dg[o] * vh[o,f]) / r[o]
    dvh -= g[:, None] * dg[:, None] * vh
    dv = np.divide(dvh, r[:, None], out=dvh)
    return Gradients(dg, dv)
