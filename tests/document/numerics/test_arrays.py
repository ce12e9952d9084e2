"""Arrays say where an operation on them is defined, and are refused where they are too large."""

from __future__ import annotations

import numpy as np
import pytest

from indexcalc.document.numerics.arrays import GRID_LIMIT, bounded, of_matrices, raised
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
