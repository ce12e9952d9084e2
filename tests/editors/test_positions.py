"""Places as editors count them, against the bytes of the encodings."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexcalc.editors.positions import Positions, plain

TEXTS = st.text(st.sampled_from("ab 𝔵é\n\r\u2028\x0c"), max_size=40)
WIDTHS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


@given(TEXTS, st.sampled_from(sorted(WIDTHS)), st.data())
def test_a_position_is_what_the_bytes_before_it_say(text, encoding, data):
    lines = Positions(text, encoding)
    offset = data.draw(st.integers(0, len(lines.text)))
    before = lines.text[:offset].split("\n")
    codec, width = WIDTHS[encoding]
    assert lines.position(offset) == (len(before) - 1, len(before[-1].encode(codec)) // width)
    assert lines.offset(*lines.position(offset)) == offset


@given(TEXTS)
def test_lines_end_where_the_protocol_ends_them(text):
    lines = Positions(text, "utf-16")
    assert [lines.line(number) for number in range(len(lines.starts))] == plain(text).split("\n")
    assert lines.line(len(lines.starts)) == ""


def test_what_lies_outside_is_brought_inside():
    lines = Positions("ab\ncd", "utf-16")
    assert lines.offset(0, 99) == 2
    assert lines.offset(9, 9) == 5
    assert lines.position(99) == (1, 2)
    assert lines.of_place(1, 99) == 2
    assert lines.of_place(99, 1) == 3
