"""What is said to a person who reads a report: how a line was read, and which line of a context would settle it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from indexcalc.document.check import check
from indexcalc.document.explanation import WORDS
from indexcalc.document.remedies import suggested_context
from indexcalc.document.report import TRUE, Verdict
from indexcalc.errors import SpecError

DOCUMENTS = Path(__file__).parent.parent / "reading" / "documents"
ENOUGH = 10
"""How many relations would hold under an assumption, at least."""

LINEAR = r"""
$$y = W x$$

$$L = \frac{1}{2} \|y - t\|^2$$

$$\frac{\partial L}{\partial W} = (y - t) x^\top$$
"""

OPEN = r"""
$$\frac{\partial z_i}{\partial q_j} = 2 q_i$$
"""


def would_hold():
    """Documents with a relation that would hold under an assumption, from the tables of small documents."""
    for path in sorted(DOCUMENTS.glob("*.toml")):
        for row in tomllib.loads(path.read_text())["document"]:
            if "context" not in row:
                report = check(row["text"], row.get("name", "note.md"))
                yield from (
                    (row["text"], row.get("name", "note.md"), claim)
                    for claim in report.unclear
                    if claim.reason.startswith("it would hold if")
                )


def test_what_would_hold_if_something_is_assumed_holds_once_a_context_assumes_it():
    tried = 0
    for text, name, claim in would_hold():
        after = check(text, name, claim.suggestion)
        (same,) = (c for c in after.claims if c.place == claim.place)
        assert same.verdict in TRUE or same.reason.startswith("it equals a member before it"), (text, claim, same)
        tried += 1
    assert tried >= ENOUGH


def test_an_assumption_in_the_words_of_a_report_settles_a_choice():
    assert check(LINEAR, context="assume t is a vector").claims[-1].verdict in TRUE
    report = check(LINEAR, context="assume t is a matrix")
    assert report.claims[-1].verdict not in TRUE


def test_an_assumption_of_what_nothing_asks_is_a_mistake():
    with pytest.raises(SpecError, match="leaves open whether t is a tree: assume t is a tree"):
        check(LINEAR, context="assume t is a tree")


def test_an_assumption_holds_on_the_lines_of_its_scope():
    text = LINEAR + LINEAR
    report = check(text, context="scope lines 1-7\nassume t is a matrix")
    first, second = (claim.verdict for claim in report.claims if "x^" in claim.latex)
    assert first not in TRUE
    assert second in TRUE
    with pytest.raises(SpecError, match=r"scope lines 90-95: note\.md has 7 lines"):
        check(LINEAR, context="scope lines 90-95\nassume t is a matrix")


def test_a_suggested_context_can_be_read_as_it_is():
    text = LINEAR + OPEN
    said = suggested_context([check(text)])
    assert re.search(r"^# z = …\s+# 1 relation, line 8$", said, re.MULTILINE), said
    assert [c.verdict for c in check(text, context=said).claims] == [c.verdict for c in check(text).claims]


def test_names_without_an_equation_get_a_line_to_be_filled_in():
    (claim,) = check(r"$$\frac{\partial y_i}{\partial x_j} = 2 x_i$$").claims
    assert claim.verdict is Verdict.UNCLEAR
    assert claim.suggestion == "y = …"
    assert "y = …" in suggested_context([check(r"$$\frac{\partial y_i}{\partial x_j} = 2 x_i$$")])


def test_where_nothing_would_help_the_context_says_so():
    assert suggested_context([check(LINEAR)]).startswith("# Nothing that a context can say")


def test_an_explanation_names_shapes_and_what_speaks_for_the_choices():
    claim = check(LINEAR, explain={6}).claims[-1]
    found = {one.name: one for one in claim.explanation.names}
    assert found["W"].shape == WORDS[2]
    assert found["y"].source == "defined at line 2"
    assert found["L"].source == "defined at line 4"
    choices = {one.phrase: one.support for one in claim.explanation.choices}
    assert choices["the derivative of a number has the shape of what it is taken by"] == "usual"
    assert all(c.explanation is None for c in check(LINEAR).claims)
