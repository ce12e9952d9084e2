"""What is shown of a slot's range holds at all sizes, and what holds there for plain extents is shown."""

from __future__ import annotations

import itertools

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from indexcalc.algebra.ranges import in_range, never_negative, room_above
from indexcalc.algebra.slots import Affine, Index, Lookup, affine, difference, parts_of_slot, place

N, K, M = sp.symbols("N K M", positive=True, integer=True)
i, j, k = Index("i", N), Index("j", M), Index("k", K)


def value(slot, at, sizes):
    found = sp.sympify(slot.const if isinstance(slot, Affine) else 0)
    return int((found + sum(c * at[index] for index, c in parts_of_slot(slot))).subs(sizes))


def every(slot, sizes):
    indices = [index for index, _ in parts_of_slot(slot)]
    ranges = [range(int(index.extent.subs(sizes))) for index in indices]
    return [value(slot, dict(zip(indices, at, strict=True)), sizes) for at in itertools.product(*ranges)]


SLOTS = st.builds(
    lambda coefficients, constant, scale: affine(
        zip((i, j, k), map(sp.Integer, coefficients), strict=True), constant + scale
    ),
    st.tuples(*[st.integers(-3, 3)] * 3),
    st.integers(-4, 4),
    st.sampled_from([sp.S.Zero, N, K - 1, 2 * N - M, N + M + K - 3]),
)


@settings(deadline=None, max_examples=60)
@given(SLOTS)
def test_what_is_shown_holds_at_all_sizes(slot):
    if never_negative(slot):
        for sizes in itertools.product(range(1, 4), repeat=3):
            assert min(every(slot, dict(zip((N, K, M), sizes, strict=True)))) >= 0


@settings(deadline=None, max_examples=60)
@given(SLOTS)
def test_what_guards_say_is_used(slot):
    assert never_negative(slot, (slot,))
    assert never_negative(difference(slot, place(-1)), (slot,))


@pytest.mark.parametrize(
    ("slot", "extent"),
    [
        (Index("a", N - K + 1) + k, N),
        (2 * Index("a", sp.floor((N - K) / 2) + 1) + k, N),
        (3 * Index("a", sp.floor((N - 3 * K + 2) / 3) + 1) + 3 * k, N),
        (N - 1 - i, N),
        (i * M + j, N * M),
        (i - Index("b", N) + N - 1, 2 * N - 1),
        (Lookup("tok", (i,), K), K),
        (place(0), N),
        (2 * i + k, 2 * N + K - 2),
    ],
)
def test_accesses_that_extents_make_legal_are_shown(slot, extent):
    assert in_range(slot, extent)


@pytest.mark.parametrize(
    ("slot", "extent"), [(i + 1, N), (i + k, N), (i - 1, N), (place(1), N), (Lookup("tok", (i,), K) + 1, K)]
)
def test_accesses_that_may_lie_outside_are_not_shown(slot, extent):
    assert not in_range(slot, extent)


def test_a_guard_makes_them_legal():
    slot = 2 * i + k - 1
    assert in_range(slot, N, (slot, room_above(slot, N)))
    assert not in_range(slot, N, (slot,))
