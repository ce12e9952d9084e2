"""Names of squares: a page that defines the square of a name, and nothing without it."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check

VARIANCE = "Let\n$$\\sigma^2 = \\frac1n\\sum_{i=1}^n x_i^2$$\nThen\n$$"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (r"\sigma^4 = \frac{1}{n^2}\left(\sum_{i=1}^n x_i^2\right)^2", r"\sigma^6 ="),
        (r"\sigma^{-2} = \frac{n}{\sum_{i=1}^n x_i^2}", r"\sigma^{-4} ="),
        (r"\frac{\sigma^6}{\sigma^2} = \frac{1}{n^2}\left(\sum_{i=1}^n x_i^2\right)^2", r"\frac{\sigma^8}{\sigma^2} ="),
    ],
)
def test_an_even_power_is_one_of_the_square(right: str, wrong: str) -> None:
    """The square is what has an equation."""
    true = check(f"{VARIANCE}{right}$$\n").claims[-1].verdict
    assert true in (Verdict.PROVED, Verdict.CONFIRMED)
    twin = wrong + right.partition("=")[2]
    assert check(f"{VARIANCE}{twin}$$\n").claims[-1].verdict not in (Verdict.PROVED, Verdict.CONFIRMED)
