"""A letter that stands in a formula in bold and without is two names; where no formula has both, it is one."""

from __future__ import annotations

import pytest

from indexcalc.document import check
from indexcalc.document.report import Verdict
from indexcalc.document.statements.fonts import with_fonts
from indexcalc.language.latex.tokens import tokenize
from tests.support.verdicts import judged


def names(*sources):
    pieces = with_fonts([tokenize(source, {}, 0) for source in sources])
    return [[token.text for token in tokens if token.kind == "NAME"] for tokens in pieces]


def test_two_fonts_are_two_names():
    assert names(r"y = \mathbf{y}^\top \mathbf{y}", "z = y^2") == [["plain y", "y", "y"], ["z", "plain y"]]


ONE_NAME = (
    ("y = x", r"\mathbf{z} = \mathbf{y}"),
    (r"y_i = \mathbf{e}_i^\top \mathbf{y}",),
    (r"\sum_n x_n", r"n \mathbf{n}"),
    (r"Y \mathbf{Y}",),
    (r"e^{x} \mathbf{e}",),
    (r"y^{(i)} \mathbf{y}",),
)
"""An author's slip, an entry, the letter of an index, capitals, a constant, and a sample."""


@pytest.mark.parametrize("sources", ONE_NAME)
def test_what_may_be_one_name_stays_one(sources):
    assert not any("plain" in name for found in names(*sources) for name in found)


NUMBER = r"$$\mathbf{y} = A\mathbf{x}$$" + "\n\n" + r"$$y = \mathbf{y}^\top \mathbf{y}$$" + "\n\n"
"""A number and a vector with one letter."""


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (r"y = \mathbf{x}^\top A^\top A\mathbf{x}", Verdict.CONFIRMED),
        (r"y = \mathbf{x}^\top A A^\top\mathbf{x}", None),
        (r"\frac{\partial y}{\partial \mathbf{x}} = 2A^\top\mathbf{y}", Verdict.CONFIRMED),
        (r"\frac{\partial y}{\partial \mathbf{x}} = A^\top\mathbf{y}", Verdict.REFUTED),
    ],
)
def test_a_number_beside_a_vector(claim, verdict):
    found = judged(check(f"{NUMBER}$${claim}$$").claims[-1])
    assert found is verdict if verdict else found is not Verdict.CONFIRMED
