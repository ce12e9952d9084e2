"""Central differences of gradients: exact of what is smooth, and of what is steep."""

from __future__ import annotations

import numpy as np
import pytest

from indexcalc.proof.orders import HALVINGS, richardson


@pytest.mark.parametrize("far", [1.0, 0.1, 0.01])
def test_near_a_pole_steps_are_halved_until_extrapolations_agree(far):
    found = richardson(lambda step: np.array([1 / (far + step.real), np.sin(step.real)]))
    np.testing.assert_allclose(found, [-1 / far**2, 1.0], rtol=1e-8)


def test_what_is_smooth_takes_two_steps():
    seen = []

    def function(step):
        seen.append(step)
        return np.array(np.exp(step.real))

    np.testing.assert_allclose(richardson(function), 1.0, rtol=1e-12)
    assert len(seen) == 4


def test_a_derivative_of_zero_is_not_lost_in_rounding():
    seen = []

    def function(step):
        seen.append(step)
        return np.array([1 + 1e-16 * np.cos(1e7 * step.real)])

    np.testing.assert_allclose(richardson(function), 0.0, atol=1e-12)
    assert len(seen) == 4


def test_what_has_no_limit_ends():
    seen = []

    def function(step):
        seen.append(step)
        return np.array(np.sign(step.real))

    assert np.isfinite(richardson(function))
    assert len(seen) == 2 * HALVINGS
