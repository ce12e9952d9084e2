"""The table of what is known of documents: it can be read, and its labels are about lines that are there."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.reading.known import (
    FILES,
    MARK,
    ROOT,
    SHARED,
    TABLES,
    Document,
    Kind,
    Label,
    known_files,
    rows_of,
    small_documents,
)


def assert_lines_exist(document: Document) -> None:
    lines = document.text.splitlines()
    for label in document.labels:
        assert 1 <= label.first <= label.last <= len(lines), (document.name, label)
        assert all(lines[number - 1].strip() for number in (label.first, label.last)), (document.name, label)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_a_table_has_documents_with_labels_on_their_lines(table):
    documents = list(small_documents(table))
    assert documents
    assert max(Counter(document.name for document in documents).values()) == 1
    for document in documents:
        assert MARK not in document.text
        assert document.rest is Kind.TRUE
        assert_lines_exist(document)


def test_every_kind_of_claim_is_there():
    kinds = {label.kind for table in TABLES for one in small_documents(table) for label in one.labels}
    assert kinds == {Kind.TRUE, Kind.WRONG, Kind.OPEN, Kind.DEBATABLE}


TABLE = r"""
[[document]]
name = 'a square'
text = '''
$$y = x^2$$

$$CLAIM$$

$$z = 3 x$$
'''
lines = { wrong = [5] }
true = ['\frac{dy}{dx} = 2 x']
wrong = ['''
\frac{dy}{dx}
= x''']

[[document]]
name = 'a cube'
file = 'note.tex'
text = '$y = x^3$'
context = 'size n = x.1'
open = ['y = v']
"""


def test_a_formula_stands_behind_the_text_or_at_its_mark_and_moves_the_lines_below(tmp_path):
    (tmp_path / "powers.toml").write_text(TABLE, encoding="utf-8")
    right, wrong, cube = small_documents(tmp_path / "powers.toml")
    assert right.text == "$$y = x^2$$\n\n$$\\frac{dy}{dx} = 2 x$$\n\n$$z = 3 x$$\n"
    assert right.labels == (Label(3, 3, Kind.TRUE), Label(5, 5, Kind.WRONG))
    assert wrong.labels == (Label(3, 4, Kind.WRONG), Label(6, 6, Kind.WRONG))
    assert [wrong.kind_at(line) for line in (1, 4, 5, 6)] == [Kind.TRUE, Kind.WRONG, Kind.TRUE, Kind.WRONG]
    assert (cube.name, cube.group, cube.file) == ("a cube, open 1", "powers", "note.tex")
    assert (cube.text, cube.context) == ("$y = x^3$\n\n$$y = v$$\n", "size n = x.1")
    assert cube.labels == (Label(3, 3, Kind.OPEN),)


def test_every_row_of_the_project_is_about_files_that_are_there():
    own = {row.document for row in rows_of() if not row.document.isdigit()}
    assert own
    assert all(list(ROOT.glob(name)) for name in own)


def test_no_line_of_a_file_has_two_labels():
    spans = [(row.document, row.lines) for row in rows_of()]
    assert max(Counter(spans).values()) == 1
    assert FILES.read_text(encoding="utf-8").count("\n") == len(spans) + 1


@pytest.mark.skipif(not SHARED.is_dir(), reason="the public notes are not at hand")
def test_labels_of_public_notes_are_on_lines_that_are_there():
    documents = list(known_files())
    for number in {row.document for row in rows_of() if row.document.isdigit()}:
        assert [one for one in documents if one.name.startswith(f"{number}_")], number
    assert any(one.context for one in documents)
    for document in documents:
        assert_lines_exist(document)
