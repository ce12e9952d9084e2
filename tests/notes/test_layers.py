"""Drawings of graphs: every edge goes down, every place is there once, and few lines cross."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexcalc.errors import LimitError
from indexcalc.notes.layers import MOST, crossings, layered


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    count = draw(st.integers(0, 12))
    pairs = [(source, sink) for sink in range(count) for source in range(sink)]
    return count, draw(st.lists(st.sampled_from(pairs), max_size=24)) if pairs else []


@given(graphs())
def test_every_edge_goes_down_one_row_at_a_time(graph) -> None:
    count, edges = graph
    found = layered(count, edges)
    rows = {place: number for number, row in enumerate(found.rows) for place in row}
    assert sum(map(len, found.rows)) == len(rows)
    assert {place for place in rows if isinstance(place, int)} == set(range(count))
    assert set(found.routes) == set(edges)
    for (source, sink), route in found.routes.items():
        assert (route[0], route[-1]) == (source, sink)
        assert all(rows[below] == rows[above] + 1 for above, below in pairwise(route))


def test_lines_that_need_not_cross_do_not() -> None:
    assert layered(4, [(0, 3), (1, 2)]).rows in (((0, 1), (3, 2)), ((1, 0), (2, 3)))


def test_crossings_are_counted() -> None:
    assert crossings([(0, 1), (2, 3)], {0: (3,), 1: (2,)}) == 1
    assert crossings([(0, 1), (2, 3)], {0: (2, 3), 1: (2, 3)}) == 1
    assert crossings([(0, 1), (2, 3)], {0: (2,), 1: (3,)}) == 0


def test_what_reads_nothing_stands_right_above_its_reader() -> None:
    assert layered(4, [(0, 1), (1, 2), (3, 2)]).rows[1] in ((1, 3), (3, 1))


def test_a_drawing_is_bounded() -> None:
    chain = [(node, node + 1) for node in range(100)]
    with pytest.raises(LimitError, match=f"{MOST}"):
        layered(101, chain + [(node, 100) for node in range(99)])


def test_an_edge_that_closes_a_cycle_goes_up():
    layers = layered(3, [(0, 1), (1, 2), (2, 0), (1, 1)])
    row = {place: number for number, places in enumerate(layers.rows) for place in places}
    assert set(layers.routes) == {(0, 1), (1, 2), (2, 0)}
    assert row[0] < row[1] < row[2]
    assert [row[place] for place in layers.routes[2, 0]] == [2, 1, 0]
