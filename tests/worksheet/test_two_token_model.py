"""The worksheet of two tokens and one head against a calculation by hand, number by number.

The calculation by hand rounds on the way; where its numbers are off by that, or follow from a slip, the
right ones stand here, and `SLIPS` holds what they must not be.
"""

from __future__ import annotations

import re
from functools import cache

import pytest

from indexcalc.language import load_problem
from indexcalc.library import find_spec
from indexcalc.rewrite.derive import derive
from indexcalc.worksheet import load_values, worksheet


@cache
def results(digits: int = 12) -> dict[str, float]:
    """The last number of every line that works out one entry."""
    path = find_spec("two_token_model")
    problem = load_problem(path)
    sheet = worksheet(derive(problem), load_values(path.with_name("values.toml"), problem), digits=digits)
    found = {}
    for block in re.findall(r"```text\n(.*?)```", sheet, re.DOTALL)[1:]:
        text = re.sub(r"\n +=", " =", block)
        for line in text.splitlines():
            left, *rest = line.split(" = ")
            if rest and re.fullmatch(r"[-+.\de]+", rest[-1]):
                found[left] = float(rest[-1])
    return found


STATED = [
    *[("c[0]", "0.0498"), ("c[1]", "0.0502"), ("z[0]", "0.00498"), ("z[1]", "0.0"), ("z[2]", "0.00502")],
    *[("P[1]", "0.249"), ("P[2]", "0.251"), ("P[3]", "0.249"), ("A[1,0]", "0.498"), ("A[1,1]", "0.502")],
    *[("dL/dz[1]", "0.249"), ("dL/dz[2]", "-0.749"), ("dL/dz[3]", "0.249")],
    *[("dL/dc[0]", "0.025"), ("dL/dc[1]", "-0.0749"), ("dL/dO[1,0]", "0.025"), ("dL/dO[1,1]", "-0.0749")],
    *[("dL/dA[0,0]", "0.0"), ("dL/dA[0,1]", "0.0"), ("dL/dA[1,0]", "0.0025"), ("dL/dA[1,1]", "-0.00749")],
    *[("dL/dSS[0,0]", "0.0"), ("dL/dSS[0,1]", "0.0"), ("dL/dK[0,0]", "0.0")],
    *[("dL/dWQ[0,0]", "0.0"), ("dL/dWQ[0,1]", "0.0"), ("WQ_new[0,0]", "0.1"), ("WQ_new[0,1]", "0.0")],
]
"""Numbers as stated, right to all their digits."""

SLIPS = [
    ("P[0]", "0.250", 0.250621),
    ("L", "1.383", 1.383780),
    ("dL/dz[0]", "0.250", 0.250621),
    ("r[1]", "-0.002515", -0.00251143),
    ("dL/dSS[1,0]", "0.002497", 0.00249995),
    ("dL/dSS[1,1]", "-0.002497", -0.00249995),
    ("dL/dS[1,0]", "0.001765", 0.00176773),
    ("dL/dS[1,1]", "-0.001765", -0.00176773),
    ("dL/dQ[1,0]", "0.0001765", 0.000176773),
    ("dL/dQ[1,1]", "-0.0001765", -0.000176773),
    ("dL/dK[0,1]", "0.0001765", 0.000176773),
    ("dL/dV[0,0]", "0.01245", 0.0124867),
    ("dL/dV[0,1]", "-0.0376", -0.0373360),
    ("dL/dWQ[1,0]", "0.0001765", 0.000176773),
    ("dL/dWQ[1,1]", "-0.0001765", -0.000176773),
    ("WQ_new[1,0]", "-0.00001765", -0.0000176773),
    ("WQ_new[1,1]", "0.10001765", 0.1000176773),
]
"""Numbers as stated that are wrong in their last digits or earlier, with the right ones."""


def agrees(value: float, stated: str) -> bool:
    """Whether a value rounds to what is stated, within half a unit of its last digit."""
    decimals = len(stated.partition(".")[2])
    return abs(value - float(stated)) <= 0.5 * 10.0**-decimals * (1 + 1e-9)


@pytest.mark.parametrize(("entry", "stated"), STATED)
def test_the_sheet_holds_the_number(entry: str, stated: str) -> None:
    assert agrees(results()[entry], stated)


@pytest.mark.parametrize(("entry", "stated", "right"), SLIPS)
def test_the_sheet_differs_from_a_wrong_number(entry: str, stated: str, right: float) -> None:
    assert not agrees(results()[entry], stated)
    assert results()[entry] == pytest.approx(right, rel=1e-5)


def test_the_step_lowers_the_loss() -> None:
    path = find_spec("two_token_model")
    problem = load_problem(path)
    sheet = worksheet(derive(problem), load_values(path.with_name("values.toml"), problem))
    before, after = re.findall(r"The loss L = ([\d.]+) becomes ([\d.]+)\.", sheet)[0]
    assert float(after) < float(before)
