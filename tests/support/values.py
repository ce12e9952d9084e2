"""Random values for random terms."""

from __future__ import annotations

import numpy as np

from indexcalc.proof.evaluate import evaluate
from tests.support.programs import M, N

SIZES = {N: 3, M: 2}


def random_tensors(tensors, seed=0):
    """An array for each tensor, of the sizes 3 and 2."""
    rng = np.random.default_rng(seed)
    return {t.name: rng.normal(0.0, 0.7, [SIZES[slot.extent] for slot in t.slots]) for t in tensors}


def value_of(terms, free, tensors):
    """The value of terms over all their free indices, fully broadcast."""
    value = evaluate(terms, free, tensors, SIZES)
    return np.broadcast_to(value, [SIZES[index.extent] for index in free])


def assert_same_value(left, right, free, tensors, tolerance=1e-9):
    """Both sums have the same value at every index."""
    one, two = value_of(left, free, tensors), value_of(right, free, tensors)
    scale = max(1.0, float(np.max(np.abs(one), initial=0.0)))
    np.testing.assert_allclose(two, one, rtol=0, atol=tolerance * scale)
