"""The table of wide functions: values against mpmath, slopes against central differences, conventions at kinks."""

from __future__ import annotations

from decimal import Decimal, localcontext

import mpmath
import pytest
import sympy as sp

from indexcalc.calculus.pointwise import ROWS
from indexcalc.proof.hostile.wide import WIDE, constant, raised, wide, wide_of

DIGITS = 50
POINTS = ("-1000", "-30.5", "-7", "-0.25", "-1e-9", "1e-9", "0.25", "1", "7", "30.5", "1000")
KNOWN = {
    "exp": mpmath.exp,
    "log": mpmath.log,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tanh": mpmath.tanh,
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "softplus": lambda x: mpmath.log1p(mpmath.exp(x)),
    "silu": lambda x: x / (1 + mpmath.exp(-x)),
    "erf": mpmath.erf,
    "gelu": lambda x: x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2,
    "relu": lambda x: max(x, 0),
    "abs": abs,
    "max": max,
    "min": min,
    "step": lambda x: x > 0,
    "sign": mpmath.sign,
}


def constants_of(name: str) -> list[Decimal]:
    return [Decimal("0.5")] if name in {"max", "min"} else []


def arguments_of(name: str) -> list[Decimal]:
    return [Decimal(text) for text in POINTS if name != "log" or not text.startswith("-")]


def test_every_function_of_the_language_has_a_row():
    assert set(WIDE) == {row.name for row in ROWS} == set(KNOWN)


@pytest.mark.parametrize("name", sorted(WIDE))
def test_values_are_those_of_mpmath_to_all_digits(name):
    constants = constants_of(name)
    for x in arguments_of(name):
        with localcontext(wide(DIGITS)):
            found = wide_of(name).value(x, *constants)
        with mpmath.workdps(DIGITS + 500):
            expected = mpmath.mpf(KNOWN[name](mpmath.mpf(str(x)), *(mpmath.mpf(str(c)) for c in constants)))
            error = abs(mpmath.mpf(str(found)) - expected)
            assert error <= mpmath.mpf(10) ** (3 - DIGITS) * abs(expected), (x, found)


@pytest.mark.parametrize("name", sorted(WIDE))
def test_slopes_are_those_of_central_differences(name):
    constants, row = constants_of(name), wide_of(name)
    for x in arguments_of(name):
        with localcontext(wide(3 * DIGITS + 500)):
            step = abs(x).scaleb(-DIGITS)
            rise = row.value(x + step, *constants) - row.value(x - step, *constants)
            expected = rise / (2 * step)
            found = row.slope(x, *constants)
            assert abs(found - expected) <= abs(expected) * Decimal("1e-60") + Decimal("1e-500"), (x, found, expected)


@pytest.mark.parametrize(("name", "value", "slope"), [("relu", 0, 0), ("abs", 0, 0), ("step", 0, 0), ("sign", 0, 0)])
def test_kinks_at_zero_have_the_convention_of_the_language(name, value, slope):
    row = wide_of(name)
    assert (row.value(Decimal(0)), row.slope(Decimal(0))) == (value, slope)


@pytest.mark.parametrize("name", ["max", "min"])
def test_kinks_at_a_constant_have_slope_zero(name):
    c = Decimal(3)
    assert wide_of(name).slope(c, c) == 0
    assert wide_of(name).value(c, c) == c


def test_what_has_no_value_is_nan():
    with localcontext(wide(20)):
        assert wide_of("log").value(Decimal(0)).is_nan()
        assert wide_of("log").value(Decimal(-1)).is_nan()
        assert raised(Decimal(0), sp.Integer(-1)).is_nan()
        assert raised(Decimal(-2), sp.Rational(1, 2)).is_nan()
        assert wide_of("exp").value(Decimal("-Infinity")) == 0


def test_powers_are_exact_or_rounded_once():
    with localcontext(wide(30)):
        assert raised(Decimal(3), sp.Integer(4)) == 81
        assert raised(Decimal(4), sp.Rational(-1, 2)) == Decimal("0.5")
        assert abs(raised(Decimal(2), sp.Rational(1, 3)) ** 3 - 2) < Decimal("1e-28")


def test_scalars_have_the_digits_of_the_context():
    with localcontext(wide(60)):
        assert abs(constant(sp.sqrt(2)) ** 2 - 2) < Decimal("1e-58")
        assert constant(sp.Rational(1, 3)) * 3 == Decimal("0." + "9" * 60)
