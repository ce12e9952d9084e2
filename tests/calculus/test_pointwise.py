"""Every row of the table of pointwise functions: its derivative is the derivative of its value."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from indexcalc.algebra.terms import Add, Fn, Term
from indexcalc.calculus.pointwise import ROWS, TABLE, derivative_of, row_of
from indexcalc.errors import UnsupportedError
from indexcalc.problem import Problem, Upstream
from indexcalc.program import Equation, Program, Tensor
from indexcalc.proof.evaluate import evaluate
from indexcalc.proof.gradcheck import check_backward
from indexcalc.rewrite.derive import derive
from tests.support.build import N, at, i, term

ARGUMENT = (term(at("x", i)),)
C = sp.Rational(3, 10)
STEP = 1e-6


def applied(row) -> Fn:
    return Fn(row.name, ARGUMENT, (C,) * row.constants)


def points(row) -> np.ndarray:
    """Points of both signs (positive ones where the row asks for it), away from every kink."""
    values = np.array([0.13, 0.55, 1.7, 2.9])
    return values if row.positive else np.concatenate([values, -values])


def value(terms, x) -> np.ndarray:
    return np.broadcast_to(evaluate(terms, (i,), {"x": x}, {N: len(x)}), (len(x),))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_derivative_matches_central_differences(row):
    x = points(row)
    function = (term(applied(row)),)
    expected = (value(function, x + STEP) - value(function, x - STEP)) / (2 * STEP)
    np.testing.assert_allclose(value(derivative_of(applied(row)), x), expected, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("row", [row for row in ROWS if row.kink], ids=lambda row: row.name)
def test_the_convention_at_a_kink_is_zero(row):
    at_kink = float(C) if row.constants else 0.0
    assert value(derivative_of(applied(row)), np.array([at_kink])) == pytest.approx(0.0)


def test_names_are_unique_and_an_unknown_one_is_an_error_that_lists_them():
    assert len(TABLE) == len(ROWS)
    with pytest.raises(UnsupportedError, match="softplus"):
        row_of("sofplus")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_second_derivative_is_the_derivative_of_the_backward_pass(row):
    forward = Program("f", (Tensor("x", (i,)),), (Equation(at("y", i), (term(applied(row)),)),), ("y",), (i,))
    backward = derive(Problem(forward, (Upstream("G", "y"),), ("x",))).backward
    inputs = (*forward.inputs, Tensor("G", (i,)))
    both = Program("f'", inputs, (*forward.equations, *backward.equations), ("dx",), (i,))
    problem = Problem(both, (Upstream("V", "dx"),), ("x", "G"))
    report = check_backward(problem, derive(problem).backward)
    assert report.ok, "\n".join(map(str, report.failures))


def test_a_power_of_a_sum_stays_a_power_in_a_derivative():
    """``exp(-u^2)`` at ``u = (1 + x^2 + ...)^(3/2)`` is the exponential of a cube, not of the terms of the cube."""
    terms = tuple(term(*[at("x", i)] * power) for power in range(9))
    inner = Fn("erf", (Term(sp.S.One, ((Add(terms), sp.Rational(3, 2)),)),))
    (derivative,) = derivative_of(inner)
    ((gaussian, _),) = derivative.powers
    assert gaussian == Fn("exp", (Term(-sp.S.One, ((Add(terms), sp.Integer(3)),)),))
