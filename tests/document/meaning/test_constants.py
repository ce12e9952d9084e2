"""Expressions of numbers alone are one number; all others stay as they are."""

from __future__ import annotations

import pytest
import sympy as sp

from indexcalc.document.meaning.constants import simplified
from indexcalc.document.meaning.nodes import ZERO, Entry, Number, Plus, Raised, Times, over

TWO, THREE = Number(sp.Integer(2)), Number(sp.Integer(3))


@pytest.mark.parametrize(
    ("node", "value"),
    [
        (Times((THREE, over(TWO))), sp.Rational(3, 2)),
        (Times((Number(-sp.S.One), over(TWO))), sp.Rational(-1, 2)),
        (Plus((TWO, THREE)), 5),
    ],
)
def test_numbers_become_one(node, value):
    assert simplified(node) == Number(sp.sympify(value))


@pytest.mark.parametrize("node", [Entry("x"), Times((TWO, Entry("x"))), over(ZERO), Raised(TWO, over(TWO))])
def test_the_rest_stays(node):
    assert simplified(node) == node
