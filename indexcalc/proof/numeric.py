"""What each pointwise function is as numbers: the oracles' own table, for real and complex arguments.

A complex argument is a real one with an infinitesimal imaginary part (complex step), so a function
with a kink takes the branch of the real part, on which it is analytic. Nothing here is shared with
the table of derivatives or with generated code.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from indexcalc.errors import UnsupportedError

Array = npt.NDArray[Any]

SERIES_TERMS = 60
"""Terms of the series of erf; at |x| = 2 the last one is below 1e-20 of the sum."""

FRACTION_TERMS = 160
"""Levels of the continued fraction of erfc; enough for double precision from |x| = 2 on."""

SECOND_ORDER = 1e-45
"""Below it a real part is what the square of a complex step has left, as in the logarithm of 1 + 1e-30i."""

_real_erf = np.frompyfunc(math.erf, 1, 1)


class Kink(Enum):
    """What of the arguments of a function must not be near zero."""

    FIRST = "its first argument"
    DIFFERENCE = "the difference of its arguments"
    SQUARES = "the sum of the squares of its arguments"


@dataclass(frozen=True, slots=True)
class Numeric:
    """One function: how to compute it, where it has a kink, whether its argument must be positive.

    Attributes:
        compute: takes the arguments.
        kink: what of its arguments must not be near zero, for the function has no derivative there.
        positive: whether the argument, or the first of several, must be positive.
        analytic: whether complex step may go through it.
    """

    compute: Callable[..., Array]
    kink: Kink | None = None
    positive: bool = False
    analytic: bool = True


def side(x: Array) -> Array:
    """The real part, on whose side of zero a function with a kink takes its branch; exactly zero where that is zero."""
    if not np.iscomplexobj(x):
        return x
    return np.asarray(np.where(np.abs(x.real) < SECOND_ORDER, 0.0, x.real))


def gap(x: Array, y: Array) -> Array:
    """The side on which one number is of another; none where both are infinite."""
    with np.errstate(invalid="ignore"):
        return side(x - y)


def sigmoid(x: Array) -> Array:
    """1 / (1 + e^(-x)), without overflow on either side."""
    small = np.exp(np.where(x.real >= 0, -x, x))
    return np.asarray(np.where(x.real >= 0, 1 / (1 + small), small / (1 + small)))


def softplus(x: Array) -> Array:
    """log(1 + e^x), without overflow."""
    rising = x.real >= 0
    return np.asarray(np.where(rising, x, 0) + np.log1p(np.exp(np.where(rising, -x, x))))


def erf(x: Array) -> Array:
    """The error function; for complex arguments near the real axis by series and continued fraction."""
    if not np.iscomplexobj(x):
        return np.asarray(_real_erf(x), dtype=float)
    far = np.abs(x.real) > 2
    return np.asarray(np.where(far, _erf_fraction(np.where(far, x, 4.0)), _erf_series(np.where(far, 0.0, x))))


def _erf_series(x: Array) -> Array:
    """2/sqrt(pi) e^(-x^2) sum_n 2^n x^(2n+1) / (2n+1)!!, whose terms do not cancel (DLMF 7.6.2)."""
    term, total = x, x
    for n in range(1, SERIES_TERMS):
        term = term * (2 * x * x / (2 * n + 1))
        total = total + term
    return np.asarray(2 / math.sqrt(math.pi) * np.exp(-x * x) * total)


def _erf_fraction(x: Array) -> Array:
    """1 - e^(-x^2)/sqrt(pi) / (x + (1/2)/(x + 1/(x + (3/2)/(x + ...)))) for x > 0, odd (DLMF 7.9.1)."""
    sign = np.where(x.real < 0, -1.0, 1.0)
    z = sign * x
    tail = z
    for n in range(FRACTION_TERMS, 0, -1):
        tail = z + n / 2 / tail
    return np.asarray(sign * (1 - np.exp(-z * z) / (math.sqrt(math.pi) * tail)))


def chosen(holds: Array, x: Array, y: Array) -> Array:
    """One array where something holds, and the other elsewhere."""
    return np.asarray(np.where(holds, x, y))


def angle(y: Array, x: Array) -> Array:
    """The angle of the point (x, y), between -pi and pi; by the quotient that is at most 1 in size."""
    steep = np.abs(y.real) > np.abs(x.real)
    above, below = np.where(steep, x, y), np.where(steep, y, x)
    small = np.arctan(above / below)
    up = np.where(y.real < 0, -1.0, 1.0)
    return np.asarray(np.where(steep, up * np.pi / 2 - small, small + np.where(x.real < 0, up * np.pi, 0.0)))


NUMERIC: dict[str, Numeric] = {
    "exp": Numeric(np.exp),
    "log": Numeric(np.log, positive=True),
    "sin": Numeric(np.sin),
    "cos": Numeric(np.cos),
    "tanh": Numeric(np.tanh),
    "sigmoid": Numeric(sigmoid),
    "softplus": Numeric(softplus),
    "silu": Numeric(lambda x: x * sigmoid(x)),
    "erf": Numeric(erf),
    "gelu": Numeric(lambda x: x * (1 + erf(x / math.sqrt(2))) / 2),
    "atan": Numeric(np.arctan),
    "relu": Numeric(lambda x: np.where(side(x) > 0, x, 0), Kink.FIRST),
    "abs": Numeric(lambda x: np.sign(side(x)) * x, Kink.FIRST),
    "max": Numeric(lambda x, y: chosen(gap(x, y) > 0, x, y), Kink.DIFFERENCE),
    "min": Numeric(lambda x, y: chosen(gap(x, y) < 0, x, y), Kink.DIFFERENCE),
    "where": Numeric(lambda x, y, z: chosen(side(x) > 0, y, z), Kink.FIRST),
    "pow": Numeric(np.power, positive=True),
    "atan2": Numeric(angle, Kink.SQUARES),
    "step": Numeric(lambda x: np.where(side(x) > 0, 1.0, 0.0), Kink.FIRST),
    "reach": Numeric(lambda x: np.where(side(x) >= 0, 1.0, 0.0), Kink.FIRST),
    "sign": Numeric(lambda x: np.sign(side(x)), Kink.FIRST),
}


def numeric_of(name: str) -> Numeric:
    """The row of a function.

    Raises:
        UnsupportedError: if the table has no such row.
    """
    if name not in NUMERIC:
        raise UnsupportedError(f"the evaluator knows no function {name}; known are {', '.join(sorted(NUMERIC))}")
    return NUMERIC[name]
