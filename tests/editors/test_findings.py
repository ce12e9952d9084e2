"""What is said of a text: places that are right, and corrections that make a relation right."""

from __future__ import annotations

import tomllib

from indexcalc.document.check import check
from indexcalc.document.report import Verdict
from indexcalc.editors.answering import answers
from indexcalc.editors.findings import findings
from indexcalc.editors.positions import Positions
from tests.editors.support import ATTENTION
from tests.support.pages import ROOT

PAGES = [
    one["text"]
    for name in ("judging", "written")
    for one in tomllib.loads((ROOT / "tests/reading/documents" / f"{name}.toml").read_text("utf-8"))["document"]
]


def told(text, name="note.md"):
    lines = Positions(text, "utf-32")
    request = {"kind": "document", "text": text, "file": name}
    return [one for answer in answers(request) for one in findings(answer, lines, name)]


def wrong_pages():
    for text in PAGES:
        if any(claim.correction for claim in check(text, "note.md").refuted):
            yield text


def test_a_quick_fix_makes_its_relation_right():
    count = 0
    for text in wrong_pages():
        for one in told(text):
            if one.severity == "error" and one.instead:
                mended = text[: one.start] + one.instead + text[one.end :]
                left = [claim for claim in check(mended, "note.md").refuted if claim.place[0] == one.start]
                assert left == [], (text, one)
                count += 1
    assert count >= 10


def test_every_refuted_relation_is_told_where_it_stands():
    for text in list(wrong_pages())[:5]:
        refuted = [c for c in check(text, "note.md").claims if c.verdict is Verdict.REFUTED]
        errors = [one for one in told(text) if one.severity == "error"]
        assert [one.start for one in errors] == [claim.place[0] for claim in refuted]


def test_what_the_engine_says_of_a_spec_is_what_the_command_says():
    read, derived, judged = answers({"kind": "spec", "text": ATTENTION, "file": "mine.ixc"})
    assert read["tensors"]["A"] == {
        "shape": "T × T",
        "doc": "weights",
        "equation": "A[i,j] = exp(S[i,j]) / Z[i]",
    }
    assert derived["gradients"]["V"] == "dL/dV[j,p] = Σ_i G[i,p] A[i,j]"
    assert judged["claims"] == []


def test_a_mistake_in_another_file_is_told_in_the_first_line():
    lines = Positions("index i : N\n", "utf-32")
    answer = {"kind": "error", "message": "no", "place": {"file": "other.ixc", "line": 7, "column": 2}}
    (one,) = findings(answer, lines, "mine.ixc")
    assert (one.start, one.end, one.message) == (0, 11, "other.ixc:7: no")
