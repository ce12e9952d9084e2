"""The values of functions of which nothing is known."""

from __future__ import annotations

import numpy as np

from indexcalc.document.meaning.unknown import row_of, unknown

POINTS = np.linspace(-4.0, 4.0, 41)


def test_a_derivative_is_that_of_the_function():
    for order in range(3):
        value = row_of(unknown("g", order)).compute(POINTS + 1e-30j)
        assert np.allclose(value.imag / 1e-30, row_of(unknown("g", order + 1)).compute(POINTS), rtol=1e-12, atol=1e-12)


def test_values_have_logarithms():
    values = row_of(unknown("f")).compute(POINTS)
    assert values.min() > 0
    assert values.max() < 1


def test_two_names_are_two_functions():
    assert not np.allclose(row_of(unknown("f")).compute(POINTS), row_of(unknown("g")).compute(POINTS))
