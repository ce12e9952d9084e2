"""Interval arithmetic: if every operand lies in its interval, the result lies in the interval found."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from indexcalc.proof.numeric import numeric_of

SLACK = 1e-11
"""How far, relative to the larger end, an interval is widened where it is compared: rounding of doubles."""


@dataclass(frozen=True, slots=True)
class Interval:
    """All numbers from `low` to `high`."""

    low: float
    high: float

    @property
    def slack(self) -> float:
        """What rounding may have cost."""
        return SLACK * max(abs(self.low), abs(self.high), 1e-300)

    def holds(self, value: float) -> bool:
        """Whether a number lies in the interval."""
        return self.low - self.slack <= value <= self.high + self.slack

    def meets(self, other: Interval) -> bool:
        """Whether two intervals have a number in common."""
        slack = self.slack + other.slack
        return self.low <= other.high + slack and other.low <= self.high + slack


def point(value: float) -> Interval:
    """The interval of one number."""
    return Interval(value, value)


def hull(values: Iterable[float]) -> Interval:
    """The smallest interval that holds all the numbers; all numbers if one of them is none."""
    listed = list(values)
    if any(math.isnan(value) for value in listed):
        return Interval(-math.inf, math.inf)
    return Interval(min(listed), max(listed))


def plus(left: Interval, right: Interval) -> Interval:
    """``{x + y}``."""
    return Interval(left.low + right.low, left.high + right.high)


def minus(interval: Interval) -> Interval:
    """``{-x}``."""
    return Interval(-interval.high, -interval.low)


def times(left: Interval, right: Interval) -> Interval:
    """``{x y}``; zero times infinity is zero, since zero is exact where it stands alone."""
    products = (a * b for a in (left.low, left.high) for b in (right.low, right.high))
    return hull(0.0 if math.isnan(product) else product for product in products)


def inverse(interval: Interval) -> Interval:
    """``{1 / x}``; all numbers if zero lies inside."""
    if interval.low <= 0 <= interval.high:
        return Interval(-math.inf, math.inf)
    return Interval(1 / interval.high, 1 / interval.low)


def power(base: Interval, exponent: Interval) -> Interval:
    """``{x^y}``: whole powers of any base, others of positive bases; all numbers where it is undefined."""
    if exponent.low == exponent.high and float(exponent.low).is_integer():
        return whole_power(base, int(exponent.low))
    if base.low < 0:
        return Interval(-math.inf, math.inf)
    try:
        return hull(a**b for a in (base.low, base.high) for b in (exponent.low, exponent.high))
    except (OverflowError, ZeroDivisionError):
        return Interval(-math.inf, math.inf)


def whole_power(base: Interval, exponent: int) -> Interval:
    """``{x^n}``."""
    if exponent < 0:
        return inverse(whole_power(base, -exponent))
    try:
        ends = hull((float(base.low) ** exponent, float(base.high) ** exponent))
    except OverflowError:
        return Interval(-math.inf, math.inf)
    inside = exponent % 2 == 0 and exponent and base.low < 0 < base.high
    return Interval(0.0, ends.high) if inside else ends


TURNS: dict[str, tuple[float, ...]] = {
    "silu": (-1.2784645427610738,),
    "gelu": (-0.7517915249183103,),
    "abs": (0.0,),
    "relu": (0.0,),
}
"""Where functions that are not monotone turn; beside those of sine and cosine."""

RANGES = {"sin": 0.0, "cos": math.pi / 2}
"""The periodic functions, with how far each runs ahead of the sine."""

ROUNDED_ARGUMENT = 1e4
"""Sines of intervals beyond this take all values, since their turns cannot be counted."""


def applied(name: str, argument: Interval) -> Interval:
    """``{f(x)}`` for a function of the numeric table; all numbers where it is undefined.

    Raises:
        UnsupportedError: if the table has no such function.
    """
    row = numeric_of(name)
    if row.positive and argument.low <= 0:
        return Interval(-math.inf, math.inf)
    turns: tuple[float, ...] = TURNS.get(name, ())
    if name in RANGES:
        if not max(abs(argument.low), abs(argument.high)) < ROUNDED_ARGUMENT:
            return Interval(-1.0, 1.0)
        first = math.floor((argument.low + RANGES[name]) / math.pi - 0.5)
        turns = tuple((first + n + 0.5) * math.pi - RANGES[name] for n in range(4))
        if argument.high - argument.low > 2 * math.pi:
            return Interval(-1.0, 1.0)
    inside = [turn for turn in turns if argument.low < turn < argument.high]
    with np.errstate(all="ignore"):
        return hull(float(row.compute(np.asarray(x))) for x in (argument.low, argument.high, *inside))
