from __future__ import annotations

import mpmath
import numpy as np
import pytest

from indexcalc.calculus.pointwise import ROWS
from indexcalc.errors import UnsupportedError
from indexcalc.proof.numeric import NUMERIC, numeric_of

POINTS = np.array([-8.3, -5.0, -3.1, -2.9, -1.2, -0.3, 0.2, 0.9, 2.7, 3.2, 5.5, 7.9])
OTHERS = {"max": (0.5,), "min": (0.5,), "where": (0.7, -0.4), "pow": (1.3,), "atan2": (-0.6,)}
"""The other arguments of functions of several."""

REFERENCE = {
    "exp": mpmath.exp,
    "log": mpmath.log,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tanh": mpmath.tanh,
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "softplus": lambda x: mpmath.log(1 + mpmath.exp(x)),
    "silu": lambda x: x / (1 + mpmath.exp(-x)),
    "erf": mpmath.erf,
    "gelu": lambda x: x * (1 + mpmath.erf(x / mpmath.sqrt(2))) / 2,
    "relu": lambda x: max(x, mpmath.mpf(0)),
    "abs": abs,
    "atan": mpmath.atan,
    "max": max,
    "min": min,
    "where": lambda x, y, z: y if x > 0 else z,
    "pow": mpmath.power,
    "atan2": mpmath.atan2,
    "step": lambda x: mpmath.mpf(x > 0),
    "reach": lambda x: mpmath.mpf(x >= 0),
    "sign": mpmath.sign,
}


def points(name):
    return np.abs(POINTS) if NUMERIC[name].positive else POINTS


def test_every_function_of_the_calculus_has_numbers_and_the_same_domain():
    assert {row.name for row in ROWS} <= set(NUMERIC)
    for row in ROWS:
        numeric = NUMERIC[row.name]
        assert numeric.positive == row.positive
        assert (numeric.kink is not None) == bool(row.kink)


@pytest.mark.parametrize("name", sorted(NUMERIC))
def test_values_agree_with_a_multiprecision_library(name):
    others = OTHERS.get(name, ())
    found = NUMERIC[name].compute(points(name), *map(np.asarray, others))
    expected = [float(REFERENCE[name](mpmath.mpf(float(x)), *map(mpmath.mpf, others))) for x in points(name)]
    np.testing.assert_allclose(found, expected, rtol=2e-15, atol=2e-15)


@pytest.mark.parametrize("name", sorted(NUMERIC))
def test_complex_step_gives_the_derivative(name):
    h, others = 1e-30, OTHERS.get(name, ())
    for place in range(1 + len(others)):
        args = [points(name), *map(np.asarray, others)]
        args[place] = args[place] + 1j * h
        found = np.asarray(NUMERIC[name].compute(*args)).imag / h
        order = tuple(int(n == place) for n in range(len(args)))
        with mpmath.workdps(40):
            here = [tuple(mpmath.mpf(float(x)) for x in (point, *others)) for point in points(name)]
            expected = [float(mpmath.diff(REFERENCE[name], *((at, order) if others else (at[0],)))) for at in here]
        np.testing.assert_allclose(np.broadcast_to(found, POINTS.shape), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", ["abs", "relu", "sign", "step", "reach", "where", "max", "min"])
def test_at_zero_the_second_order_of_a_complex_step_takes_no_side(name):
    nothing = np.log(np.exp(np.array([0.0 + 1e-30j])))
    assert nothing.real != 0
    others = {"max": (0.0,), "min": (0.0,), "where": (3.0, -4.0)}.get(name, ())
    at_zero, moved = (np.asarray(NUMERIC[name].compute(x, *map(np.asarray, others))) for x in (np.zeros(1), nothing))
    np.testing.assert_array_equal(moved.real, at_zero)
    assert np.all(moved.imag == (0 if name in ("abs", "relu", "max", "min") else np.imag(at_zero)))


def test_infinite_arguments_are_compared_without_a_warning():
    every = np.array([-np.inf, 0.0, np.inf])
    np.testing.assert_array_equal(NUMERIC["max"].compute(every, every), every)
    np.testing.assert_array_equal(NUMERIC["min"].compute(every, every[::-1]), [-np.inf, 0.0, -np.inf])


def test_large_arguments_do_not_overflow():
    far = np.array([-800.0, 800.0])
    np.testing.assert_allclose(NUMERIC["sigmoid"].compute(far), [0.0, 1.0])
    np.testing.assert_allclose(NUMERIC["softplus"].compute(far), [0.0, 800.0])


def test_an_unknown_function_is_named():
    with pytest.raises(UnsupportedError, match="no function arcosh; known are abs"):
        numeric_of("arcosh")
