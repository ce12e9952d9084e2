"""Numbers with units: three digits, and no unit that is rounded past the next one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexcalc.cost.units import BINARY, DECIMAL, bytes_text, si_text


@pytest.mark.parametrize(
    ("number", "si", "binary"),
    [
        (0, "0", "0 B"),
        (999, "999", "999 B"),
        (1000, "1.00 k", "1000 B"),
        (1024, "1.02 k", "1.00 KiB"),
        (9_996, "10.0 k", "9.76 KiB"),
        (99_960, "100 k", "97.6 KiB"),
        (999_499, "999 k", "976 KiB"),
        (999_500, "1.00 M", "976 KiB"),
        (1024**2 - 1, "1.05 M", "1.00 MiB"),
        (64 * 2**20, "67.1 M", "64.0 MiB"),
        (2 * 10**24, "2.00 Y", "1.65 YiB"),
        (10**30, "1.00e+30", "1.00e+30 B"),
    ],
)
def test_units(number, si, binary):
    assert (si_text(number), bytes_text(number)) == (si, binary)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.integers(0, 10**27))
def test_the_text_is_the_number_to_three_digits(number):
    for text, base, units in ((si_text(number), 1000, DECIMAL), (bytes_text(number), 1024, BINARY)):
        value, _, unit = text.partition(" ")
        assert abs(float(value) * base ** units.index(unit) - number) <= 0.0051 * number
        assert len(value.replace(".", "")) <= 4 or "e" in value
