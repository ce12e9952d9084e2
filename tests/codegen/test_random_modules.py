"""Whole modules from random programs: they run silently, agree with the evaluator, and are formatted."""

import inspect
import shutil
import subprocess
import sys
import types
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from indexcalc.codegen import gradient_fields, module_names, numpy_module
from indexcalc.errors import LimitError
from indexcalc.proof.evaluate import run_program
from indexcalc.rewrite.derive import derive
from tests.support.programs import M, N, problems, sizes

SYMBOLS = {N: "N", M: "M"}


def derivation_of(problem):
    try:
        return derive(problem)
    except LimitError:
        assume(False)


def keywords(function):
    return [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]


def is_tame(values):
    """Whether no value is so large that a cosine of it would lose its digits."""
    return all(np.all(np.isfinite(array)) and np.abs(array).max(initial=0.0) < 30.0 for array in values.values())


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(), sizes(), st.integers(0, 2**32 - 1), st.data())
def test_modules_agree_with_the_evaluator(problem, extents, seed, data):
    program = problem.program
    spare = [name for name in program.definitions if name not in program.outputs]
    if spare:
        chosen = data.draw(st.lists(st.sampled_from(spare), unique=True, max_size=2))
        problem = replace(problem, recompute=tuple(chosen))
    rng = np.random.default_rng(seed)

    def draw(tensor):
        return rng.uniform(0.2, 1.2, [extents[slot.extent] for slot in program.tensors[tensor].slots])

    inputs = {tensor.name: draw(tensor.name) for tensor in program.inputs}
    with np.errstate(all="ignore"):
        expected = run_program(program, inputs, extents)
    assume(is_tame(expected))
    derivation = derivation_of(problem)
    upstream = {up.name: draw(up.of) for up in problem.upstream}
    known = {**expected, **upstream}
    with np.errstate(all="ignore"):
        reverse = run_program(
            derivation.backward, {tensor.name: known[tensor.name] for tensor in derivation.backward.inputs}, extents
        )
    assume(is_tame(reverse))
    module = types.ModuleType("generated")
    exec(numpy_module(derivation), module.__dict__)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # An extent that no input shows is a keyword argument.
        unseen = {name: extents[extent] for extent, name in SYMBOLS.items() if name in keywords(module.forward)}
        values = module.forward(*inputs.values(), **unseen)
        gradients = module.backward(values, *upstream.values())
    names = module_names(derivation)
    assert not set(names) & set(problem.recompute)
    for name, array in expected.items():
        if name in names and name not in derivation.gradients:
            found = getattr(values, names[name])
            np.testing.assert_allclose(found, array, rtol=1e-6, atol=1e-8)
            assert np.shape(found) == array.shape
    for target, field in gradient_fields(derivation).items():
        array = {**known, **reverse}[problem.gradient_names[target]]
        found = getattr(gradients, field)
        assert np.shape(found) == array.shape
        np.testing.assert_allclose(found, array, rtol=1e-6, atol=1e-8)


def test_ruff_would_change_nothing(tmp_path):
    ruff = Path(sys.executable).with_name("ruff")
    found = str(ruff) if ruff.exists() else shutil.which("ruff")
    if found is None:
        pytest.skip("ruff is not installed")
    written = []

    @settings(max_examples=30, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(problems())
    def write(problem):
        path = tmp_path / f"module_{len(written)}.py"
        path.write_text(numpy_module(derivation_of(problem)), encoding="utf-8")
        written.append(path)

    write()
    for arguments in (["check"], ["format", "--diff"]):
        command = [found, *arguments, "--isolated", str(tmp_path)]
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
    assert written
