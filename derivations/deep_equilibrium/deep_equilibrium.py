"""A deep equilibrium layer: the fixed point of one layer, for each sample: forward and
backward pass.

Extents:
    D: units (indices i, j, k)
    M: features (indices m)
    N: samples (indices n)
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

AXES = {
    "W": ("D", "D"),
    "U": ("D", "M"),
    "b": ("D",),
    "x": ("N", "M"),
    "z": ("N", "D"),
    "G": ("N", "D"),
}
"""The extents of the axes of every array that is given."""

NEVER_EMPTY = ("D",)
"""The extents without which there is no result."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    W: np.ndarray  # [D, D] weights of the state
    U: np.ndarray  # [D, M] weights of the features
    b: np.ndarray  # [D] bias
    x: np.ndarray  # [N, M] features
    z: np.ndarray  # [N, D] states at equilibrium
    z_arg: np.ndarray  # [N, D]


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    dx: np.ndarray  # [N, M] dL/dx
    dW: np.ndarray  # [D, D] dL/dW
    dU: np.ndarray  # [D, M] dL/dU
    db: np.ndarray  # [D] dL/db


def forward(W: np.ndarray, U: np.ndarray, b: np.ndarray, x: np.ndarray) -> Values:
    """Forward pass.

    Args:
        W: [D, D] weights of the state.
        U: [D, M] weights of the features.
        b: [D] bias.
        x: [N, M] features.
    """
    W, U, b, x = _checked(W=W, U=U, b=b, x=x)
    D = W.shape[0]
    N = x.shape[0]

    # solve z[n,i]: z[n,i] = tanh(z_arg[n,i])
    def newton(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The residual of the system at `z`, and the step of Newton's method."""
        # z_arg[n,i] = 1/D * sum[j](W[i,j] * z[n,j]) + sum[m](U[i,m] * x[n,m]) + b[i]
        z_arg = z @ W.T / D + x @ U.T + b
        # tanh_z_arg[n,i] = tanh(z_arg[n,i])
        tanh_z_arg = np.tanh(z_arg)
        # r_z[n,i] = tanh_z_arg[n,i] - z[n,i]
        r_z = tanh_z_arg - z
        # z_J_diagonal[i,j] = 1/D * W[i,j]
        z_J_diagonal = W / D
        # z_J_factor[n,i] = 1/D * tanh_z_arg[n,i]^2
        z_J_factor = tanh_z_arg**2 / D
        # z_step_matrix[a,i,j] = z_J_diagonal[i,j] - z_J_factor[a,i] * W[i,j] -
        #     delta[i,j]
        z_step_matrix = (
            z_J_diagonal - z_J_factor[..., None] * W - np.eye(D, dtype=W.dtype)
        )
        # solve z_step[a,j]: sum[j](z_step_matrix[a,i,j] * z_step[a,j]) = r_z[a,i]
        z_step = np.linalg.solve(z_step_matrix, r_z[..., None])[..., 0]
        return r_z, z_step

    z = _root(newton, np.zeros((N, D), dtype=W.dtype))
    # z_arg[n,i] = 1/D * sum[j](W[i,j] * z[n,j]) + sum[m](U[i,m] * x[n,m]) + b[i]
    z_arg = z @ W.T / D + x @ U.T + b
    return Values(W, U, b, x, z, z_arg)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, D] the upstream gradient dL/dz.
    """
    *_, G = _checked(z=values.z, G=G)
    W, U, x, z, z_arg = values.W, values.U, values.x, values.z, values.z_arg
    D = G.shape[1]
    # tanh_z_arg[n,i] = tanh(z_arg[n,i])
    tanh_z_arg = np.tanh(z_arg)
    # lam_matrix[n,j,i] = -1/D * W[i,j] + delta[j,i] + 1/D * tanh_z_arg[n,i]^2 * W[i,j]
    lam_matrix = (
        np.eye(D, dtype=G.dtype) - W.T / D + (tanh_z_arg**2)[:, None, :] * W.T / D
    )
    # solve lam[n,i]: lam[n,i] = G[n,i] + 1/D * sum[j](dz_arg[n,j] * W[j,i])
    lam = np.linalg.solve(lam_matrix, G[..., None])[..., 0]
    # dz_arg[n,i] = lam[n,i] * (1 - tanh_z_arg[n,i]^2)
    dz_arg = lam * (1.0 - tanh_z_arg**2)
    # dx[n,m] = sum[i](dz_arg[n,i] * U[i,m])
    dx = dz_arg @ U
    # dW[i,j] = 1/D * sum[n](dz_arg[n,i] * z[n,j])
    dW = dz_arg.T @ z / D
    # dU[i,m] = sum[n](dz_arg[n,i] * x[n,m])
    dU = dz_arg.T @ x
    # db[i] = sum[n](dz_arg[n,i])
    db = dz_arg.sum(axis=0)
    return Gradients(dx, dW, dU, db)


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


def _root(
    newton: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], start: np.ndarray
) -> np.ndarray:
    """Where the residual is zero, from `start`, by steps that mostly make it smaller.

    Args:
        newton: from a point, the residual and the step of Newton's method.
    """
    found, length, eps, again = start, 1.0, np.finfo(start.dtype).eps, False
    with np.errstate(over="ignore", invalid="ignore"):  # on the way to the root
        residual, step = newton(found)
        for count in range(1500):
            if not again and (count == 500 or length < eps**2):
                found, length, again = start, 1.0, True
                residual, step = newton(found)
            left, least = np.abs(residual).sum(), length < 0.05
            size = np.abs(found).sum()
            change = np.abs(step).sum() if np.isfinite(left) else np.nan
            if change <= (eps**0.5 if least else eps) * size:
                return found - step
            near = found - step if again and least else found - length * step
            rest, next_step = newton(near)
            less = np.abs(rest).sum() <= (1.0 - length / 4.0) * left
            if less or (again and least and np.isfinite(rest).all()):
                found, residual, step, length = near, rest, next_step, 1.0
            elif change <= 64.0 * eps * size:
                return found - step
            else:
                length /= 2.0
    raise ValueError("Newton's method finds no root of a system in 1500 rounds")
