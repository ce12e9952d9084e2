"""Roots of systems by numbers alone: Newton's method with slopes from values, and elimination written out.

Nothing here knows how a system is written, so that it judges the derived matrices and the code for them. All lanes are
solved at once, complex ones too: where an oracle takes a complex step, the imaginary part of a root is a derivative.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from indexcalc.proof.numeric import Array

ROUNDS = 60
"""The most rounds of Newton's method."""

STEP = 1e-6
"""The step for slopes, in units of max(1, |x|); each round then leaves this part of the error, or less."""

SMALL = 1e-11
"""The change, in units of max(1, |x|), at which a few more rounds with the same slopes are the last."""

FAST = 0.1
"""How much smaller a change must be than the last one for the same slopes to serve again."""

LAST = 3
"""How many more rounds there are: they bring the imaginary part, which no bound sees, to its last digits too."""

LARGEST = 200_000
"""The most entries of the unknown that are moved at once, or of the residual there."""

ASYMMETRY = 2e-2
"""How far a matrix may be from symmetric, beside its largest entry, where an oracle moves its entries."""

AFFINE = 1e-9
"""The residual, beside its terms, that is rounding: a first round with slopes over a whole unit was exact."""

Residual = Callable[[Array], Array]
"""From values of the unknown, the lane axis first, the residual with as many entries a lane.

The lanes may be those of what is given several times over.
"""


@dataclass(frozen=True)
class Steps:
    """A way in which a system may fall into steps: the step of each entry of the residual, and of the unknown."""

    rows: Array
    columns: Array


def root(residual: Residual, shape: tuple[int, ...], ways: Iterable[Steps] = ()) -> Array:
    """Where the residual is zero, as an array (lanes, *shape); not a number where no single root was found.

    The search starts at zero. A system that is affine is solved by one round, and one that falls into steps in one of
    the `ways` step by step: what comes first may be needed for the rest to have slopes.
    """
    with np.errstate(all="ignore"):
        start: Array = np.zeros((1, *shape))
        at_start = flat(residual(start))
        slopes = slopes_at(residual, start, at_start, 1.0)
        found = start - eliminated(slopes, at_start).reshape(-1, *shape)
        left = flat(residual(found))
        scale = np.abs(slopes).sum(axis=2) * np.max(np.abs(flat(found)), axis=1, initial=0.0)[:, np.newaxis]
        if np.all(np.abs(left) <= AFFINE * (scale + np.abs(at_start))):
            return found - eliminated(slopes, left).reshape(-1, *shape)
        for way, order in [(one, order) for one in ways for order in orders_of(slopes, one)]:
            stepped = by_steps(residual, shape, way, order)
            if is_root(residual, stepped):
                return stepped
        return by_newton(residual, start)


def orders_of(slopes: Array, way: Steps) -> Iterator[Sequence[int]]:
    """The orders of steps, up or down, in which no residual depends on what comes later."""
    depends = np.any(slopes != 0, axis=0)
    steps = range(int(way.columns.max(initial=0)) + 1)
    if not np.array_equal(np.bincount(way.rows, minlength=len(steps)), np.bincount(way.columns)):
        return  # At some step there are more equations than unknowns, or fewer.
    later = way.columns[np.newaxis, :] > way.rows[:, np.newaxis]
    earlier = way.columns[np.newaxis, :] < way.rows[:, np.newaxis]
    if len(steps) > 1 and not np.any(depends & later):
        yield steps
    if len(steps) > 1 and not np.any(depends & earlier):
        yield steps[::-1]


