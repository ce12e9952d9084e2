"""Every shipped derivation at hostile inputs: all styles that run here, in float32 and float64."""

from __future__ import annotations

from indexcalc.codegen.fast.module import FastOptions
from indexcalc.generation import code_styles, render
from indexcalc.proof.hostile.both import both_passes
from indexcalc.proof.hostile.check import check_hostile
from indexcalc.proof.hostile.trial import room_of
from indexcalc.proof.targets import is_installed

ENOUGH = 12
"""How many points are to be tried, where the bound on the oracle's work leaves room for them."""


def test_all_styles_are_finite_and_accurate(shipped):
    derivation = shipped.derivation
    targets = ("torch",) if is_installed("torch") else ()
    texts = render(derivation, targets=targets, fast=FastOptions())
    report = check_hostile(both_passes(derivation), code_styles(derivation, texts), trial=texts.trial)
    assert report.ok, "\n".join(map(str, report.failures))
    assert len(report.points) >= min(ENOUGH, room_of(texts.trial.graph))
    assert report.skipped == ""
    # Where the oracle gives no answer, it is the point that has none: its own derivatives agree with differences.
    assert not [reason for reason in (report.left or {}).values() if reason.startswith("central differences")]
