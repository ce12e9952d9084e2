"""A mistake is said in place of a diagnosis that says nothing, and beside one that says less."""

from __future__ import annotations

import pytest

from indexcalc.document.diagnosis import DIFFER, Diagnosis, Difference
from indexcalc.document.repair.correcting import Correction

TWICE = Diagnosis(Difference.FACTOR, "the right side is 2 times the left")
SIGN = Diagnosis(Difference.SIGN, "the sign is wrong")
SHAPE = Diagnosis(Difference.SHAPE, "shapes do not fit")
FACTOR = Correction("y", "the factor 1/2 is missing", of_factor=True)
POWER = Correction("y", "the power of x is 1 instead of 2")


@pytest.mark.parametrize(
    ("correction", "found", "words"),
    [
        (POWER, DIFFER, POWER.words),
        (POWER, TWICE, f"{TWICE.words}; {POWER.words}"),
        (FACTOR, TWICE, TWICE.words),
        (FACTOR, SHAPE, f"{SHAPE.words}; {FACTOR.words}"),
        (POWER, SIGN, SIGN.words),
        (Correction("y"), DIFFER, DIFFER.words),
    ],
)
def test_the_mistake_is_said_once(correction, found, words):
    assert correction.explained(found) == words
