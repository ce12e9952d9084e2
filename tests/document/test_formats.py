from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from indexcalc.cli.app import app
from indexcalc.document import check
from indexcalc.document.formats import FORMATS
from indexcalc.document.report import Claim, Verdict, report_of, summary
from indexcalc.document.statements.context import read_context
from indexcalc.errors import SpecError

WRONG = r"""
$$Y_{no} = \sum_f X_{nf} W_{of}$$

$$\frac{\partial L}{\partial W_{of}} = -\sum_n \frac{\partial L}{\partial Y_{no}} X_{nf}$$
"""


def report():
    return [check(WRONG, "a|b.md")]


def test_json_has_one_object_a_claim_and_a_summary():
    found = json.loads(FORMATS["json"](report()))
    assert [claim["verdict"] for claim in found["claims"]] == ["definition", "refuted"]
    assert found["claims"][1]["line"] == 4
    assert found["claims"][1]["reason"] == "the sign is wrong"
    assert found["summary"]["refuted"] == 1


def test_junit_is_xml_with_one_failure():
    root = ElementTree.fromstring(FORMATS["junit"](report()))
    (suite,) = root
    counts = [suite.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["2", "1", "0", "0"]
    assert [case.get("name")[:19] for case in suite] == ["line 2, column 12: ", "line 4, column 40: "]
    assert [[kind.tag for kind in case] for case in suite] == [[], ["failure"]]


def test_two_relations_of_one_line_have_two_names():
    text = FORMATS["junit"]([check("$$a_i = b_i, \\quad a_i = b_i$$")])
    names = [case.get("name") for case in ElementTree.fromstring(text).iter("testcase")]
    assert len(set(names)) == 2


def test_github_annotates_the_line():
    text = FORMATS["github"](report())
    assert text.startswith("::error file=a|b.md,line=4,col=")
    assert text.count("\n") == 1


def test_github_escapes_what_would_end_a_property_or_a_message():
    claim = Claim("a,b:50%.md", 3, 7, "= x", Verdict.REFUTED, "10% off\nhere, so: wrong")
    (line, rest) = FORMATS["github"]([report_of("a,b:50%.md", [claim])]).split("\n")
    assert rest == ""
    assert line == "::error file=a%2Cb%3A50%25.md,line=3,col=7::refuted: 10%25 off%0Ahere, so: wrong"


def test_json_has_the_fields_of_a_claim_and_counts_every_verdict():
    found = json.loads(FORMATS["json"](report()))
    fields = ["file", "line", "column", "latex", "verdict", "reason", "counterexample", "correction"]
    assert [list(claim)[:8] for claim in found["claims"]] == [fields, fields]
    assert {*found["summary"]} == {str(verdict) for verdict in Verdict}
    assert sum(found["summary"].values()) == len(found["claims"])


@pytest.mark.parametrize("name", ["a.md", "a_document_of_a_long_name.md"])
def test_the_terminal_parts_the_name_of_a_document_from_its_counts(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(WRONG, encoding="utf-8")
    shown = CliRunner().invoke(app, ["check", name]).stdout.splitlines()
    assert f"{name:7} 1 refuted, 1 definition" in shown


def test_markdown_names_the_verdict_beside_the_relation():
    assert "✗ refuted" in FORMATS["md"](report())


RIGHT = r"\sum_{n} \frac{\partial L}{\partial Y_{no}} X_{nf}"


@pytest.mark.parametrize("name", ["md", "junit", "github"])
def test_every_format_shows_the_correction(name):
    assert f"correct: {RIGHT}" in FORMATS[name](report()).replace("$`", "")


def test_json_has_the_correction_as_latex():
    assert [claim["correction"] for claim in json.loads(FORMATS["json"](report()))["claims"]] == ["", RIGHT]


def test_the_terminal_shows_the_correction_under_the_line(tmp_path):
    path = tmp_path / "note.md"
    path.write_text(WRONG, encoding="utf-8")
    shown = CliRunner().invoke(app, ["check", str(path)], env={"COLUMNS": "200"}).stdout
    (row,) = [line for line in shown.splitlines() if "correct " in line]
    assert RIGHT in row


@pytest.mark.parametrize(("text", "code"), [(WRONG, 1), (WRONG.replace("-", ""), 0), ("no formulas", 0)])
def test_exit_codes(tmp_path, text, code):
    path = tmp_path / "note.md"
    path.write_text(text, encoding="utf-8")
    assert CliRunner().invoke(app, ["check", str(path)]).exit_code == code


def test_strict_fails_for_what_is_not_understood(tmp_path):
    path = tmp_path / "note.md"
    path.write_text(r"$$\int x = 1$$", encoding="utf-8")
    assert CliRunner().invoke(app, ["check", str(path)]).exit_code == 0
    assert CliRunner().invoke(app, ["check", "--strict", str(path)]).exit_code == 1


def test_a_document_that_is_missing_or_cannot_be_read_is_a_mistake(tmp_path):
    (tmp_path / "latin.md").write_bytes(b"$a = b$ \xff")
    for path in (tmp_path / "none.md", tmp_path, tmp_path / "latin.md"):
        assert CliRunner().invoke(app, ["check", str(path)]).exit_code == 2


def test_a_document_comes_from_standard_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "right.md").write_text(WRONG.replace("-", ""), encoding="utf-8")
    result = CliRunner().invoke(app, ["check", "right.md", "-"], input=WRONG, env={"COLUMNS": "200"})
    assert result.exit_code == 1
    counts = [line for line in result.stdout.splitlines() if line.startswith(("right.md ", "standard input "))]
    assert ["1 refuted" in line for line in counts if "definition" in line] == [False, True]


def test_standard_input_is_read_once_and_is_text(tmp_path):
    twice = CliRunner().invoke(app, ["check", "-", "-"], input="$a = 2$")
    assert (twice.exit_code, "once only" in twice.stderr) == (2, True)
    both = CliRunner().invoke(app, ["check", "-", "--context", "-"], input="$a = 2$")
    assert both.exit_code == 2
    broken = CliRunner().invoke(app, ["check", "-"], input=b"\xff")
    assert (broken.exit_code, "standard input: it is not UTF-8" in broken.stderr) == (2, True)


def test_a_context_gives_the_forward_pass():
    note = r"$$G_W = X^\top G_Y$$"
    assert not check(note).refuted
    found = check(note, context="Y = X W\nadjoint G_* = dL/d*")
    assert [str(claim.verdict) for claim in found.claims] == ["proved"]


@pytest.mark.parametrize(
    "line", ["alias F", "function f = nothing", "convention none", "adjoint G", "assume x", "a line of prose"]
)
def test_a_mistake_in_a_context_is_said(line):
    with pytest.raises(SpecError):
        read_context([line])


@pytest.mark.parametrize(
    "latex", ["{" * 5000, "x_{i} + " * 40_000 + "y", r"\frac{1}{" * 200, "$" * 1000, r"\sum" * 3000]
)
def test_a_slow_document_ends_in_a_message(latex):
    assert not check(f"$$a = {latex}$$").refuted


def test_the_last_name_of_a_claim_is_reported_whole():
    report = check("$$Y = X W$$\n\n$$dX = dY W^\\top, \\quad dW = X^\\top dY$$\n")
    assert [claim.latex for claim in report.claims] == ["= X W", r"= dY W^\top", r"= X^\top dY"]


def test_html_marks_each_relation_and_says_what_is_wrong_beside_its_line():
    (one,) = report()
    page = FORMATS["html"]([one])
    root = ElementTree.fromstring(re.sub(r"<!DOCTYPE html>|<meta[^>]*>", "", page))
    rows = root.findall(".//tr")
    assert ["".join(row[1].itertext()) for row in rows] == one.source.splitlines()
    marks = {(row.get("id"), mark.get("class"), mark.text) for row in rows for mark in row.iter("mark")}
    assert marks == {
        ("L2", "given", r"\sum_f X_{nf} W_{of}"),
        ("L4", "wrong", r"-\sum_n \frac{\partial L}{\partial Y_{no}} X_{nf}"),
    }
    said = " ".join(rows[3][2].itertext())
    assert said.startswith("refuted")
    assert f"correct: {RIGHT}" in " ".join(said.split())


def test_html_shows_what_a_stranger_wrote_as_text():
    page = FORMATS["html"]([check("<script>alert(1)</script> $a_i = <b>b_i</b>$", "<i>.md")])
    assert "<script>" not in page
    assert "<i>" not in page


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no mathematics", "No relation here claims anything"),
        ("$y_i = x_i^2$\n\n$\\frac{\\partial y_i}{\\partial x_i} = 2 x_i$", "1 of 1 relations that claim something"),
        (r"$\frac{\partial y_i}{\partial x_j} = 2 x_i$", "says nothing of the document yet"),
        (WRONG, "1 of them is wrong"),
    ],
)
def test_a_summary_says_what_was_judged(text, said):
    assert said in summary(check(text))
