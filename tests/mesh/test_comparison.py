"""Predicted and compiled: causes are named where they explain all of a difference, and nowhere else."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from indexcalc.algebra.terms import Index
from indexcalc.cost.counts import span
from indexcalc.cost.mesh import MeshAxis
from indexcalc.cost.traffic import Collective, Kind
from indexcalc.mesh.comparison import DONE_ONCE, NO_SCATTER, Verdict, compared, expected_differences
from indexcalc.mesh.compiled import Compiled

N = sp.Symbol("N", positive=True, integer=True)
AXIS = MeshAxis(("i",), 4)
SIZES = {N: 100}


def one(kind: Kind, tensor: str = "x", times: int = 1) -> Collective:
    return Collective(kind, tensor, AXIS, span((Index("n", N),), times), "")


def verdicts(predicted: list[Collective], *compiled: tuple[str, int]) -> dict[str, Verdict]:
    found = [Compiled(kind, (size,), 4) for kind, size in compiled]
    return {verdict.kind: verdict for verdict in compared(predicted, found, SIZES, 4)}


def test_what_agrees_needs_no_cause():
    found = verdicts([one(Kind.REDUCE), one(Kind.REDUCE)], ("all-reduce", 820))
    assert found["all-reduce"].agrees
    assert not found["all-reduce"].cause


def test_a_whole_sum_for_a_block_of_it():
    found = verdicts([one(Kind.REDUCE), one(Kind.SCATTER)], ("all-reduce", 800))
    assert found["all-reduce"].cause == found["reduce-scatter"].cause == NO_SCATTER
    assert found["all-reduce"].compiled == 2 * found["all-reduce"].predicted


def test_a_whole_sum_along_two_axes_is_one():
    """Along an axis of 2 a sum, along one of 4 blocks of it: 7/4 of the array, not 1 and 3/2."""
    other = replace(one(Kind.REDUCE), axis=MeshAxis(("j",), 2))
    assert verdicts([other, one(Kind.SCATTER)], ("all-reduce", 466))["all-reduce"].cause == NO_SCATTER
    assert not verdicts([other, one(Kind.SCATTER)], ("all-reduce", 800))["all-reduce"].explained


def test_one_copy_for_both_passes():
    gathers = [one(Kind.GATHER, "K"), one(Kind.GATHER, "K"), one(Kind.GATHER, "V")]
    assert verdicts(gathers, ("all-gather", 800))["all-gather"].cause == DONE_ONCE
    assert verdicts(gathers, ("all-gather", 1200))["all-gather"].agrees
    assert expected_differences(gathers) == (DONE_ONCE,)


def test_both_causes():
    predicted = [one(Kind.GATHER, "K"), one(Kind.GATHER, "K"), one(Kind.SCATTER)]
    found = verdicts(predicted, ("all-gather", 400), ("all-reduce", 400))
    assert all(verdict.explained for verdict in found.values())
    assert expected_differences(predicted) == (NO_SCATTER, DONE_ONCE)


def test_other_differences_have_no_cause():
    assert not verdicts([one(Kind.REDUCE)], ("all-reduce", 800))["all-reduce"].explained
    assert not verdicts([one(Kind.REDUCE)])["all-reduce"].explained
    assert not verdicts([], ("all-to-all", 4))["all-to-all"].explained
    assert not verdicts([one(Kind.GATHER, "K"), one(Kind.GATHER, "V")], ("all-gather", 400))["all-gather"].explained
    # More than the whole sum.
    assert not verdicts([one(Kind.SCATTER)], ("all-reduce", 800))["all-reduce"].explained
