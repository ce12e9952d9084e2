"""The table of wide functions: values against mpmath, slopes against central differences, conventions at kinks."""

from __future__ import annotations

import itertools
from decimal import Decimal, localcontext

import mpmath
import numpy as np
import pytest
import sympy as sp

from indexcalc.algebra.terms import Access, Fn, Term
from indexcalc.calculus.pointwise import ROWS
from indexcalc.program import Equation, Program, Tensor
from indexcalc.proof.hostile.adjoints import backward
from indexcalc.proof.hostile.sweep import forward
from indexcalc.proof.hostile.unrolled import WRITTEN, unrolled
from indexcalc.proof.hostile.wide import WIDE, constant, raised, wide, wide_of
from indexcalc.proof.numeric import NUMERIC

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
    "atan": mpmath.atan,
    "step": lambda x: x > 0,
    "reach": lambda x: x >= 0,
    "rest": lambda x: x <= 0,
    "sign": mpmath.sign,
}


def arguments_of(name: str) -> list[Decimal]:
    return [Decimal(text) for text in POINTS if name != "log" or not text.startswith("-")]


def test_every_function_of_the_language_has_a_row():
    assert set(WIDE) == set(KNOWN)
    assert set(WIDE) - {"rest"} | set(WRITTEN) == {row.name for row in ROWS}
    assert set(WRITTEN) == {row.name for row in ROWS if len(row.derivatives) > 1}


@pytest.mark.parametrize("name", sorted(WRITTEN))
@pytest.mark.parametrize("first", ["0.3", "0.8", "2.5"])
def test_a_function_of_several_arguments_is_written_with_functions_of_one(name, first):
    """Its value and its slopes are those of the evaluator, which has it as it is."""
    count = len(next(row for row in ROWS if row.name == name).derivatives)
    tensors = tuple(Tensor(letter, ()) for letter in "xyz"[:count])
    function = Fn(name, tuple((Term(sp.S.One, ((Access(tensor.name), sp.S.One),)),) for tensor in tensors))
    equation = Equation(Access("f"), (Term(sp.S.One, ((function, sp.S.One),)),))
    graph = unrolled(Program("f", tensors, (equation,), ("f",), ()), {})
    for second, third in itertools.product(("-1.7", "-0.4", "0.6", "1.9"), repeat=2):
        numbers = dict(zip("xyz"[:count], (first, second, third), strict=False))
        with localcontext(wide(DIGITS)):
            run = forward(graph, {letter: [Decimal(text)] for letter, text in numbers.items()})
            (last,) = graph.entries["f"]
            slopes = backward(graph, run, {last: Decimal(1)}).values
        at = [complex(float(text)) for text in numbers.values()]
        assert float(run.values[last]) == pytest.approx(complex(NUMERIC[name].compute(*map(np.asarray, at))).real)
        for place, letter in enumerate(numbers):
            moved = [np.asarray(value + 1e-30j * (n == place)) for n, value in enumerate(at)]
            slope = complex(NUMERIC[name].compute(*moved)).imag / 1e-30
            assert float(slopes[graph.entries[letter][0]]) == pytest.approx(slope, abs=1e-12)


@pytest.mark.parametrize("name", sorted(WIDE))
def test_values_are_those_of_mpmath_to_all_digits(name):
    for x in arguments_of(name):
        with localcontext(wide(DIGITS)):
            found = wide_of(name).value(x)
        with mpmath.workdps(DIGITS + 500):
            expected = mpmath.mpf(KNOWN[name](mpmath.mpf(str(x))))
            error = abs(mpmath.mpf(str(found)) - expected)
            assert error <= mpmath.mpf(10) ** (3 - DIGITS) * abs(expected), (x, found)


@pytest.mark.parametrize("name", sorted(WIDE))
def test_slopes_are_those_of_central_differences(name):
    row = wide_of(name)
    for x in arguments_of(name):
        with localcontext(wide(3 * DIGITS + 500)):
            step = abs(x).scaleb(-DIGITS)
            rise = row.value(x + step) - row.value(x - step)
            expected = rise / (2 * step)
            found = row.slope(x)
            assert abs(found - expected) <= abs(expected) * Decimal("1e-60") + Decimal("1e-500"), (x, found, expected)


@pytest.mark.parametrize(
    ("name", "value", "slope"), [("relu", 0, 0), ("abs", 0, 0), ("step", 0, 0), ("reach", 1, 0), ("sign", 0, 0)]
)
def test_kinks_at_zero_have_the_convention_of_the_language(name, value, slope):
    row = wide_of(name)
    assert (row.value(Decimal(0)), row.slope(Decimal(0))) == (value, slope)


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
        assert raised(Decimal(4), sp.Rational(-3, 2)) == Decimal("0.125")
        assert abs(raised(Decimal(2), sp.Rational(3, 2)) ** 2 - 8) < Decimal("1e-27")
        assert raised(Decimal(-4), sp.Rational(3, 2)).is_nan()


def test_scalars_have_the_digits_of_the_context():
    with localcontext(wide(60)):
        assert abs(constant(sp.sqrt(2)) ** 2 - 2) < Decimal("1e-58")
        assert constant(sp.Rational(1, 3)) * 3 == Decimal("0." + "9" * 60)
