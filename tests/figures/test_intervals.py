from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexcalc.figures.intervals import Interval, applied, inverse, minus, plus, point, power, times
from indexcalc.proof.numeric import numeric_of

NUMBERS = st.floats(-20, 20)
SMOOTH = ["exp", "sin", "cos", "tanh", "sigmoid", "softplus", "silu", "erf", "gelu", "relu", "abs"]


@st.composite
def inside(draw: st.DrawFn) -> tuple[Interval, float]:
    low, high = sorted((draw(NUMBERS), draw(NUMBERS)))
    return Interval(low, high), min(high, low + draw(st.floats(0, 1)) * (high - low))


@given(inside(), inside())
def test_arithmetic_holds_what_its_operands_give(left: tuple[Interval, float], right: tuple[Interval, float]) -> None:
    (a, x), (b, y) = left, right
    assert plus(a, b).holds(x + y)
    assert plus(a, minus(b)).holds(x - y)
    assert times(a, b).holds(x * y)
    if y:
        assert inverse(b).holds(1 / y) or abs(y) < 1e-9


@given(inside(), st.integers(-3, 5))
def test_whole_powers_hold_what_their_base_gives(base: tuple[Interval, float], exponent: int) -> None:
    interval, x = base
    if abs(x) > 1e-3 or exponent >= 0:
        assert power(interval, point(float(exponent))).holds(float(x) ** exponent)


@pytest.mark.parametrize("name", SMOOTH)
@given(argument=inside())
def test_functions_hold_what_their_argument_gives(name: str, argument: tuple[Interval, float]) -> None:
    interval, x = argument
    assert applied(name, interval).holds(float(numeric_of(name).compute(np.asarray(x))))


@pytest.mark.parametrize("name", SMOOTH)
def test_functions_of_a_point_are_points(name: str) -> None:
    found = applied(name, point(0.3))
    assert found.low == found.high


def test_what_is_undefined_may_be_anything() -> None:
    for found in (inverse(Interval(-1, 1)), applied("log", Interval(-1, 1)), power(Interval(-1, 1), point(0.5))):
        assert math.isinf(found.low)
        assert math.isinf(found.high)


def test_disjoint_intervals_do_not_meet() -> None:
    assert not Interval(0.0, 1.0).meets(Interval(1.001, 2.0))
    assert Interval(0.0, 1.0).meets(Interval(1.0, 2.0))
    assert not Interval(0.0, 1.0).holds(1.001)
