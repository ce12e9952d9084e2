"""A wrong definition is refuted where the rest of the document states it again, rightly, and holds by that alone."""

from __future__ import annotations

import pytest

from indexcalc.document.check import check
from indexcalc.document.report import Claim, Verdict
from indexcalc.library import shipped_paths

BROKEN = {
    "ridge": (r"L = \frac{1}{2 N} \sum_{n} r", r"L = \frac{1}{3 N} \sum_{n} r"),
    "huber": (r"L = \sum_{n} \Bigl(\frac{1}{N} \, c_{n}", r"L = \sum_{n} \Bigl(\frac{2}{N} \, c_{n}"),
    "poisson_regression": (r"L = \frac{1}{N} \sum_{n} (\mu_{n} -", r"L = \frac{1}{N} \sum_{n} (\mu_{n} +"),
    "hinge_svm": (r"\operatorname{relu}(s_{n}) + \frac", r"\operatorname{relu}(s_{n}) - \frac"),
}
"""Shipped notes, and a mistake in a definition that they restate twice."""


@pytest.mark.parametrize("name", BROKEN)
def test_a_wrong_definition_of_a_shipped_note_is_refuted_at_its_line_and_no_other(name):
    note = shipped_paths()[name].with_suffix(".md").read_text(encoding="utf-8")
    right, wrong = BROKEN[name]
    before, after = note.split(right, 1)
    assert "### Forward pass" in before
    assert "## Index convention" in after
    refuted = [claim for claim in check(before + wrong + after).claims if claim.verdict is Verdict.REFUTED]
    assert [claim.line for claim in refuted] == [before.count("\n") + 1]
    assert "says otherwise, and what follows holds by that alone" in refuted[0].reason
    rest = after.split("\n```", 1)[1]
    corrected = f"{before}L = {refuted[0].correction}\n```{rest}"
    assert Verdict.REFUTED not in {claim.verdict for claim in check(corrected).claims}


RESIDUALS = r"r_n = \sum_f X_{nf} w_f - y_n"
LOSS = r"L = \frac{{1}}{{{}}} \sum_{{n}} r_n^2"
SLOPE = r"\frac{\partial L}{\partial r_n} = r_n"
OTHER_SLOPE = r"\frac{\partial L}{\partial r_n} = \frac{2}{3} r_n"


def first_loss(*displays: str) -> Claim:
    """The claim on the first equation of the loss in a document of these displays; what has no sign is prose."""
    blocks = (f"$${text}$$" if "=" in text else text for text in displays)
    return next(claim for claim in check("\n\n".join(blocks)).claims if r"r_n^2" in claim.latex)


START = ("# Model", RESIDUALS, LOSS.format(3))
ONCE = ("# Slope", LOSS.format(2), SLOPE)
TWICE = ("# Again", LOSS.format(2))
RESTING = (r"\frac{\partial L}{\partial w_f} = \sum_n r_n X_{nf}",)


def test_a_definition_that_two_restatements_contradict_is_refuted():
    found = first_loss(*START, *ONCE, *TWICE, *RESTING)
    assert found.verdict is Verdict.REFUTED
    assert found.correction == r"\frac{1}{2} \sum_{n} r_n^2"


@pytest.mark.parametrize(
    "displays",
    [
        (*START, *ONCE, *RESTING),
        (*START, *ONCE, "# Again", LOSS.format(4), *RESTING),
        (*START, OTHER_SLOPE, *ONCE, *TWICE, *RESTING),
        (*START, "# Slope", "Now consider", LOSS.format(2), SLOPE, *TWICE, *RESTING),
        (*START, "# Slope", LOSS.format(2), *TWICE),
        ("# Model", LOSS.format(3), "# Slope", RESIDUALS, LOSS.format(2), SLOPE, *TWICE),
        (*START, "# Slope", LOSS.format(2) + r" + \sum_f w_f^2", SLOPE, "# Again", LOSS.format(2) + r" + \sum_f w_f^2"),
        ("# Model", RESIDUALS, LOSS.format(2), *ONCE, *TWICE, *RESTING),
    ],
    ids=[
        "one restatement may be the mistake itself",
        "restatements that disagree",
        "something holds by the definition",
        "words that give a new meaning",
        "nothing holds by the restatements",
        "a section that goes on with nothing of the first",
        "restatements made of other names",
        "restatements that say the same",
    ],
)
def test_what_may_be_meant_is_not_refuted(displays):
    assert first_loss(*displays).verdict is Verdict.DEFINITION
