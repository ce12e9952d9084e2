"""Formulas that repeat others read their names, whatever the order in which they were written."""

from __future__ import annotations

import itertools

import pytest
import sympy as sp

from indexcalc.document.meaning.nodes import Applied, Entry, Meaning, Number, Plus, Times, Total, names_of
from indexcalc.document.meaning.sizes import Ix, Sizes
from indexcalc.document.meaning.structures import folded, structure_of
from indexcalc.document.meaning.symbols import Definition, Symbols
from indexcalc.document.numerics.points import Points

HALF = Number(sp.Rational(1, 2))


def scores(row: Ix, column: Ix, inner: Ix, order: tuple[int, ...], *, outside: bool) -> Meaning:
    """``1/2 sum_k Q_ik K_jk``, its factors in some order, the number before the sum or behind its sign."""
    entries = [Entry("Q", (row, inner)), Entry("K", (column, inner)), HALF]
    factors = tuple(entries[n] for n in order if not (outside and n == 2))
    total = Total((inner,), Times(factors))
    return Times((HALF, total)) if outside else total


def test_a_structure_tells_index_variables_apart_and_not_by_their_numbers():
    sizes = Sizes()
    i, j, k = (sizes.fresh() for _ in range(3))
    assert structure_of(Entry("A", (i, j)), (i, j)).form == structure_of(Entry("A", (j, k)), (j, k)).form
    assert structure_of(Entry("A", (i, j)), (i, j)).form != structure_of(Entry("A", (j, i)), (i, j)).form
    assert structure_of(Entry("A", (i, i)), (i,)).form != structure_of(Entry("A", (i, j)), (i,)).form


@pytest.mark.parametrize("outside", [False, True])
@pytest.mark.parametrize("order", tuple(itertools.permutations(range(3))))
def test_what_repeats_a_part_reads_it(order, outside):
    sizes = Sizes()
    i, j, k, a, b, c = (sizes.fresh() for _ in range(6))
    for one, other in ((i, a), (j, b), (k, c)):
        sizes.unify(one, other)
    part = Definition((i, j), scores(i, j, k, order, outside=outside))
    reader = Definition((a,), Total((b,), Applied("exp", scores(a, b, c, (0, 1, 2), outside=not outside))))
    found = folded({"S": part, "y": reader}, ["S"])
    assert names_of(found["y"].body) == ("S",)
    assert found["S"] is part
    slots = {"Q": (i, k), "K": (j, k), "S": (i, j), "y": (a,)}
    values = [
        [point.value(Entry("y", (a,)), (a,)) for _, point in Points(Symbols(sizes, slots, definitions)).at(sizes, ())]
        for definitions in ({"S": part, "y": reader}, found)
    ]
    assert values[0]
    for one, other in zip(*values, strict=True):
        assert one == pytest.approx(other, rel=1e-12)


def test_what_differs_or_is_read_by_the_part_stays():
    sizes = Sizes()
    i, j, k = (sizes.fresh() for _ in range(3))
    part = Definition((i, j), scores(i, j, k, (0, 1, 2), outside=True))
    transposed = Definition((i, j), Plus((scores(j, i, k, (0, 1, 2), outside=True), Entry("b", (i, j)))))
    assert set(names_of(folded({"S": part, "y": transposed}, ["S"])["y"].body)) == {"S", "b"}
    other = Definition((i, j), Plus((Total((k,), Times((Entry("Q", (i, k)), Entry("K", (j, k))))), Entry("b", (i, j)))))
    assert folded({"S": part, "y": other}, ["S"])["y"] is other
    below = Definition((i, j), Plus((Entry("b", (i, j)), Entry("b", (i, j)))))
    above = Definition((i, j), Plus((Entry("y", (i, j)), Entry("y", (i, j)))))
    assert folded({"y": below, "S": above}, ["S"])["y"] is below
