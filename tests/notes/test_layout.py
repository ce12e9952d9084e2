"""Long formulas are broken where they may be, and nothing is lost."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from indexcalc.notes.layout import BETWEEN_FACTORS, LINE_WIDTH, SOFT, WEAK, chain_latex, fits, solid, width, wrapped


def test_widths_are_as_printed() -> None:
    assert width(r"A_{ij}") < width(r"A \, BC")
    assert width(r"\frac{aaaa}{b}") == width(r"\frac{b}{aaaa}")
    assert width(r"\bigl(a\bigr)") == width("(a)")
    assert width(r"\sum_{i} a") > width("a")


def test_a_short_chain_stays_on_one_line() -> None:
    assert chain_latex("a", ":=", ["b", "c"]) == "a := b = c"


def test_a_long_chain_is_aligned_at_the_equals_signs() -> None:
    part = "x" * 40
    assert chain_latex("a", "=", [part, part]) == f"\\begin{{aligned}}\na &= {part} \\\\\n&= {part}\n\\end{{aligned}}"


def test_a_wide_left_side_stands_on_a_line_of_its_own() -> None:
    left, right = "l" * 40, "r" * 40
    expected = f"\\begin{{aligned}}\n&{left} \\\\\n&\\quad = {right}\n\\end{{aligned}}"
    assert chain_latex(left, "=", [right]) == expected


@given(st.lists(st.text("abc", min_size=1, max_size=30), min_size=1, max_size=12))
def test_a_product_goes_on_with_a_sign_on_every_new_line(factors: list[str]) -> None:
    lines = wrapped(f"{BETWEEN_FACTORS}{WEAK}".join(factors), 40.0)
    assert all(line.startswith(r"\cdot ") for line in lines[1:])
    assert not any(line.endswith((r"\,", " ")) for line in lines)
    assert [factor for line in lines for factor in line.removeprefix(r"\cdot ").split(BETWEEN_FACTORS)] == factors


@given(st.lists(st.text("abc", min_size=1, max_size=30), min_size=1, max_size=12), st.sampled_from([SOFT, WEAK]))
def test_lines_hold_every_piece_and_fit_if_pieces_do(pieces: list[str], mark: str) -> None:
    text = f" {mark}+ ".join(pieces)
    lines = wrapped(text, LINE_WIDTH)
    assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", solid(text))
    assert all(width(line) <= LINE_WIDTH + 1e-6 for line in lines)


@given(
    st.lists(st.sampled_from(["a", r"\sum_{i}", SOFT, WEAK, "^{2}", r"\frac{ab}{c}", " + "]), max_size=30),
    st.floats(0, 60),
)
def test_what_fits_is_no_wider_than_the_room(pieces: list[str], room: float) -> None:
    text = "".join(pieces)
    assert fits(text, room) == (width(text) <= room)
