"""Operations on arrays of numbers that say where they are defined, and refuse what is too large."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from indexcalc.errors import LimitError
from indexcalc.proof.numeric import Array

GRID_LIMIT = 3_000_000
"""The most grid points of one product, lanes included."""

SINGULAR = 1e-6
"""The magnitude of a determinant below which a matrix counts as singular."""


def bounded(*lengths: int) -> None:
    """Refuse an array that is too large.

    Raises:
        LimitError: if it has more than `GRID_LIMIT` entries.
    """
    if math.prod(lengths) > GRID_LIMIT:
        raise LimitError(f"an array with more than {GRID_LIMIT} entries")


def only_where(defined: Array, value: Array) -> Array:
    """The values where a real function is defined: a complex step must not go on along another branch."""
    return np.asarray(np.where(defined, value, complex(math.nan, math.nan) if np.iscomplexobj(value) else math.nan))


def raised(base: Array, exponent: Array) -> Array:
    """A power; a whole one by its number, so that negative bases are allowed."""
    number = exponent.reshape(-1)[0]
    if exponent.size == 1 and float(np.real(number)).is_integer():
        whole = int(np.real(number))
        return np.asarray(base**whole if whole >= 0 else 1 / base**-whole)
    return only_where(base.real >= 0, np.asarray(np.power(base, exponent)))


def of_matrices(compute: Callable[[Array], Array], array: Array, shape: tuple[int, ...]) -> Array:
    """A function of the matrices along the last two axes; undefined where they are nearly singular.

    Raises:
        LimitError: if an array of the shape is too large.
    """
    bounded(*shape)
    full = np.array(np.broadcast_to(array, shape), dtype=complex if np.iscomplexobj(array) else float)
    singular = ~(np.isfinite(full).all(axis=(-2, -1))) | (np.abs(np.linalg.det(full)) < SINGULAR)
    full[singular] = np.eye(shape[-1])
    result = np.asarray(compute(full))
    result[singular] = math.nan
    return result


TAYLOR = 18
"""How many terms of the series of an exponential are summed, of a matrix that is halved until its norm is below 1/2."""

HALVINGS = 12
"""How often a matrix is halved at most; the exponential of a larger one counts as undefined."""


def exponentials(array: Array, shape: tuple[int, ...]) -> Array:
    """The exponentials of the matrices along the last two axes: ``exp(M) = exp(M / 2^s)^(2^s)``.

    Raises:
        LimitError: if an array of the shape is too large.
    """
    bounded(*shape)
    full = np.array(np.broadcast_to(array, shape), dtype=complex if np.iscomplexobj(array) else float)
    norms = np.abs(full).sum(axis=-1).max(axis=-1)
    undefined = ~(norms < 2.0 ** (HALVINGS - 1))
    full[undefined] = 0
    largest = float(norms[~undefined].max(initial=0.0))
    halvings = max(0, math.ceil(math.log2(2 * largest))) if largest else 0
    halved = full / 2.0**halvings
    result = np.broadcast_to(np.eye(shape[-1], dtype=full.dtype), shape)
    for order in range(TAYLOR, 0, -1):
        result = np.eye(shape[-1]) + halved @ result / order
    for _ in range(halvings):
        result = result @ result
    result = np.array(result)
    result[undefined] = math.nan
    return np.asarray(result)
