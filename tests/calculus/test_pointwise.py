"""Every row of the table of pointwise functions: its derivative is the derivative of its value."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from indexcalc.algebra.terms import Add, Fn, Term
from indexcalc.calculus.pointwise import ROWS, TABLE, derivatives_of, row_of
from indexcalc.errors import UnsupportedError
from indexcalc.problem import Problem, Upstream
from indexcalc.program import Equation, Program, Tensor
from indexcalc.proof.evaluate import evaluate
from indexcalc.proof.gradcheck import check_backward
from indexcalc.rewrite.derive import derive
from tests.support.build import N, at, i, term

NAMES = "xyz"
STEP = 1e-6


def names_of(row) -> str:
    return NAMES[: len(row.derivatives)]


def applied(row) -> Fn:
    return Fn(row.name, tuple((term(at(name, i)),) for name in names_of(row)))


def points(row) -> dict[str, np.ndarray]:
    """Points of both signs (positive ones where the row asks for it), away from every kink, in all combinations."""
    values = np.array([0.13, 0.55, 1.7, 2.9])
    every = [values + shift for shift in (0.0, 0.21, -0.04)]
    signed = [np.concatenate([one, -one]) for one in every]
    if row.positive:
        signed[0] = every[0]
    grid = np.meshgrid(*signed[: len(row.derivatives)])
    return {name: one.ravel() for name, one in zip(names_of(row), grid, strict=True)}


def value(terms, at_points) -> np.ndarray:
    size = len(at_points["x"])
    return np.broadcast_to(evaluate(terms, (i,), at_points, {N: size}), (size,))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_derivative_by_each_argument_matches_central_differences(row):
    here = points(row)
    function = (term(applied(row)),)
    for name, derivative in zip(names_of(row), derivatives_of(applied(row)), strict=True):
        above, below = ({**here, name: here[name] + step} for step in (STEP, -STEP))
        expected = (value(function, above) - value(function, below)) / (2 * STEP)
        np.testing.assert_allclose(value(derivative, here), expected, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("row", [row for row in ROWS if row.kink and row.name != "atan2"], ids=lambda row: row.name)
def test_the_first_argument_has_no_share_at_a_kink_and_the_last_one_all_of_it(row):
    here = {name: np.array([0.0]) for name in names_of(row)}
    first, *others = (value(derivative, here) for derivative in derivatives_of(applied(row)))
    assert first == pytest.approx(0.0)
    assert not others or (others[-1] == 1.0 and sum(others) == 1.0)


def test_names_are_unique_and_an_unknown_one_is_an_error_that_lists_them():
    assert len(TABLE) == len(ROWS)
    with pytest.raises(UnsupportedError, match="softplus"):
        row_of("sofplus")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_second_derivative_is_the_derivative_of_the_backward_pass(row):
    names = names_of(row)
    tensors = tuple(Tensor(name, (i,)) for name in names)
    forward = Program("f", tensors, (Equation(at("f", i), (term(applied(row)),)),), ("f",), (i,))
    backward = derive(Problem(forward, (Upstream("G", "f"),), tuple(names))).backward
    inputs = (*forward.inputs, Tensor("G", (i,)))
    gradients = tuple(f"d{name}" for name in names if f"d{name}" in backward.tensors)
    both = Program("f'", inputs, (*forward.equations, *backward.equations), gradients, (i,))
    problem = Problem(both, tuple(Upstream(f"V{name}", name) for name in gradients), (*names, "G"))
    report = check_backward(problem, derive(problem).backward)
    assert report.ok, "\n".join(map(str, report.failures))


def test_a_power_of_a_sum_stays_a_power_in_a_derivative():
    """``exp(-u^2)`` at ``u = (1 + x^2 + ...)^(3/2)`` is the exponential of a cube, not of the terms of the cube."""
    terms = tuple(term(*[at("x", i)] * power) for power in range(9))
    inner = Fn("erf", ((Term(sp.S.One, ((Add(terms), sp.Rational(3, 2)),)),),))
    ((derivative,),) = derivatives_of(inner)
    ((gaussian, _),) = derivative.powers
    assert gaussian == Fn("exp", ((Term(-sp.S.One, ((Add(terms), sp.Integer(3)),)),),))
