"""Two sides evaluated at random points: where they agree, and where they clearly differ."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, takewhile
from typing import Any

import numpy as np

from indexcalc.document.meaning.nodes import Meaning, indices_in
from indexcalc.document.meaning.sizes import Ix, Sizes
from indexcalc.document.numerics.extents import reads_in
from indexcalc.document.numerics.numbers import Point
from indexcalc.document.numerics.points import SEEDS, Points, branching, sizes_in

TOLERANCE = 1e-9
"""The relative error up to which two values are equal."""

CLEARLY = 1e-6
"""The relative error from which two values differ for certain; between the two nothing is said."""

ZERO_SCALE = 1e-4
"""A value below this part of the largest intermediate one is compared as if it were that large: exact zeros pass."""

SHRUNK = 16
"""An error of rounding is smaller by this factor at least with more digits; eleven bits more make it some 2000."""

NEEDED, AGREEING_PATTERNS = 6, 2
"""How many points, and of how many patterns of sizes, must agree: with one entry alone, much is true."""

FAILURES, FAILING_PATTERNS = 3, 2
"""How many points, and of how many patterns of sizes, must differ."""


@dataclass
class Failure:
    """A point at which the sides differ: the pattern of its sizes, and both values."""

    pattern: int
    point: Point
    left: np.ndarray
    right: np.ndarray


@dataclass
class Trial:
    """What the points show.

    Attributes:
        agreed: how many points agree.
        agreeing: the patterns of their sizes.
        failures: where the sides clearly differ.
        undefined: how many points lie where a side has no value.
        gaps: the entries without a value there, by the pattern of the point's sizes.
        values: the least and the greatest value of the left side at the points that agree.
        vanish: whether both sides are zero at every point.
    """

    agreed: int = 0
    agreeing: set[int] = field(default_factory=set)
    failures: list[Failure] = field(default_factory=list)
    values: list[tuple[float, float]] = field(default_factory=list)
    vanish: bool = True
    undefined: int = 0
    gaps: dict[int, list[np.ndarray]] = field(default_factory=dict)

    @property
    def barred(self) -> bool:
        """Whether other points are as undefined: at all of several patterns the same entries are, and not all of them.

        So are the derivatives of a distance where it is that of a point from itself; a logarithm whose argument is
        negative at some points has other gaps at others.
        """
        alike = [
            len(gaps) >= SEEDS and bool(np.any(gaps[0])) and not np.all(gaps[0]) and same(gaps)
            for gaps in self.gaps.values()
        ]
        return not self.agreed and not self.failures and sum(alike) >= AGREEING_PATTERNS

    @property
    def decided(self) -> bool:
        """Whether no more points are needed."""
        return self.equal or self.different

    @property
    def constant(self) -> float | None:
        """The one value that the sides have at all points, if they have; other than zero."""
        low, high = min(low for low, _ in self.values), max(high for _, high in self.values)
        return round(high, 9) if high - low <= TOLERANCE * abs(high) else None

    @property
    def equal(self) -> bool:
        """Whether the sides agree often enough, and never differ."""
        return not self.failures and self.agreed >= NEEDED and len(self.agreeing) >= AGREEING_PATTERNS

    @property
    def different(self) -> bool:
        """Whether the sides differ often enough, and for several sizes."""
        patterns = {failure.pattern for failure in self.failures}
        return len(self.failures) >= FAILURES and len(patterns) >= FAILING_PATTERNS


def tried(
    points: Points,
    sizes: Sizes,
    sides: tuple[Meaning, Meaning],
    letters: tuple[Ix, ...],
    conditions: Sequence[tuple[str, str, str]],
    *,
    enough: Callable[[Trial], bool] = lambda trial: False,
) -> Trial:
    """Both sides over `letters` at random points, at the entries that the conditions allow; no more than are `enough`.

    Raises:
        NotUnderstoodError: for what cannot be evaluated.
        LimitError: for sums that are too large.
    """
    trial = Trial()
    bodies = [definition.body for definition in points.symbols.definitions.values()]
    reads = reads_in((*bodies, *sides))
    numbered = (index for body in bodies for index in indices_in(body) if index.fixed)
    every = [*letters, *indices_in(sides[0]), *indices_in(sides[1]), *numbered]
    signed = branching(sides)
    factors = sizes_in(sides)
    usual, more = (points.at(sizes, every, signed, reads, factors=factors, more=others) for others in (False, True))
    for pattern, point in chain(usual, further(trial, more)):
        point.scale = 0.0
        with np.errstate(all="ignore"):
            x, y = (point.value(side, letters) for side in sides)
        allowed = where_conditions_hold(x.shape, letters, conditions)
        x, y = (x, y) if allowed.all() else (x[allowed], y[allowed])
        gaps = ~(np.isfinite(x) & np.isfinite(y))
        if np.any(gaps):
            trial.undefined += 1
            trial.gaps.setdefault(pattern, []).append(gaps)
            if reads and not np.all(gaps):  # whatever lies outside of an axis, the other entries must agree
                inside = Failure(pattern, point, x[~gaps], y[~gaps])
                trial.failures.extend([inside] if distance(inside) >= CLEARLY else [])
        elif x.size:
            record(trial, Failure(pattern, point, x, y))
        if enough(trial):
            break
    return trial


def further(trial: Trial, more: Iterator[tuple[int, Point]]) -> Iterator[tuple[int, Point]]:
    """More points where some were undefined, until the trial is decided; none where all would be."""
    if trial.undefined and not trial.barred:
        yield from takewhile(lambda _: not trial.decided, more)


def same(arrays: Sequence[np.ndarray]) -> bool:
    """Whether arrays are equal."""
    return all(np.array_equal(arrays[0], other) for other in arrays[1:])


def lost_in_rounding(
    seen: Failure, sides: tuple[Meaning, Meaning], letters: tuple[Ix, ...], conditions: Sequence[tuple[str, str, str]]
) -> bool:
    """Whether the sides come much nearer to each other if they are evaluated with more digits."""
    point = seen.point.finer()
    with np.errstate(all="ignore"):
        x, y = (point.value(side, letters) for side in sides)
    allowed = where_conditions_hold(x.shape, letters, conditions)
    fine, coarse = np.abs(x[allowed] - y[allowed]), np.abs(seen.left - seen.right)
    return bool(np.max(fine, initial=0) <= np.max(coarse, initial=0) / SHRUNK)


def record(trial: Trial, seen: Failure) -> None:
    """Count a point as one that agrees or one that differs; between the two it is neither."""
    x = seen.left
    trial.vanish = trial.vanish and magnitude(seen) <= 1e-13 * max(1.0, seen.point.scale)
    error = distance(seen)
    if error <= TOLERANCE:
        trial.agreed += 1
        trial.agreeing.add(seen.pattern)
        trial.values.append((float(np.min(x)), float(np.max(x))))
    elif error >= CLEARLY:
        trial.failures.append(seen)


def magnitude(seen: Failure) -> float:
    """The largest magnitude of both sides at a point."""
    return max(float(np.max(np.abs(side), initial=0)) for side in (seen.left, seen.right))


def distance(seen: Failure) -> float:
    """How far the sides are apart at a point, as a part of what they are made of."""
    scale = max(magnitude(seen), ZERO_SCALE * max(1.0, seen.point.scale))
    return float(np.max(np.abs(seen.left - seen.right), initial=0)) / scale


RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
"""What conditions say of two indices."""


def where_conditions_hold(
    shape: tuple[int, ...], letters: tuple[Ix, ...], conditions: Sequence[tuple[str, str, str]]
) -> np.ndarray:
    """The entries that the conditions on index letters allow."""
    mask = np.ones(shape, dtype=bool)
    grids = dict(zip((index.name for index in letters), np.indices(shape), strict=True))
    for left, relation, right in conditions:
        one, other = (int(name) - 1 if name.isdigit() else grids.get(name) for name in (left, right))
        if one is not None and other is not None and relation in RELATIONS:
            mask = mask & np.asarray(RELATIONS[relation](one, other))
    return mask
