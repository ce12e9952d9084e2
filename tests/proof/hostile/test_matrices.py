"""Inverses and determinants on wide numbers."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest

from indexcalc.proof.hostile.matrices import condition, inverse, log_determinant
from indexcalc.proof.hostile.wide import wide


def rows_of(array):
    return [[Decimal(float(value)) for value in row] for row in array]


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("seed", range(5))
def test_they_are_those_of_linear_algebra(size, seed):
    matrix = np.random.default_rng(seed).normal(size=(size, size))
    # Without a pivot on the diagonal.
    matrix[0, 0] = 0.0 if size > 1 else matrix[0, 0]
    with localcontext(wide(40)):
        inverted = inverse(rows_of(matrix))
        value, terms = log_determinant(rows_of(matrix))
        worst = condition(rows_of(matrix), inverted)
    np.testing.assert_allclose(np.array(inverted, float), np.linalg.inv(matrix), rtol=1e-10, atol=1e-12)
    assert float(value) == pytest.approx(np.linalg.slogdet(matrix)[1], abs=1e-12)
    assert float(terms) >= abs(float(value)) - 1e-12
    assert float(worst) == pytest.approx(np.linalg.cond(matrix, np.inf))


@pytest.mark.parametrize("matrix", [[[0.0]], [[1.0, 2.0], [2.0, 4.0]], [[0.0, 0.0], [1.0, 1.0]], [[np.nan]]])
def test_a_singular_matrix_has_neither(matrix):
    with localcontext(wide(40)):
        assert all(value.is_nan() for row in inverse(rows_of(matrix)) for value in row)
        assert log_determinant(rows_of(matrix))[0].is_nan()
