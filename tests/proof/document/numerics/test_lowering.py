"""Definitions as terms of the algebra: lowered once for all claims in which the same sizes meet."""

from __future__ import annotations

import pytest

from indexcalc.language.document import read_document
from indexcalc.proof.document.meaning.nodes import Entry
from indexcalc.proof.document.names.understanding import roles_of
from indexcalc.proof.document.numerics.lowering import Lowering
from indexcalc.proof.document.numerics.points import Points
from indexcalc.proof.document.written.outline import outline

NOTE = r"""
$$s_n = \sum_i x_{ni}^2$$
$$r_n = \sqrt{s_n + \sum_i x_{ni}}$$
$$y_{ni} = x_{ni} / r_n$$
"""


@pytest.fixture
def symbols():
    document = read_document(NOTE, "note.md")
    return roles_of(document, outline(document)[0]).symbols


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
