"""Knowledge distillation: a student learns the softened probabilities of a teacher:
forward and backward pass.

Extents:
    N: examples (indices n)
    C: classes (indices c, l)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "z": ("N", "C"),
    "t": ("N", "C"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("N", "C")
"""The extents without which there is no result."""


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
    z, t = _checked(z=z, t=t)
    N = z.shape[0]
    # Z_max[n] = max[l](1/tau * z[n,l])
    Z_max = (z / tau).max(axis=1)
    # exp_z[n,l] = exp(1/tau * z[n,l] - Z_max[n])
    exp_z = np.exp(z / tau - Z_max[:, None])
    # Z[n] = sum[l](exp_z[n,l])
    Z = exp_z.sum(axis=1)
    # p[n,c] = exp_z[n,c] / Z[n]
    p = exp_z / Z[:, None]
    # Z_q_max[n] = max[l](1/tau * t[n,l])
    Z_q_max = (t / tau).max(axis=1)
    # exp_t[n,l] = exp(1/tau * t[n,l] - Z_q_max[n])
    exp_t = np.exp(t / tau - Z_q_max[:, None])
    # Z_q[n] = sum[l](exp_t[n,l])
    Z_q = exp_t.sum(axis=1)
    # q[n,c] = exp_t[n,c] / Z_q[n]
    q = exp_t / Z_q[:, None]
    # L = tau^2/N * sum[n,c](q[n,c] * ((1/tau * t[n,c] - Z_q_max[n]) - log(Z_q[n]) -
    #     (1/tau * z[n,c] - Z_max[n]) + log(Z[n])))
    part = (
        t / tau
        - Z_q_max[:, None]
        - np.log(Z_q)[:, None]
        - (z / tau - Z_max[:, None])
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
    # dz[n,c] = tau/N * (p[n,c] - q[n,c])
    dz = tau * (p - q) / N
    return Gradients(dz)


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
