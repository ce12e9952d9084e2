"""Two-layer perceptron with exact GELU: forward and backward pass.

Extents:
    N: rows of the batch (indices n)
    F: input features (indices f)
    H: hidden units (indices h)
    M: output features (indices o)
"""

from typing import NamedTuple

import numpy as np

AXES = {
    "X": ("N", "F"),
    "W1": ("F", "H"),
    "b1": ("H",),
    "W2": ("H", "M"),
    "b2": ("M",),
    "Y": ("N", "M"),
    "G": ("N", "M"),
}
"""The extents of the axes of every array that is given."""


class Values(NamedTuple):
    """Inputs, intermediates and outputs of the forward pass."""

    X: np.ndarray  # [N, F] inputs
    W1: np.ndarray  # [F, H] weights of the first layer
    b1: np.ndarray  # [H] bias of the first layer
    W2: np.ndarray  # [H, M] weights of the second layer
    b2: np.ndarray  # [M] bias of the second layer
    Z: np.ndarray  # [N, H] before the nonlinearity
    A: np.ndarray  # [N, H] hidden activations
    Y: np.ndarray  # [N, M] output


class Gradients(NamedTuple):
    """Gradients of the loss, each in the shape of its tensor."""

    db2: np.ndarray  # [M] dL/db2
    dW2: np.ndarray  # [H, M] dL/dW2
    dA: np.ndarray  # [N, H] dL/dA
    dZ: np.ndarray  # [N, H] dL/dZ
    db1: np.ndarray  # [H] dL/db1
    dW1: np.ndarray  # [F, H] dL/dW1
    dX: np.ndarray  # [N, F] dL/dX


def forward(
    X: np.ndarray, W1: np.ndarray, b1: np.ndarray, W2: np.ndarray, b2: np.ndarray
) -> Values:
    """Forward pass.

    Args:
        X: [N, F] inputs.
        W1: [F, H] weights of the first layer.
        b1: [H] bias of the first layer.
        W2: [H, M] weights of the second layer.
        b2: [M] bias of the second layer.
    """
    X, W1, b1, W2, b2 = _checked(X=X, W1=W1, b1=b1, W2=W2, b2=b2)
    # Z[n,h] = sum[f](X[n,f] * W1[f,h]) + b1[h]
    Z = X @ W1 + b1
    # A[n,h] = gelu(Z[n,h])
    A = _gelu(Z)
    # Y[n,o] = sum[h](A[n,h] * W2[h,o]) + b2[o]
    Y = A @ W2 + b2
    return Values(X, W1, b1, W2, b2, Z, A, Y)


def backward(values: Values, G: np.ndarray) -> Gradients:
    """Backward pass.

    Args:
        values: what `forward` returned.
        G: [N, M] the upstream gradient dL/dY.
    """
    *_, G = _checked(Y=values.Y, G=G)
    X, W1, W2, Z, A = values.X, values.W1, values.W2, values.Z, values.A
    # db2[o] = sum[n](G[n,o])
    db2 = G.sum(axis=0)
    # dW2[h,o] = sum[n](G[n,o] * A[n,h])
    dW2 = A.T @ G
    # dA[n,h] = sum[o](G[n,o] * W2[h,o])
    dA = G @ W2.T
    # dZ[n,h] = dA[n,h] * (0.5 + 0.5 * erf(1/sqrt(2) * Z[n,h]) + 1/sqrt(2*pi) * Z[n,h] *
    #     exp(-0.5 * Z[n,h]^2))
    part = 0.5 + 0.5 * _erf(Z / 2**0.5) + Z * np.exp(-0.5 * Z**2) / (2 * np.pi) ** 0.5
    dZ = dA * part
    # db1[h] = sum[n](dZ[n,h])
    db1 = dZ.sum(axis=0)
    # dW1[f,h] = sum[n](dZ[n,h] * X[n,f])
    dW1 = X.T @ dZ
    # dX[n,f] = sum[h](dZ[n,h] * W1[f,h])
    dX = dZ @ W1.T
    return Gradients(db2, dW2, dA, dZ, db1, dW1, dX)


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
    return arrays


def _gelu(x: np.ndarray) -> np.ndarray:
    """x (1 + erf(x / sqrt 2)) / 2."""
    return 0.5 * x * (1.0 + _erf(x / 2**0.5))


def _erf(x: np.ndarray) -> np.ndarray:
    """The error function to about 1e-15.

    Rational approximations of W. J. Cody, "Rational Chebyshev approximations for the
    error function", Mathematics of Computation 23 (1969), 631-637.
    """
    a = (
        1.85777706184603153e-1,
        3.16112374387056560e0,
        1.13864154151050156e2,
        3.77485237685302021e2,
        3.20937758913846947e3,
    )
    b = (
        1.0,
        2.36012909523441209e1,
        2.44024637934444173e2,
        1.28261652607737228e3,
        2.84423683343917062e3,
    )
    c = (
        2.15311535474403846e-8,
        5.64188496988670089e-1,
        8.88314979438837594e0,
        6.61191906371416295e1,
        2.98635138197400131e2,
        8.81952221241769090e2,
        1.71204761263407058e3,
        2.05107837782607147e3,
        1.23033935479799725e3,
    )
    d = (
        1.0,
        1.57449261107098347e1,
        1.17693950891312499e2,
        5.37181101862009858e2,
        1.62138957456669019e3,
        3.29079923573345963e3,
        4.36261909014324716e3,
        3.43936767414372164e3,
        1.23033935480374942e3,
    )
    # Beyond 6, erf is 1 to the last bit.
    size = np.minimum(np.abs(x), 6.0)
    near = np.minimum(size, 0.46875)
    far = np.maximum(size, 0.46875)
    inner = near * _ratio(a, b, near**2)
    outer = 1.0 - np.exp(-(far**2)) * _ratio(c, d, far)
    return np.copysign(np.where(size <= 0.46875, inner, outer), x)


def _ratio(above: tuple, below: tuple, x: np.ndarray) -> np.ndarray:
    """The quotient of two polynomials, highest coefficients first (Horner's rule)."""
    numerator, denominator = above[0], below[0]
    for high, low in zip(above[1:], below[1:], strict=True):
        numerator = numerator * x + high
        denominator = denominator * x + low
    return numerator / denominator


def _promoted(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays in one floating dtype; whole numbers have no say in which."""
    dtypes = {getattr(array, "dtype", None) for array in arrays}
    floats = [dtype for dtype in dtypes if dtype is not None and dtype.kind in "fcO"]
    if len(dtypes) == len(floats) == 1:
        return arrays
    dtype = np.result_type(*floats) if floats else float
    return tuple([np.asarray(array, dtype) for array in arrays])
