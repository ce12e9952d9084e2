"""A constant ratio between two sides, found as a product of powers of 2, of extents and of scalars.

The right side of a wrong claim is often the left side times a factor such as ``sqrt(d)`` or ``1/n``. At
points with different sizes the factor differs, and that tells which extent it is made of.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product

import numpy as np

from indexcalc.document.meaning.sizes import Ix, Sizes
from indexcalc.document.numerics.trials import Failure

EXPONENTS = (Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2))
PAIR_EXPONENTS = (Fraction(1, 2), Fraction(1))
PAIRS = tuple((s * a, t * b) for a, b in product(PAIR_EXPONENTS, repeat=2) for s, t in product((1, -1), repeat=2))
"""The exponents of two quantities that are tried together."""

NUMBERS = tuple(Fraction(above, below) for above, below in ((1, 1), (2, 1), (1, 2), (4, 1), (1, 4), (8, 1), (1, 8)))
THIRDS = tuple(Fraction(above, below) for above, below in ((3, 1), (1, 3), (3, 2), (2, 3), (6, 1), (1, 6)))
"""The numbers that are tried, small ones first; those with a 3 only alone."""

CLOSE = 1e-8
"""The relative error up to which a ratio is that of a candidate."""

Powers = tuple[tuple[str, Fraction], ...]


@dataclass(frozen=True)
class Quantity:
    """A size or a scalar by its name, with its value at each point."""

    name: str
    values: np.ndarray

    @cached_property
    def first(self) -> float:
        """The value at the first point."""
        return float(self.values[0])

    @cached_property
    def lowest(self) -> float:
        """The lowest value."""
        return float(self.values.min())


def ratio(left: np.ndarray, right: np.ndarray) -> float:
    """The constant by which the right side exceeds the left; NaN if there is none."""
    usable = np.abs(left) > 1e-12
    if not usable.any():
        return float("nan")
    values = (right[usable] / left[usable]).reshape(-1)
    first = float(values[0])
    constant = bool(np.all(np.abs(values - first) <= CLOSE * abs(first)))
    return first if constant and not np.any(np.abs(right[~usable]) > 1e-9) else float("nan")


def fitted(ratios: np.ndarray, quantities: Sequence[Quantity]) -> tuple[Fraction, Powers] | None:
    """A number and powers of at most two quantities whose product is the ratio at every point."""
    sign = -1 if np.all(ratios < 0) else 1
    first = float(ratios[0])
    for powers in exponents(quantities):
        numbers = NUMBERS if powers else NUMBERS + THIRDS
        # Most candidates fail at the first point: no arrays are made for these.
        value = sign * math.prod(at_first(quantity, float(exponent)) for quantity, exponent in powers)
        for number in numbers:
            if abs(value * number.numerator / number.denominator - first) > CLOSE * abs(first):
                continue
            with np.errstate(invalid="ignore"):  # a scalar may be negative at a later point
                values = np.prod([quantity.values ** float(exponent) for quantity, exponent in powers], axis=0)
            if np.all(np.abs(sign * float(number) * values - ratios) <= CLOSE * np.abs(ratios)):
                return sign * number, tuple((quantity.name, exponent) for quantity, exponent in powers)
    return None


def at_first(quantity: Quantity, exponent: float) -> float:
    """A power of a quantity at the first point; NaN for the root of one that is negative somewhere."""
    if not exponent.is_integer() and quantity.lowest < 0:
        return math.nan
    return quantity.first**exponent if quantity.first or exponent > 0 else math.nan


def exponents(quantities: Sequence[Quantity]) -> Iterator[tuple[tuple[Quantity, Fraction], ...]]:
    """The powers that are tried: none, of one quantity, of two."""
    yield ()
    for exponent in EXPONENTS:
        for quantity in quantities:
            yield ((quantity, exponent),)
            yield ((quantity, -exponent),)
    for one, other in combinations(quantities, 2):
        for a, b in PAIRS:
            yield ((one, a), (other, b))


def quantities_of(failures: Sequence[Failure], indices: Iterable[Ix], sizes: Sizes) -> tuple[Quantity, ...]:
    """The sizes of the indices of the formulas, then those of other tensors, then scalars, at the points."""
    names: dict[Ix, str] = {}
    for index in indices:
        root = sizes.find(index)
        if sizes.names.get(root) or index.name.isalpha():
            names.setdefault(root, sizes.names.get(root) or f"the size of {index.name}")
    names.update({root: name for root, name in sizes.names.items() if root not in names and sizes.find(root) == root})
    found = [
        Quantity(name, np.array([failure.point.lengths[root] for failure in failures], dtype=float))
        for root, name in names.items()
        if all(root in failure.point.lengths for failure in failures)
    ]
    symbols = failures[0].point.symbols
    for name, slots in symbols.slots.items():
        if not slots and name not in symbols.definitions and not name.endswith(" as scalar"):
            values = [failure.point.given.get(name) for failure in failures]
            if all(value is not None for value in values):
                found.append(Quantity(name, np.array([float(np.asarray(value)) for value in values])))
    return tuple(found)


def worded(number: Fraction, powers: Powers) -> str:
    """The factor in words: ``√d``, ``1/2``, ``d/√n``."""
    above = [power_text(name, exponent) for name, exponent in powers if exponent > 0]
    below = [power_text(name, -exponent) for name, exponent in powers if exponent < 0]
    top, bottom = abs(number.numerator), number.denominator
    above = [str(top), *above] if top != 1 or not above else above
    below = [str(bottom), *below] if bottom != 1 else below
    sign = "-" if number < 0 else ""
    text = " ".join(above)
    if below:
        text += f"/({' '.join(below)})" if len(below) > 1 else f"/{below[0]}"
    return sign + text


def power_text(name: str, exponent: Fraction) -> str:
    """A power of a quantity."""
    plain = f"({name})" if " " in name and exponent != 1 else name
    whole = {
        Fraction(1): plain,
        Fraction(1, 2): f"√{plain}",
        Fraction(2): f"{plain}²",
        Fraction(3, 2): f"{plain}√{plain}",
    }
    return whole[exponent]