def by_steps(residual: Residual, shape: tuple[int, ...], way: Steps, order: Sequence[int]) -> Array:
    """The roots of the residuals of one step after another, along the unknown of that step."""
    found: Array = np.zeros((1, math.prod(shape)))
    for step in order:
        rows, columns = way.rows == step, way.columns == step
        if not columns.any():
            continue

        def part(values: Array, known: Array = found, rows: Array = rows, columns: Array = columns) -> Array:
            """The residuals of the step, where its unknowns have some values."""
            whole = np.tile(known, (-(-len(values) // len(known)), 1)).astype(np.result_type(known, values))
            whole[:, columns] = values
            return flat(residual(whole.reshape(-1, *shape)))[:, rows]

        solved = root(part, (int(columns.sum()),))
        whole = np.array(np.broadcast_to(found, (max(len(found), len(solved)), found.shape[1])))
        found = whole.astype(np.result_type(whole, solved))
        found[:, columns] = solved
    return found.reshape(-1, *shape)


def is_root(residual: Residual, found: Array) -> bool:
    """Whether a residual is zero, beside what it is where every entry is moved by its own size."""
    left, moved = (np.abs(flat(residual(values))) for values in (found, 2 * found + 1))
    return bool(np.all(left <= AFFINE * (1 + moved)))


def by_newton(residual: Residual, start: Array) -> Array:
    """Newton's method from a starting point; slopes serve again as long as the change shrinks fast."""
    found, shape, last = start, start.shape[1:], np.inf
    slopes: Array | None = None
    for _ in range(ROUNDS):
        value = flat(residual(found))
        size = max(1.0, float(np.max(np.abs(found))))
        if slopes is None:
            slopes = slopes_at(residual, found, value, STEP * size)
        change = eliminated(slopes, value).reshape(-1, *shape)
        found = found - change
        largest = float(np.max(np.abs(change)))
        if not np.isfinite(largest):
            break
        if largest <= SMALL * size:
            slopes = slopes_at(residual, found, flat(residual(found)), STEP * size)
            for _ in range(LAST):
                found = found - eliminated(slopes, flat(residual(found))).reshape(-1, *shape)
            return found
        slopes, last = (slopes if largest <= FAST * last else None), largest
    return np.full_like(found, np.nan)


def slopes_at(residual: Residual, at: Array, value: Array, step: float) -> Array:
    """The slope of every entry of the residual along every entry of the unknown: (lanes, rows, entries).

    Each entry is moved in lanes of its own, many entries at once.
    """
    lanes, rows = value.shape
    count = math.prod(at.shape[1:])
    here = np.broadcast_to(at.reshape(len(at), count), (lanes, count))
    together = max(1, LARGEST // (lanes * max(count, rows)))
    columns = []
    for start in range(0, count, together):
        entries = np.arange(start, min(start + together, count))
        moved = np.array(np.broadcast_to(here, (len(entries), lanes, count)))
        moved[np.arange(len(entries)), :, entries] += step
        found = flat(residual(moved.reshape(-1, *at.shape[1:]))).reshape(len(entries), -1, rows)
        columns.append((found - value) / step)
    return np.moveaxis(np.concatenate(columns), 0, -1)


def eliminated(matrix: Array, right: Array) -> Array:
    """The solution of ``matrix @ x = right`` in every lane, by elimination with the largest pivot of the column."""
    lanes = max(len(matrix), len(right))
    size = right.shape[1]
    kind = np.result_type(matrix, right, float)
    joint = np.concatenate(
        [np.broadcast_to(matrix, (lanes, size, size)), np.broadcast_to(right, (lanes, size))[:, :, np.newaxis]], axis=2
    ).astype(kind)
    every = np.arange(lanes)
    for column in range(size):
        pivot = column + np.argmax(np.abs(joint[:, column:, column]), axis=1)
        joint[every, column], joint[every, pivot] = joint[every, pivot].copy(), joint[every, column].copy()
        below = joint[:, column + 1 :, column] / joint[:, column, column, np.newaxis]
        joint[:, column + 1 :] -= below[:, :, np.newaxis] * joint[:, column, np.newaxis]
    found = np.zeros((lanes, size), dtype=kind)
    for row in reversed(range(size)):
        rest = (joint[:, row, row + 1 : size] * found[:, row + 1 :]).sum(axis=1)
        found[:, row] = (joint[:, row, size] - rest) / joint[:, row, row]
    return found


def determinant(matrices: Array) -> Array:
    """``det A`` of the matrices over the last two axes, as the product of the pivots."""
    with np.errstate(all="ignore"):
        return np.asarray(pivots(matrices).prod(axis=-1))


def log_determinant(matrices: Array) -> Array:
    """``log |det A|`` of the matrices over the last two axes, as the sum of the logarithms of pivots.

    Of complex numbers the sign of the real part is taken away, and not the argument: so it is analytic.
    """
    found = pivots(matrices)
    with np.errstate(all="ignore"):
        return np.asarray(np.log(np.where(found.real < 0, -found, found)).sum(axis=-1))


def pivots(matrices: Array) -> Array:
    """The pivots of the matrices over the last two axes, by elimination: each negated if rows change places for it."""
    size = matrices.shape[-1]
    joint = np.array(matrices.reshape(-1, size, size))
    found = np.zeros((len(joint), size), dtype=joint.dtype)
    every = np.arange(len(joint))
    with np.errstate(all="ignore"):
        for column in range(size):
            pivot = column + np.argmax(np.abs(joint[:, column:, column]), axis=1)
            joint[every, column], joint[every, pivot] = joint[every, pivot].copy(), joint[every, column].copy()
            value = joint[:, column, column]
            found[:, column] = np.where(pivot == column, value, -value)
            # Below a pivot that is zero there are zeros alone.
            below = joint[:, column + 1 :, column] / np.where(value == 0, 1, value)[:, np.newaxis]
            joint[:, column + 1 :] -= below[:, :, np.newaxis] * joint[:, column, np.newaxis]
    return found.reshape(*matrices.shape[:-2], size)


def cholesky(matrices: Array) -> Array:
    """The lower triangles L with ``L L^T = A`` of the matrices over the last two axes, column by column.

    Of complex numbers nothing is conjugated: so it is analytic. They are those of the symmetric parts. Where a matrix
    is not symmetric, to a few digits, or not positive definite, they are no numbers.
    """
    size = matrices.shape[-1]
    turned = np.swapaxes(matrices, -1, -2)
    symmetric = (matrices + turned) / 2
    found = np.zeros_like(symmetric)
    with np.errstate(all="ignore"):
        for column in range(size):
            known = found[..., column, :column]
            square = symmetric[..., column, column] - (known**2).sum(axis=-1)
            found[..., column, column] = np.sqrt(np.where(square.real > 0, square, np.nan))
            below = (found[..., column + 1 :, :column] * known[..., np.newaxis, :]).sum(axis=-1)
            rest = symmetric[..., column + 1 :, column] - below
            found[..., column + 1 :, column] = rest / found[..., column, column, np.newaxis]
        apart = np.abs((matrices - turned).real).max(axis=(-1, -2), initial=0.0)
        largest = np.abs(matrices.real).max(axis=(-1, -2), initial=0.0)
    return np.asarray(np.where((apart <= ASYMMETRY * largest)[..., np.newaxis, np.newaxis], found, np.nan))


OF_MATRICES: Mapping[str, Callable[[Array], Array]] = {
    "det": determinant,
    "logdet": log_determinant,
    "cholesky": cholesky,
}
"""What is made from whole matrices, by the word of the language."""


def joint(arrays: Sequence[Array]) -> Array:
    """The entries of several arrays in one axis after that of the lanes."""
    lanes = max(map(len, arrays))
    return np.concatenate([np.broadcast_to(flat(one), (lanes, flat(one).shape[1])) for one in arrays], axis=1)


def parted(entries: Array, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Array]:
    """The arrays of these shapes whose entries stand in one axis, one array after the other."""
    found, start = {}, 0
    for name, shape in shapes.items():
        end = start + math.prod(shape)
        found[name] = entries[:, start:end].reshape(-1, *shape)
        start = end
    return found


def flat(array: Array) -> Array:
    """One axis of entries after that of the lanes."""
    return array.reshape(array.shape[0], -1)
