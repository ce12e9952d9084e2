"""The layout of formulas: what the printer writes is read, and nothing else."""

from __future__ import annotations

import pytest

from indexcalc.errors import LimitError
from indexcalc.notes.formula import Bracketed, Kind, Leaf, Row, Scripted
from indexcalc.notes.formula_reader import DEPTH, FormulaError, read_formula
from indexcalc.notes.layout import SOFT, WEAK


def letter(text: str) -> Leaf:
    return Leaf(Kind.LETTER, text)


def test_an_exponent_belongs_to_the_whole_bracket() -> None:
    (power,) = read_formula("(a - b)^{2}").items
    bracket = Bracketed("(", Row((letter("a"), Leaf(Kind.SIGN, "−"), letter("b"))), ")", 0)
    assert power == Scripted(bracket, None, Row((Leaf(Kind.NUMBER, "2"),)))


def test_marks_of_line_breaks_are_no_part_of_a_formula() -> None:
    assert read_formula(f"a {SOFT}+ {WEAK}b") == read_formula("a + b")


@pytest.mark.parametrize(("latex", "numbers"), [("10.25 x", ["10.25"]), ("A_{0,12}", ["0", "12"]), ("2 3", ["2", "3"])])
def test_numbers_are_read_whole(latex: str, numbers: list[str]) -> None:
    found = []

    def visit(row: Row) -> None:
        for item in row.items:
            if isinstance(item, Leaf) and item.kind is Kind.NUMBER:
                found.append(item.text)
            if isinstance(item, Scripted) and item.below is not None:
                visit(item.below)

    visit(read_formula(latex))
    assert found == numbers


@pytest.mark.parametrize("latex", ["[0, 1)", "(0, 1]", r"\left[0, 1\right)"])
def test_intervals_may_be_half_open(latex: str) -> None:
    (interval,) = read_formula(latex).items
    assert isinstance(interval, Bracketed)
    assert (interval.left, interval.right) == (latex.replace(r"\left", "")[0], latex[-1])


def test_a_bracket_may_be_closed_on_a_later_line() -> None:
    text = "\\begin{aligned}\nx &= \\Bigl(a \\\\\n&\\qquad + b\\Bigr)^{2} + (c\n\\end{aligned}"
    assert read_formula(text)


@pytest.mark.parametrize("latex", [r"\input{x}", "{a", "a}", "a_{b}_{c}", r"\frac{a}", "a & b", r"\mathbb{Q}", "#"])
def test_what_no_printer_writes_is_refused(latex: str) -> None:
    with pytest.raises(FormulaError):
        read_formula(latex)


def test_nesting_is_bounded() -> None:
    with pytest.raises(LimitError, match=str(DEPTH)):
        read_formula("{" * (DEPTH + 1) + "}" * (DEPTH + 1))
