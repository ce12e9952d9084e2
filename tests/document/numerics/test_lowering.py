"""Definitions as terms of the algebra: lowered once for all claims in which the same sizes meet."""

from __future__ import annotations

import pytest

from indexcalc.document.choices import Interpretation
from indexcalc.document.meaning.nodes import Entry
from indexcalc.document.numerics.lowering import Lowering
from indexcalc.document.numerics.points import Points
from indexcalc.document.page import page_of
from indexcalc.document.reader import read
from indexcalc.document.statements.context import Context
from indexcalc.document.table import Table
from indexcalc.language.document import read_document

NOTE = r"""
$$s_n = \sum_i x_{ni}^2$$
$$r_n = \sqrt{s_n + \sum_i x_{ni}}$$
$$y_{ni} = x_{ni} / r_n$$
"""


@pytest.fixture
def symbols():
    page = page_of(read_document(NOTE, "note.md"), Context())
    table = Table(page, page.asking(Interpretation()), 2, read)
    table.define("y", 2)
    return table.symbols()


def lowered(points, sizes):
    lowering = Lowering(points.symbols, sizes, points.lexicon(sizes))
    lowering.terms(Entry("y", points.symbols.slots["y"]))
    return lowering.equations


def test_definitions_come_after_those_that_they_read(symbols):
    assert list(lowered(Points(symbols), symbols.sizes.copy())) == ["s", "Z", "r", "y"]


def test_claims_of_equal_sizes_share_them(symbols):
    points = Points(symbols)
    one, other = (lowered(points, symbols.sizes.copy()) for _ in range(2))
    assert one == other
    assert all(one[name] is other[name] for name in one)


def test_a_claim_in_which_other_sizes_meet_has_its_own(symbols):
    points = Points(symbols)
    square = symbols.sizes.copy()
    square.unify(*symbols.slots["x"])
    one, other = lowered(points, symbols.sizes.copy()), lowered(points, square)
    assert one["y"].lhs.slots[0].extent != one["y"].lhs.slots[1].extent
    assert other["y"].lhs.slots[0].extent == other["y"].lhs.slots[1].extent
