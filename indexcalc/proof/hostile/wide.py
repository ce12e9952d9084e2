"""Pointwise functions on numbers of any precision and nearly any size: the hostile oracle's own table.

The numbers are Python's `Decimal`, whose exponents reach 10^18, under the context of the caller. Sines and
the error function come from mpmath. Each row has the value and the slope, both written so that they
lose no digits where the function saturates; at a kink the slope is the convention of the spec language.
What has no value is NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, getcontext, localcontext
from functools import lru_cache
from math import log10
from typing import Any

import mpmath
import sympy as sp

from indexcalc.errors import UnsupportedError

ZERO, ONE, TWO, NAN = Decimal(0), Decimal(1), Decimal(2), Decimal("NaN")


def wide(digits: int) -> Context:
    """A context of so many digits in which nothing overflows and nothing raises."""
    return Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


def constant(value: sp.Expr) -> Decimal:
    """A number of SymPy to the digits of the context."""
    return constant_to(value, getcontext().prec)


@lru_cache(maxsize=10_000)
def constant_to(value: sp.Expr, digits: int) -> Decimal:
    """A number of SymPy to so many digits."""
    with localcontext(wide(digits)):
        if value.is_Rational:
            return Decimal(int(value.p)) / Decimal(int(value.q))
        return +Decimal(str(sp.N(value, digits + 5)))


def exponential(x: Decimal) -> Decimal:
    """The exponential."""
    return exponential_to(x, getcontext().prec)


@lru_cache(maxsize=1_000)
def exponential_to(x: Decimal, digits: int) -> Decimal:
    """The exponential to so many digits: the slope of a sigmoid asks for that which its value asked for."""
    return x.exp(wide(digits))


def by_mpmath(function: Callable[[Any], Any], x: Decimal) -> Decimal:
    """A function of mpmath, with some digits to spare for the conversions."""
    if not x.is_finite():
        return NAN
    digits = getcontext().prec
    with mpmath.workdps(digits + 10):
        return +Decimal(mpmath.nstr(function(mpmath.mpf(str(x))), digits + 5, strip_zeros=False))


def sine(x: Decimal) -> Decimal:
    """The sine."""
    return by_mpmath(mpmath.sin, x)


def cosine(x: Decimal) -> Decimal:
    """The cosine."""
    return by_mpmath(mpmath.cos, x)


def bell(x: Decimal) -> Decimal:
    """The slope of erf, 2/sqrt(pi) e^(-x^2)."""
    return exponential(-x * x) * by_mpmath(lambda pi: 2 / mpmath.sqrt(mpmath.pi), ZERO)


def below(x: Decimal) -> Decimal:
    """The share of a standard normal variable below x, erfc(-x/sqrt(2))/2."""
    return by_mpmath(lambda t: mpmath.erfc(-t / mpmath.sqrt(2)) / 2, x)


def density(x: Decimal) -> Decimal:
    """The density of a standard normal variable, e^(-x^2/2)/sqrt(2 pi)."""
    return exponential(-x * x / 2) * by_mpmath(lambda pi: 1 / mpmath.sqrt(2 * mpmath.pi), ZERO)


def logarithm(x: Decimal) -> Decimal:
    """The natural logarithm; NaN from zero down."""
    return x.ln() if x > 0 else NAN


def sigmoid(x: Decimal) -> Decimal:
    """1 / (1 + e^(-x))."""
    return ONE / (ONE + exponential(-x))


@lru_cache(maxsize=1_000)
def last_odd(digits: int, exponent: int) -> int:
    """The odd number at which Lambert's fraction ends for arguments below ten to an exponent plus one.

    A level more changes the value by the product of x^2 / odd^2 over all levels, at most.
    """
    odd, left = 1, float(digits + 4)
    while left > 0:
        odd += 2
        left += 2 * (exponent + 1 - log10(odd))
    return odd


def hyperbolic_tangent(x: Decimal) -> Decimal:
    """2 sigmoid(2 x) - 1, from the side on which the exponential is small; near zero a fraction, as it would cancel.

    Lambert's fraction x/(1 + x^2/(3 + x^2/(5 + ...))) has no term that cancels.
    """
    if abs(x) < 1:
        square = x * x
        odd = last_odd(getcontext().prec, max(x.adjusted(), -getcontext().prec))
        below = Decimal(odd)
        while odd > 1:
            odd -= 2
            below = odd + square / below
        return x / below
    small = exponential(-abs(x) * 2)
    return ((ONE - small) / (ONE + small)).copy_sign(x)


def bump(x: Decimal) -> Decimal:
    """The slope of the sigmoid, e^(-|x|) / (1 + e^(-|x|))^2."""
    small = exponential(-abs(x))
    return small / (ONE + small) ** 2


def softplus(x: Decimal) -> Decimal:
    """log(1 + e^x) = max(x, 0) + 2 artanh(t/(2 + t)) with t = e^(-|x|), whose series keeps small t."""
    small = exponential(-abs(x))
    if small > Decimal("1e-3"):
        return max(x, ZERO) + (ONE + small).ln()
    ratio = small / (TWO + small)
    power, total, odd = ratio, ratio, 1
    while power and abs(power) > abs(total).scaleb(-getcontext().prec - 2):
        power, odd = power * ratio * ratio, odd + 2
        total += power / odd
    return max(x, ZERO) + 2 * total


def sign(x: Decimal) -> Decimal:
    """-1, 0 or 1."""
    return NAN if x.is_nan() else Decimal((x > 0) - (x < 0))


def step(x: Decimal) -> Decimal:
    """1 for a positive argument, else 0."""
    return NAN if x.is_nan() else Decimal(int(x > 0))


@dataclass(frozen=True, slots=True)
class Wide:
    """One function.

    Attributes:
        value: of the argument.
        slope: its derivative; at a kink, the convention.
        kink: whether there is a kink at zero.
        positive: whether the argument must be positive.
        terms: what the value is made of, in absolute terms, where its definition cancels.
        slope_terms: what the slope is made of, where its usual form cancels: 1 - tanh^2, F (1 - F).
    """

    value: Callable[[Decimal], Decimal]
    slope: Callable[[Decimal], Decimal]
    kink: bool = False
    positive: bool = False
    terms: Callable[[Decimal], Decimal] | None = None
    slope_terms: Callable[[Decimal], Decimal] | None = None


def flat(x: Decimal) -> Decimal:
    """The slope of what is constant on both sides of its kink."""
    return NAN if x.is_nan() else ZERO


WIDE: dict[str, Wide] = {
    "exp": Wide(exponential, exponential),
    # The slope of a logarithm is 1/x, and x is known from log x alone to no more than a rounding of log x.
    "log": Wide(
        logarithm,
        lambda x: ONE / x if x > 0 else NAN,
        positive=True,
        slope_terms=lambda x: abs(x.ln() / x) if x > 0 else NAN,
    ),
    "sin": Wide(sine, cosine),
    "cos": Wide(cosine, lambda x: -sine(x)),
    "tanh": Wide(hyperbolic_tangent, lambda x: 4 * bump(2 * x), slope_terms=lambda x: ONE),
    "sigmoid": Wide(sigmoid, bump, slope_terms=sigmoid),
    "softplus": Wide(softplus, sigmoid),
    "silu": Wide(lambda x: x * sigmoid(x), lambda x: sigmoid(x) * (ONE + x * sigmoid(-x))),
    "erf": Wide(lambda x: by_mpmath(mpmath.erf, x), bell),
    "gelu": Wide(lambda x: x * below(x), lambda x: below(x) + x * density(x), terms=abs, slope_terms=lambda x: ONE),
    "atan": Wide(lambda x: by_mpmath(mpmath.atan, x), lambda x: ONE / (ONE + x * x)),
    "relu": Wide(lambda x: NAN if x.is_nan() else max(x, ZERO), step, kink=True),
    "abs": Wide(abs, sign, kink=True),
    "step": Wide(step, flat, kink=True),
    "reach": Wide(lambda x: NAN if x.is_nan() else Decimal(int(x >= 0)), flat, kink=True),
    "rest": Wide(lambda x: ONE - step(x), flat, kink=True),
    "sign": Wide(sign, flat, kink=True),
}


def wide_of(name: str) -> Wide:
    """The row of a function.

    Raises:
        UnsupportedError: if the table has no such row.
    """
    if name not in WIDE:
        raise UnsupportedError(f"the check at hostile inputs knows no function {name}; known are {', '.join(WIDE)}")
    return WIDE[name]


def raised(x: Decimal, exponent: sp.Expr) -> Decimal:
    """A power; NaN for a root of what is negative, and for one over zero."""
    return power_of(exponent)(x)


Power = Callable[[Decimal], Decimal]


@lru_cache(maxsize=1_000)
def power_of(exponent: sp.Expr) -> Power:
    """What `raised` does, for one exponent: to look at a number of SymPy takes longer than most powers."""
    is_negative, is_root, power = exponent.is_negative, not exponent.is_Integer, usual_power_of(exponent)

    def found(x: Decimal) -> Decimal:
        if x.is_nan() or (is_negative and x == 0):
            return NAN
        if is_root and x <= 0:
            return ZERO if x == 0 else NAN
        return power(x)

    return found


def usual_power_of(exponent: sp.Expr) -> Power:
    """What raises positive numbers to an exponent, and others to whole ones."""
    if exponent == -1:
        return lambda x: ONE / x
    if exponent.is_Integer:
        whole = int(exponent)
        return lambda x: x**whole
    if (2 * exponent).is_Integer:
        # A general power takes a logarithm and an exponential, fifty times as long.
        return power_of_root(int(2 * exponent))
    return lambda x: Decimal(x ** constant(exponent))


def power_of_root(exponent: int) -> Power:
    """What raises the square roots of positive numbers to a whole exponent."""
    if exponent < 0:
        return lambda x: ONE / x.sqrt() ** -exponent
    return lambda x: x.sqrt() ** exponent


@lru_cache(maxsize=1_000)
def slope_of_power(exponent: sp.Expr) -> Power:
    """The slope of a power, over its exponent."""
    return (lambda x: ONE) if exponent == 1 else power_of(exponent - 1)
