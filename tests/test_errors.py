"""What errors say of a place."""

from indexcalc.errors import EXCERPT_LIMIT, Place


def test_of_a_long_line_the_part_around_the_place_is_shown():
    text = "a" * 5000 + "X" + "b" * 5000
    line, caret = Place("spec.ixc", 1, 5001, text).excerpt().split("\n")
    assert line[caret.index("^")] == "X"
    assert len(line) <= EXCERPT_LIMIT + 4
    assert line.strip().startswith("…")
    assert line.endswith("…")
    start, below = Place("spec.ixc", 1, 3, text).excerpt().split("\n")
    assert (start[2], below.index("^")) == ("a", 4)


def test_a_short_line_is_shown_whole():
    assert Place("spec.ixc", 1, 3, "a\tX").excerpt() == "  a\tX\n   \t^"
