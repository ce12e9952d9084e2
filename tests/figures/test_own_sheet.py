"""The sheet that the package writes is right in every figure; with one figure changed, it is not."""

from __future__ import annotations

import re
from functools import cache

import pytest

from indexcalc.document import Verdict
from tests.figures.support import checked, sheet

FIGURE = re.compile(r"(?<![\w.,])(?<![A-Za-z]\[)-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])")


@pytest.mark.parametrize("digits", [1, 2, 3, 4, 6, 9, 12, 15])
def test_every_figure_is_right(digits: int) -> None:
    report = checked(sheet(digits))
    assert {claim.verdict for claim in report.claims} == {Verdict.CONFIRMED}
    assert len(report.claims) > 350


@cache
def places() -> list[tuple[int, int]]:
    """Every figure of the sheet in its two passes and the update, but for those in titles."""
    text = sheet()
    start, last = text.index("## 2 Forward"), text.index("The loss L")
    return [
        match.span()
        for match in FIGURE.finditer(text, start, last)
        if not text[text.rfind("\n", 0, match.start()) + 1 :].startswith("#")
    ]


def changed(text: str, start: int, end: int, by: int) -> str:
    """The text with the last digit of one figure changed by one."""
    digits, mark, exponent = text[start:end].partition("e")
    decimals = len(digits.partition(".")[2])
    number = f"{float(digits) + by * 10.0**-decimals:.{decimals}f}"
    return f"{text[:start]}{number}{mark}{exponent}{text[end:]}"


def refuted_at(text: str, position: int) -> bool:
    """Whether a refuted claim starts on the line of a position, or rows above it in a matrix."""
    line = text.count("\n", 0, position) + 1
    rows = 3 if text[text.rfind("\n", 0, position) + 1 :].lstrip().startswith("[") else 0
    return any(line - rows <= claim.line <= line for claim in checked(text).refuted)


def missed(by: int, first: int, step: int) -> list[str]:
    """The lines on which a changed figure is not refuted."""
    found = []
    for start, end in places()[first::step]:
        text = changed(sheet(), start, end, by)
        if not refuted_at(text, start):
            found.append(text[text.rfind("\n", 0, start) + 1 : text.find("\n", end)])
    return found


@pytest.mark.parametrize("by", [-2, 2])
def test_a_figure_off_by_two_is_refuted_where_it_stands(by: int) -> None:
    assert not missed(by, by % 3, 31)


def test_a_figure_off_by_one_is_refuted_unless_the_rounded_figures_above_give_it() -> None:
    assert len(missed(1, 0, 23)) <= 2
