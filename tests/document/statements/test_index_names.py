"""A name that a sum binds is an index, however it is spelt: the verdicts are those with a letter in its place."""

from __future__ import annotations

import pytest

from indexcalc.document import Verdict, check

SPELLINGS = (r"\hi", r"\text{row}", r"\mathrm{pos}", r"\alpha", r"\ell", "j'", r"\text{in}", "Q")

LINES = (
    r"R = \sum_{@=1}^{H} r_{@}",
    r"\frac{\partial R}{\partial r_{@}} = 1",
    r"\frac{\partial R}{\partial r_{@}} = 2",
    r"y_i = \sum_{@} A_{i,@} x_{@}",
    r"\frac{\partial y_i}{\partial x_{@}} = A_{i,@}",
    r"\frac{\partial y_i}{\partial x_{@}} = A_{i,@} x_{@}",
    r"Z = \sum_{@} e^{x_{@}}",
    r"p_{@} = \frac{e^{x_{@}}}{Z}",
    r"\sum_{@} p_{@} = 1",
    r"\frac{\partial Z}{\partial x_{@}} = 2 e^{x_{@}}",
)

WRONG = (2, 5, 9)


def verdicts(spelling):
    text = "\n\n".join(f"$${line.replace('@', spelling)}$$" for line in LINES)
    return [claim.verdict for claim in check(text, "note.md").claims]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_name_that_a_sum_binds_is_read_as_a_letter(spelling):
    found = verdicts(spelling)
    assert found == verdicts("j")
    assert [n for n, verdict in enumerate(found) if verdict is Verdict.REFUTED] == list(WRONG)


def test_a_word_below_names_that_no_sum_binds_is_a_label():
    text = r"$$R_{\text{row}} = 3 r_{\text{row}}$$" + "\n\n" + r"$$\frac{dR_{\text{row}}}{dr_{\text{row}}} = 3$$"
    assert check(text, "note.md").claims[-1].verdict in (Verdict.PROVED, Verdict.CONFIRMED)


def test_a_capital_that_stands_by_itself_too_is_a_label():
    """A sum over all of a set ``S`` binds the elements of it, and a name with the label S is no array for it."""
    text = r"$$a_S = \sum_{S} x$$" + "\n\n$$S = 3$$\n\n" + r"$$b = 2 a_S$$" + "\n\n" + r"$$b = a_S + a_S$$"
    assert check(text, "note.md").claims[-1].verdict in (Verdict.PROVED, Verdict.CONFIRMED)
