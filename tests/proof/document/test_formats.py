from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from indexcalc.cli.app import app
from indexcalc.errors import SpecError
from indexcalc.proof.document import check
from indexcalc.proof.document.context import read_context
from indexcalc.proof.document.formats import FORMATS

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
    assert [suite.get("failures") for suite in root] == ["1"]


def test_github_annotates_the_line():
    text = FORMATS["github"](report())
    assert text.startswith("::error file=a|b.md,line=4,col=")
    assert text.count("\n") == 1


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


def test_a_missing_document_is_a_mistake(tmp_path):
    assert CliRunner().invoke(app, ["check", str(tmp_path / "none.md")]).exit_code == 2


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
