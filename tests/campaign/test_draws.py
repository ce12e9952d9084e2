"""Random slots, recurrences and systems through the engine; `benchmarks/campaign.py draws` runs many."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tests.campaign.case import failures, refusals
from tests.campaign.draws import DRAWS, Draw, Right, cases, verdict

pytest.importorskip("torch")

COUNT = 96
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs(part):
    each, found = COUNT // PARTS, []
    for case in cases(part * each, each):
        own = ("note", "numpy", "fast", "checkpoints", {0: "jax", 4: "memory", 7: "memory"}.get(case.seed % 8, "torch"))
        found += [f"seed {case.seed}: {wrong}\n{case.text}" for wrong in failures(verdict(case, own))[:1]]
    assert not found, "\n\n".join(found)


def test_nothing_is_refused():
    for case in cases(0, 12):
        assert not refusals(verdict(case, ("numpy", "fast")))


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("what", ["values", "gradients"])
def test_a_result_that_is_off_is_found(draw, what):
    drawn = draw(2)

    def moved(right: Right) -> Right:
        return replace(right, **{what: {name: array + 1e-6 for name, array in getattr(right, what).items()}})

    def points():
        return (moved(right) for right in drawn.points())

    (case,) = cases(2, 1)
    wrong = verdict(replace(case, text=drawn.text, subject=Draw(drawn.text, drawn.features, points)), ("numpy",))
    assert "numpy: wrong: " in wrong


def test_the_points_are_finite_and_their_gradients_move():
    for case in cases(0, 24):
        for right in case.subject.points():
            assert all(np.all(np.isfinite(array)) for array in (*right.values.values(), *right.gradients.values()))
    met = [np.any(array != 0) for case in cases(0, 24) for r in case.subject.points() for array in r.gradients.values()]
    assert np.mean(met) > 0.5


def test_the_draws_differ():
    met = Counter(feature for case in cases(0, 240) for feature in case.features)
    wanted = ("brackets", "deltas", "lookups", "negative strides", "strides", "two indices in a slot")
    wanted += ("steps up", "steps down", "1 lags", "2 lags", "base cases", "samples", "last step only")
    wanted += ("1 tensors step", "2 tensors step", "3 tensors step", "1 systems", "2 systems")
    wanted += ("1 slots", "2 slots", "3 slots", "matrix plain", "matrix tanh", "matrix symmetric", "bent")
    wanted += ("right side times a matrix",)
    assert not [feature for feature in wanted if not met[feature]]
