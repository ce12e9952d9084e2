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
