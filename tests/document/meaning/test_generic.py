"""Any function of some tensors: its derivatives have no relation between them but that they are derivatives."""

from __future__ import annotations

import numpy as np
import pytest

from indexcalc.document.meaning.generic import generic, inputs_of
from indexcalc.document.meaning.nodes import Derivative, Entry
from indexcalc.document.meaning.sizes import Sizes
from indexcalc.document.meaning.symbols import Definition, Symbols
from indexcalc.document.numerics.numbers import Point


def derivatives(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The gradient of such a function of a place in space, and its second derivatives."""
    sizes = Sizes()
    slot, first, second = (sizes.measured(3) for _ in range(3))
    body = generic("f", (), {"x": (slot,)}, sizes)
    slots = {"x": (slot,), "f": (), **inputs_of(body, "f")}
    random = np.random.default_rng(seed)
    values = {
        name: random.normal(size=[sizes.exact[sizes.find(one)] for one in own])
        for name, own in slots.items()
        if name != "f"
    }
    lengths = {sizes.find(index): length for index, length in sizes.exact.items()}
    lengths |= {sizes.find(one): sizes.exact[sizes.find(one)] for own in slots.values() for one in own}
    point = Point(Symbols(sizes, slots, {"f": Definition((), body)}), sizes, lengths, values, {})
    slope = Derivative(Entry("f"), Entry("x", (first,)))
    again = Derivative(slope, Entry("x", (second,)))
    return point.value(slope, (first,)), point.value(again, (first, second))


@pytest.mark.parametrize("seed", range(3))
def test_second_derivatives_have_no_relation_to_the_first(seed):
    slope, again = derivatives(seed)
    assert np.allclose(again, again.T, atol=1e-6)
    assert np.linalg.matrix_rank(again, tol=1e-4) == 3
    turned = again @ slope
    assert abs(np.linalg.norm(turned) * np.linalg.norm(slope) - abs(turned @ slope)) > 1e-4


def test_second_derivatives_may_be_any_symmetric_matrix():
    flat = np.array([derivatives(seed)[1].ravel() for seed in range(9)])
    assert np.linalg.matrix_rank(flat, tol=1e-4) == 6
