"""Knowledge distillation: a student learns the softened probabilities of a teacher:
forward and backward pass.

Extents:
    N: examples (indices n)
    C: classes (indices c, l)
"""

from typing import NamedTuple

import numpy as np


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    z: np.ndarray  # [N, C] logits of the student
    t: np.ndarray  # [N, C] logits of the teacher
    p: np.ndarray  # [N, C] probabilities of the student, softened
    q: np.ndarray  # [N, C] probabilities of the teacher, softened
    L: np.ndarray  # scalar mean divergence of the student from the teacher
    tau: float  # temperature


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dz: np.ndarray  # [N, C] dL/dz


def forward(z: np.ndarray, t: np.ndarray, *, tau: float = 4) -> Values:
    """Forward pass.

    Args:
        z: [N, C] logits of the student.
        t: [N, C] logits of the teacher.
        tau: temperature.
    """
    N = z.shape[0]
    # z_max[n] = max[l](1/tau * z[n,l])
    z_max = (z / tau).max(axis=1)
    # exp_z[n,l] = exp(1/tau * z[n,l] - z_max[n])
    exp_z = z / tau - z_max[:, None]
    np.exp(exp_z, out=exp_z)
    # Z[n] = sum[l](exp_z[n,l])
    Z = exp_z.sum(axis=1)
    # p[n,c] = exp_z[n,c] / Z[n]
    p = np.divide(exp_z, Z[:, None], out=exp_z)
    # t_max[n] = max[l](1/tau * t[n,l])
    t_max = (t / tau).max(axis=1)
    # exp_t[n,l] = exp(1/tau * t[n,l] - t_max[n])
    exp_t = t / tau - t_max[:, None]
    np.exp(exp_t, out=exp_t)
    # Z2[n] = sum[l](exp_t[n,l])
    Z2 = exp_t.sum(axis=1)
    # q[n,c] = exp_t[n,c] / Z2[n]
    q = np.divide(exp_t, Z2[:, None], out=exp_t)
    # L = tau^2/N * sum[n,c](q[n,c] * (1/tau * t[n,c] - t_max[n] - log(Z2[n]) - 1/tau *
    #     z[n,c] + z_max[n] + log(Z[n])))
    part = (
        t / tau
        - t_max[:, None]
        - np.log(Z2)[:, None]
        - z / tau
        + z_max[:, None]
        + np.log(Z)[:, None]
    )
    L = tau**2 * np.einsum("nc,nc->", q, part, optimize=True) / N
    return Values(z, t, p, q, L, tau)


def backward(values: Values) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
    """
    p, q, tau = values.p, values.q, values.tau
    N = p.shape[0]
    # dz[n,c] = tau/N * p[n,c] - tau/N * q[n,c]
    dz = tau * p / N - tau * q / N
    return Gradients(dz)
