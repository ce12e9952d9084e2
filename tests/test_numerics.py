"""The references of the benchmark of numerics: one for every shipped derivation, and the same function."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from indexcalc.language import load_problem
from indexcalc.proof.hostile.trial import hostile_trial
from tests.support.gradients import at_once

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="the references are PyTorch's")


@pytest.fixture
def numerics(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    module = importlib.import_module("numerics")
    yield module
    for name in ("numerics", "references"):
        sys.modules.pop(name, None)


@needs_torch
def test_every_shipped_derivation_has_a_reference(numerics):
    assert set(numerics.REFERENCES) == set(at_once())


@needs_torch
@pytest.mark.parametrize("name", sorted(at_once()))
def test_the_reference_is_the_same_function_at_mild_inputs(name, numerics):
    problem = load_problem(at_once()[name])
    trial = hostile_trial(problem)
    found = numerics.errors(trial, trial.cases[0], numerics.reference_run(problem, trial, numerics.REFERENCES[name]))
    assert found
    assert max(error.relative for error in found.values()) < 1e-4


@needs_torch
def test_an_error_that_is_not_finite_is_counted_apart(numerics):
    problem = load_problem(at_once()["softmax"])
    trial = hostile_trial(problem)
    side = numerics.Side()
    broken = numerics.Error(float("inf"), float("inf"), 1e-8)
    worse = numerics.Error(8e-8, 1e-7, 1e-8)
    numerics.count(side, trial.cases[0], {"p": broken, "dz": worse}, {"dz": numerics.Error(1e-8, 1e-8, 1e-8)})
    assert side.broken == {("mild inputs", "p")}
    assert (side.worst, side.beside) == (1e-7, 8.0)
    row = numerics.Row("softmax", 1, {"numpy": side})
    assert len(list(numerics.complaints(row))) == 2
