"""Arrays say where an operation on them is defined, and are refused where they are too large."""

from __future__ import annotations

import numpy as np
import pytest

from indexcalc.document.numerics.arrays import (
    GRID_LIMIT,
    HALVINGS,
    bounded,
    contracted,
    exponentials,
    of_matrices,
    raised,
)
from indexcalc.errors import LimitError


def test_whole_powers_of_negative_numbers_are_defined_and_others_are_not():
    base = np.array([-2.0, 4.0])
    assert raised(base, np.array([2.0])).tolist() == [4.0, 16.0]
    assert raised(base, np.array([-1.0])).tolist() == [-0.5, 0.25]
    with np.errstate(invalid="ignore"):
        assert np.isnan(raised(base, np.array([0.5]))).tolist() == [True, False]


def test_what_is_nearly_singular_has_no_inverse():
    matrices = np.array([np.eye(2), np.ones((2, 2))])
    found = of_matrices(np.linalg.inv, matrices, matrices.shape)
    assert found[0].tolist() == np.eye(2).tolist()
    assert np.isnan(found[1]).all()


def test_what_is_too_large_is_refused():
    bounded(GRID_LIMIT)
    with pytest.raises(LimitError):
        bounded(GRID_LIMIT, 2)


def test_the_exponential_of_a_matrix_is_that_of_its_eigenvalues():
    rng = np.random.default_rng(3)
    for scale in (0.0, 0.1, 1.0, 20.0):
        half = scale * rng.normal(size=(5, 4, 4))
        matrices = half + half.transpose(0, 2, 1)
        values, vectors = np.linalg.eigh(matrices)
        expected = np.einsum("nij,nj,nkj->nik", vectors, np.exp(values), vectors)
        np.testing.assert_allclose(
            exponentials(matrices, matrices.shape), expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max()
        )


def test_an_exponential_goes_along_a_complex_step():
    rng = np.random.default_rng(4)
    matrix, along = rng.normal(size=(2, 3, 3))
    step = exponentials(matrix + 1e-30j * along, (3, 3)).imag / 1e-30
    two = np.block([[matrix, along], [np.zeros((3, 3)), matrix]])  # its exponential holds the derivative
    np.testing.assert_allclose(step, exponentials(two, (6, 6))[:3, 3:], rtol=1e-10)


def test_a_matrix_that_is_too_large_has_no_exponential():
    matrices = np.array([np.eye(2), 2.0**HALVINGS * np.eye(2)])
    found = exponentials(matrices, matrices.shape)
    np.testing.assert_allclose(found[0], np.e * np.eye(2))
    assert np.isnan(found[1]).all()


@pytest.mark.parametrize("seed", range(20))
def test_the_sum_of_a_product_is_that_of_its_terms(seed):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 4, size=5)
    factors = [rng.normal(size=[n if rng.random() < 0.6 else 1 for n in lengths]) for _ in range(rng.integers(1, 5))]
    axes = [axis for axis in range(5) if rng.random() < 0.6]
    terms = np.broadcast_arrays(*factors)
    expected = np.prod(terms, axis=0).sum(axis=tuple(axes), keepdims=True)
    np.testing.assert_allclose(contracted(factors, axes), expected, rtol=1e-12, atol=1e-12)


def test_a_long_sum_needs_no_array_of_its_terms():
    left, right = np.ones((200, 1, 200)), np.ones((1, 200, 200))
    assert left.size * right.shape[1] > GRID_LIMIT
    assert contracted([left, right], [2]).shape == (200, 200, 1)
    with pytest.raises(LimitError):
        contracted([np.ones((2000, 1, 20)), np.ones((1, 2000, 20))], [2])


def test_what_has_no_value_leaves_the_sums_without_it_alone():
    left, right = np.array([[[np.nan]], [[1.0]]]), np.ones((2, 3, 2))
    assert np.isnan(contracted([left, right], [1, 2])).ravel().tolist() == [True, False]


def test_many_factors_and_axes_are_no_error():
    factors = [np.full((3, 1), 1.01)] * 70
    assert contracted(factors, [0])[0, 0] == pytest.approx(3 * 1.01**70)
    with pytest.raises(LimitError):
        contracted([np.ones((2,) * 2 + (1,) * 58)], [0])
