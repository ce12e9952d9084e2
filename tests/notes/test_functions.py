"""A note says what its functions and brackets stand for, those that it has and no others."""

from __future__ import annotations

import re

import pytest

from indexcalc.calculus.pointwise import ROWS, TABLE, call_text
from indexcalc.document import Verdict, check
from indexcalc.language import read_problem
from indexcalc.notes import html_note, latex_note, markdown_note
from indexcalc.rewrite.derive import derive
from tests.notes.problems import PROBLEMS

DEFINED = [row for row in ROWS if row.definition]
INTEGRAL = {"erf"}
"""Defined by what the check of documents does not read."""


def note_on(formula: str, *options: str) -> str:
    text = "\n".join(["index i, j : N", "input x[i], M[i,j]", *options, formula, "derive x", ""])
    return markdown_note(derive(read_problem(text)))


@pytest.mark.parametrize("row", [row for row in DEFINED if row.name not in INTEGRAL], ids=lambda row: row.name)
def test_a_definition_is_right(row) -> None:
    note = note_on(f"y[i] = {call(row)}")
    (formula,) = re.findall(rf"^- \$`(\\operatorname\{{{row.name}\}}.*)`\$$", note, re.MULTILINE)
    entries = re.sub(r"(?<![a-z0-9\\])([xyz])(?![a-z0-9])", r"\1_n", formula)
    # What stands on the left is what the reader knows by its name: the page says nothing of it.
    left, right = entries.split(" = ")
    report = check(f"$$a_n = {left}$$\n\n$$a_n = {right}$$")
    assert [claim.verdict for claim in report.claims][1:] in ([Verdict.PROVED], [Verdict.CONFIRMED])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_function_that_is_printed_by_a_name_of_our_own_is_defined(row) -> None:
    assert (r"\operatorname" in row.latex) == bool(row.definition)


def call(row) -> str:
    """The function of as many entries as it takes."""
    return call_text(row.name, ["x[i]", "sin(x[i])", "x[i]^2"][: len(row.derivatives)])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_name_in_a_note_is_defined_in_it_once(row) -> None:
    note = note_on(f"y[i] = {call(row)} * x[i]")
    names = set(re.findall(r"\\operatorname\{(\w+)\}", note)) & set(TABLE)
    for name in names:
        assert len(re.findall(rf"^- \$`\\operatorname\{{{name}\}}", note, re.MULTILINE)) == 1
    assert len(re.findall(r"^- \$`\\operatorname", note, re.MULTILINE)) == len(names)


def test_brackets_are_explained_where_there_are_some() -> None:
    masked = note_on("y[i] = sum[j]([j <= i] * M[i,j] * x[j])")
    assert "A bracket such as $`[j \\le i]`$ is 1 where the relation inside it holds, and 0 elsewhere." in masked
    assert "A bracket such as $`[x > 0]`$" in note_on("y[i] = relu(x[i])")
    assert "A bracket" not in note_on("y[i] = sigmoid(x[i])")


def test_a_note_without_them_says_nothing() -> None:
    note = markdown_note(derive(PROBLEMS["attention"]()))
    assert "Functions that occur" not in note
    assert "A bracket" not in note


def test_all_formats_have_them() -> None:
    derivation = derive(read_problem("index i : N\ninput x[i]\ny[i] = gelu(x[i])\nderive x\n"))
    assert r"\item \(\operatorname{erf}(x) = (2/\sqrt{\pi}) \int_{0}^{x}" in latex_note(derivation)
    assert "∫" in html_note(derivation)
