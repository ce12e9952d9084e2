"""Operations on arrays of numbers that say where they are defined, and refuse what is too large."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import reduce

import numpy as np

from indexcalc.errors import LimitError
from indexcalc.proof.numeric import Array

GRID_LIMIT = 3_000_000
"""The most grid points of one product, lanes included."""

SUM_LIMIT = 30_000_000
"""The most terms of one sum that is taken without laying them out."""

OPERANDS, AXES = 8, 50
"""The most factors that are summed at once, and the most axes: NumPy has bounds a little above."""

SINGULAR = 1e-6
"""The magnitude of a determinant below which a matrix counts as singular."""


def bounded(*lengths: int) -> None:
    """Refuse an array that is too large.

    Raises:
        LimitError: if it has more than `GRID_LIMIT` entries.
    """
    if math.prod(lengths) > GRID_LIMIT:
        raise LimitError(f"an array with more than {GRID_LIMIT} entries")


def contracted(factors: Sequence[Array], axes: Iterable[int]) -> Array:
    """The sum of a product over axes, which have length 1 then.

    Factors have length 1 along axes on which they do not depend; one at least is as long as the axis. One axis after
    the other is summed, with all others that the same factors alone have: first that where they span the smallest grid.

    Raises:
        LimitError: if one of these grids has more than `SUM_LIMIT` points, or what is left more than `GRID_LIMIT`, or
            there are more than `AXES`.
    """
    rest, pending, every = list(factors), set(axes), range(factors[0].ndim)
    if len(every) > AXES:
        raise LimitError(f"an array with more than {AXES} axes")

    def grid(axis: int) -> int:
        return math.prod(np.broadcast_shapes(*(factor.shape for factor in rest if factor.shape[axis] > 1)))

    while pending := {axis for axis in pending if any(factor.shape[axis] > 1 for factor in rest)}:
        first = min(sorted(pending), key=grid)
        if grid(first) > SUM_LIMIT:
            raise LimitError(f"a sum of more than {SUM_LIMIT} terms")
        own = [factor for factor in rest if factor.shape[first] > 1]
        rest = [factor for factor in rest if factor.shape[first] == 1]
        gone = {axis for axis in pending if all(factor.shape[axis] == 1 for factor in rest)}
        kept = [axis for axis in every if axis not in gone]
        bounded(*(max(factor.shape[axis] for factor in own) for axis in kept))
        while len(own) > OPERANDS:  # each product is no larger than the grid of them all
            bounded(*np.broadcast_shapes(own[0].shape, own[1].shape))
            own = [*own[2:], own[0] * own[1]]
        operands = [one for factor in own for one in (factor, list(every))]
        rest.append(np.expand_dims(np.einsum(*operands, kept), tuple(sorted(gone))))
    bounded(*np.broadcast_shapes(*(factor.shape for factor in rest)))
    return np.asarray(reduce(np.multiply, rest))


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
