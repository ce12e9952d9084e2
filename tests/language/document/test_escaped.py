"""Signs of mathematics with two backslashes, as Markdown has them where it takes one away."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check
from indexcalc.language.document import read_document

TEXT = r"""Let \\(x\\) be a number: \\[y = x^2\\] and \\[\frac{dy}{dx} = 2x. \label{eq:slope} \\]
"""

SOFTMAX = r"""\\[a_i = \frac{e^{z_i}}{\sum_j e^{z_j}}\\]

\\[\begin{equation} \frac{\partial a_j}{\partial z_i} = -a_j a_i, \end{equation} \label{other} \\]
where \\(j \neq i\\).
"""


def test_in_markdown_they_are_read():
    spans = read_document(TEXT, "note.md").spans
    assert [span.text.strip() for span in spans] == ["x", "y = x^2", r"\frac{dy}{dx} = 2x. \label{eq:slope}"]
    assert [claim.verdict for claim in check(TEXT).claims] == [Verdict.DEFINITION, Verdict.PROVED]


def test_in_latex_two_backslashes_are_a_new_line():
    assert not read_document(r"a\\[2pt] b\\] c", "note.tex").spans


@pytest.mark.parametrize(
    "text", [r"$$a \\[2pt] b \\[3pt] c$$", "$$\n\\begin{aligned} a &= b \\\\[1em]\nc &= d \\end{aligned}\n$$"]
)
def test_within_mathematics_they_start_none(text):
    assert len(read_document(text, "note.md").spans) == 1


def test_a_label_between_an_equation_and_its_condition_says_nothing():
    verdicts = [claim.verdict for claim in check(SOFTMAX).claims]
    assert verdicts[1] in (Verdict.CONFIRMED, Verdict.PROVED)
    without = SOFTMAX.replace(r"where \\(j \neq i\\)", "")
    assert check(without).claims[1].verdict not in (Verdict.CONFIRMED, Verdict.PROVED)
