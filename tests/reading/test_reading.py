"""The score of a checker, on one that always says the same."""

from __future__ import annotations

import json

import pytest

from benchmarks.reading import (
    Claim,
    Result,
    changes,
    claims_of,
    documents_of,
    figures,
    kept,
    listed,
    result_of,
    scores,
)
from indexcalc.errors import LimitError
from tests.reading.known import Document, Kind, Label, Row

LABELS = (
    Label(2, 2, Kind.TRUE),
    Label(3, 3, Kind.TRUE),
    Label(4, 4, Kind.WRONG),
    Label(5, 6, Kind.WRONG),
    Label(7, 7, Kind.KNOWN_ERROR),
    Label(8, 8, Kind.KNOWN_ERROR),
    Label(9, 9, Kind.OPEN),
    Label(10, 10, Kind.OPEN),
    Label(11, 11, Kind.DEBATABLE),
)
NOTE = Document("a note", "a table", "note.md", "", labels=LABELS, rest=Kind.TRUE)

SAID = [
    (1, "refuted"),
    (2, "proved"),
    (2, "condition"),
    (3, "refuted"),
    (4, "refuted"),
    (5, "not understood"),
    (6, "confirmed"),
    (7, "refuted"),
    (7, "proved"),
    (8, "not understood"),
    (9, "proved"),
    (10, "definition"),
    (11, "refuted"),
    (12, "schematic"),
]
"""Lines, and what the checker says of them."""

LISTS = {"wrongly": [1, 3], "missed": [5, 8], "believed": [5], "open": [9], "unconfirmed": [3]}
"""The lines that belong to each list."""


def fixed(document: Document) -> list[Claim]:
    return [Claim(line, 3, f"= {line}", verdict) for line, verdict in SAID]


def test_the_figures_of_a_checker_that_always_says_the_same():
    found = scores(result_of(NOTE, fixed))
    claims = {"relations": 14, "understood": 12, "judged": 9, "refuted": 5}
    refuted = {"rightly": 2, "wrongly": 2, "unlabelled": 0}
    labels = {"any wrong": 2, "of any wrong": 4, Kind.KNOWN_ERROR: 1, f"of {Kind.KNOWN_ERROR}": 2}
    others = {"believed": 1, "open": 1, "of open": 2, "true": 1, "of true": 2}
    for name, count in (claims | refuted | labels | others).items():
        assert found[name] == count, name
    assert figures(found)[:-1] == ["14", "86 %", "64 %", "0 %", "5", "2", "2", "0", "1/2", "2/4", "1", "1/2", "1/2"]


def test_without_labels_every_refutation_is_unlabelled():
    found = scores(result_of(Document("a note", "a note", "note.md", ""), fixed))
    assert (found["refuted"], found["unlabelled"], found["rightly"], found["wrongly"]) == (5, 5, 0, 0)


def test_lists_name_the_claims_that_are_counted():
    result = result_of(NOTE, fixed)
    lines = {what: [line.split(":")[1] for line in listed(result, what) if line[0] != " "] for what in LISTS}
    assert lines == {what: [f" a note, line {line}" for line in numbers] for what, numbers in LISTS.items()}


def test_a_document_that_is_refused_has_no_relations():
    def refusing(document: Document) -> list[Claim]:
        raise LimitError("too long")

    result = result_of(NOTE, refusing)
    assert (result.refused, result.claims) == ("too long", ())
    assert scores(result)["refused"] == 1
    with pytest.raises(ZeroDivisionError):
        result_of(NOTE, lambda document: [1 / 0])


def test_two_runs_are_compared_by_place_and_text():
    before = kept([result_of(NOTE, fixed)])
    assert json.loads(json.dumps(before)) == before
    now = [dict(one) for one in before]
    now[0]["verdict"] = "proved"
    now[1]["verdict"] = "confirmed"
    now[6]["verdict"] = "refuted"
    found = changes(before, now[:-3])
    assert {change: len(lines) for change, lines in found.items()} == {
        "newly refuted": 1,
        "no longer refuted": 2,
        "newly true": 1,
        "no longer true": 1,
    }
    assert found["newly true"] == ["a table: a note, line 1: refuted -> proved: = 1"]


def test_folders_files_and_tables_hold_documents(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "07_note.tex").write_text("$a = b$", encoding="utf-8")
    (tmp_path / "deep" / "notes.txt").write_text("$a = b$", encoding="utf-8")
    table = tmp_path / "small.toml"
    table.write_text("[[document]]\nname = 'one'\ntext = '$a = b$'\nopen = ['a = c']\n", encoding="utf-8")
    rows = (Row("07", (1, 1), Kind.WRONG, ""), Row("08", None, Kind.TRUE, ""))
    below, small = documents_of([tmp_path, table], rows)
    assert (below.name, below.file, below.labels, below.rest) == (
        "deep/07_note.tex",
        "07_note.tex",
        (Label(1, 1, Kind.WRONG),),
        None,
    )
    assert small.name == "one, open 1"


def test_the_checker_is_asked_for_every_relation():
    text = "$$y_i = 2 x_i$$\n\n$$\\frac{\\partial y_i}{\\partial x_i} = 3$$\n"
    claims = claims_of(Document("a note", "a note", "note.md", text))
    assert [(claim.line, claim.verdict) for claim in claims] == [(1, "definition"), (3, "refuted")]
    assert isinstance(result_of(Document("a note", "a note", "note.md", text)), Result)
