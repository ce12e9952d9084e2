"""The opening of a note: defaults as authors write them."""

from __future__ import annotations

import pytest
import sympy as sp

from indexcalc.notes.blocks import Scalar, Sign
from indexcalc.notes.setup import default_span


@pytest.mark.parametrize(
    ("value", "span"),
    [
        (sp.Rational(1, 10), Sign("0.1")),
        (sp.Rational(1, 100_000), Sign("10^{-5}")),
        (sp.Rational(25, 10_000_000), Sign(r"2.5 \cdot 10^{-6}")),
        (sp.Rational(1, 3), Scalar(sp.Rational(1, 3))),
        (sp.Integer(2), Scalar(sp.Integer(2))),
    ],
)
def test_a_default(value, span):
    assert default_span(value) == span
