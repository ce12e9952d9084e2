"""What the two passes of an unrolled program hold, and the roundings that may move it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from functools import lru_cache

from indexcalc.proof.hostile.wide import ZERO, wide

LEAST_PART, PARTS = 256, 1024
"""A rounding is between a quarter of the unit and all of it, in so many steps."""

SIGN_DIGITS = 32
"""The digits of a rounding."""


@dataclass(frozen=True)
class Rounding:
    """What a format loses: every tensor entry and every sum is moved by a rounding, up or down at random.

    Attributes:
        unit: the rounding relative to the sum of the absolute terms.
        seed: of the directions.
        above: on which side an argument goes that lies within its rounding of a kink or of the end of a domain.
    """

    unit: Decimal
    seed: int
    above: bool


@dataclass
class Forward:
    """The values of all nodes.

    Attributes:
        values: the value of each.
        sizes: for each, the sum of the absolute values of what was added up.
        spans: the same with sums in sums and products in mind: what a rounding is to be multiplied by, to first
            order, for all that was rounded since the last function or quotient; zero where no edge asks for it.
        arguments: of powers and functions, on the side of their kink where rounding put them.
        slopes: what rounding adds to the slopes of functions whose usual slope cancels.
        inverses: of the slopes of each system, under its first entry, and of the matrices of determinants.
        sides: on which side of its kink each argument lies.
        outside: why the point lies outside the domain, if it does: a logarithm or root was taken of a negative number,
            or a system determines nothing to the digits of the smallest format.
        absorbed: whether one over zero, or its logarithm, was taken where more digits may show another number,
            as ``1 - p`` is for a p that rounds to 1; or an exponential exceeds even these numbers.
    """

    values: list[Decimal]
    sizes: list[Decimal]
    spans: list[Decimal]
    arguments: dict[int, Decimal] = field(default_factory=dict)
    slopes: dict[int, Decimal] = field(default_factory=dict)
    inverses: dict[int, list[list[Decimal]]] = field(default_factory=dict)
    sides: dict[int, int] = field(default_factory=dict)
    outside: str = ""
    absorbed: bool = False


@dataclass(frozen=True)
class Adjoints:
    """The derivative of the loss by each node.

    Attributes:
        values: the derivatives.
        sizes: the sum of the absolute contributions to each.
    """

    values: list[Decimal]
    sizes: list[Decimal]


def signs(rounding: Rounding | None, count: int, part: str) -> tuple[Decimal, ...]:
    """One rounding for each node, up or down, by a part of the unit; none without rounding.

    Were all as large as the unit, those of equal entries would cancel to nothing in every second pattern.
    """
    return () if rounding is None else drawn_signs(rounding, count, part)


@lru_cache(maxsize=128)
def drawn_signs(rounding: Rounding, count: int, part: str) -> tuple[Decimal, ...]:
    """What `signs` gives: the same for all points of a trial, whatever the precision there."""
    source = random.Random(f"{rounding.seed} {part}")
    parts = (source.randint(LEAST_PART, PARTS) * source.choice((-1, 1)) for _ in range(count))
    with localcontext(wide(SIGN_DIGITS)):
        return tuple(rounding.unit * part / PARTS for part in parts)


def times(number: Decimal, values: Sequence[Decimal], parts: Iterable[int]) -> Decimal:
    """A number times the values of some nodes, one after the other."""
    for part in parts:
        number *= values[part]
    return number


def total(terms: Iterable[Decimal]) -> Decimal:
    """The sum of some numbers."""
    return sum(terms, ZERO)


def absolute_total(terms: Iterable[Decimal]) -> Decimal:
    """The sum of the absolute values of some numbers."""
    return sum(map(abs, terms), ZERO)


def added(terms: Sequence[Decimal]) -> tuple[Decimal, Decimal]:
    """The sum of some numbers, and that of their absolute values."""
    if len(terms) == 1:
        # Most nodes are read once.
        (value,) = terms
        return ZERO + value, abs(value)
    return total(terms), absolute_total(terms)


def rounded(unit: Decimal, size: Decimal) -> Decimal:
    """A rounding of what has a size; nothing where there is none."""
    return unit * size if size.is_finite() else ZERO


def loss_of(run: Forward, weights: Mapping[int, Decimal]) -> Decimal:
    """The sum of the weighted values."""
    return sum((weight * run.values[number] for number, weight in weights.items()), ZERO)
