"""The references of the benchmark of numerics: one for every shipped derivation, and the same function."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from indexcalc.generation import trial_of
from indexcalc.language import load_problem
from indexcalc.library import shipped_paths
from indexcalc.proof.hostile.trial import hostile_trial
from indexcalc.rewrite.derive import derive

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"

PATHS = shipped_paths()
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="the references are PyTorch's")


@pytest.fixture
def numerics(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    module = importlib.import_module("numerics")
    yield module
    for name in ("numerics", "references", "recurrent_references", "system_references", "torch_derivatives"):
        sys.modules.pop(name, None)


@pytest.fixture
def mild_trial(monkeypatch):
    """The trial of a problem at the first of its points alone, the mild one."""
    monkeypatch.setattr("indexcalc.proof.hostile.trial.MOST", 1)
    return lambda problem: trial_of(derive(problem)) if problem.derivatives else hostile_trial(problem)


@needs_torch
def test_every_shipped_derivation_has_a_reference(numerics):
    assert set(numerics.REFERENCES) == set(PATHS)


@needs_torch
@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")  # by PyTorch itself, on the first product
@pytest.mark.parametrize("name", sorted(PATHS))
def test_the_reference_is_the_same_function_at_mild_inputs(name, numerics, mild_trial):
    problem = load_problem(PATHS[name])
    trial = mild_trial(problem)
    run = numerics.reference_run(problem, trial, numerics.REFERENCES[name])
    inputs = {tensor.name for tensor in problem.program.inputs}
    gradients = {problem.gradient_names[target] for target in problem.targets if target in inputs}
    assert set(run(trial.cases[0])) >= {*problem.program.outputs, *gradients, *(r.name for r in problem.results)}
    found = numerics.errors(trial, trial.cases[0], run)
    # A gradient may vanish there, and has no relative error then.
    assert set(found) >= {*problem.program.outputs, *(r.name for r in problem.results)}
    assert max(error.relative for error in found.values()) < 1e-4


@needs_torch
def test_the_table_holds_all_shipped_derivations_within_the_bound(numerics):
    lines = numerics.lines_of(numerics.PAGE.read_text(encoding="utf-8"))
    assert list(lines) == sorted(PATHS)
    for name, line in lines.items():
        *cells, ratio = [cell.strip() for cell in line.strip("|").split("|")]
        assert float(ratio) <= numerics.BOUND, name
        broken = [int(cell.partition(", ")[2].split()[0]) if "not finite" in cell else 0 for cell in cells[2:]]
        assert max(broken) <= broken[-1], name


@needs_torch
@pytest.mark.parametrize("name", ["softmax", "layer_norm"])
def test_a_row_that_is_computed_anew_is_within_the_bound(name, numerics):
    row = numerics.compared(derive(load_problem(PATHS[name])))
    assert {*row.sides} >= {"numpy", "fast", "torch", numerics.RIVAL}
    assert list(numerics.complaints(row)) == []
    assert 0 < row.sides["numpy"].worst < 1e-2


@needs_torch
def test_a_new_row_takes_its_place_beside_the_others(numerics):
    page = f"before\n{numerics.BEGIN}\n| Derivation | x |\n| --- | ---: |\n| `a` | 1 |\n| `gone` | 2 |\n| `c` | 3 |\n"
    row = numerics.Row("b", 7, {"numpy": numerics.Side(1e-7, 2.0), "PyTorch": numerics.Side(2e-7)})
    written = numerics.with_rows(f"{page}{numerics.END}\nafter\n", [row], ["a", "b", "c", "d"])
    assert list(numerics.lines_of(written)) == ["a", "b", "c"]
    assert numerics.lines_of(written)["b"] == "| `b` | 7 | 1.0e-07 | – | – | – | 2.0e-07 | 2.0 |"
    assert written.startswith(f"before\n{numerics.BEGIN}\n")
    assert written.endswith(f"{numerics.END}\nafter\n")
    assert numerics.with_rows(written, [], ["a", "b", "c"]) == written


@needs_torch
def test_an_error_that_is_not_finite_is_counted_apart(numerics):
    problem = load_problem(PATHS["softmax"])
    trial = hostile_trial(problem)
    side = numerics.Side()
    broken = numerics.Error(float("inf"), float("inf"), 1e-8)
    worse = numerics.Error(8e-8, 1e-7, 1e-8)
    numerics.count(side, trial.cases[0], {"p": broken, "dz": worse}, {"dz": numerics.Error(1e-8, 1e-8, 1e-8)})
    assert side.broken == {("mild inputs", "p")}
    assert (side.worst, side.beside) == (1e-7, 8.0)
    row = numerics.Row("softmax", 1, {"numpy": side})
    assert len(list(numerics.complaints(row))) == 2
