"""Places in a document: its lines, and the heading above a position."""

from __future__ import annotations

import pytest

from indexcalc.language.document.model import Document

SOURCE = "before\n# One\ntext $a$\n  ## Two $b$\n\\section{Three}\nlast\n"


@pytest.mark.parametrize(
    ("at", "heading"),
    [("before", ""), ("$a$", "# One"), ("b$\n", "## Two $"), ("last", "\\section{Three}")],
)
def test_the_heading_is_that_above_a_position(at, heading):
    assert Document("note.md", SOURCE, ()).heading(SOURCE.index(at)) == heading


def test_lines_are_counted_from_one():
    document = Document("note.md", SOURCE, ())
    assert [document.line_text(line) for line in (1, 3, 6, 9)] == ["before", "text $a$", "last", ""]
