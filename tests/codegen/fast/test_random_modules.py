"""Fast modules from random programs: in all settings they agree with the evaluator, silently, and are formatted."""

import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from indexcalc.codegen.fast.module import fast_module
from indexcalc.errors import LimitError
from indexcalc.proof.evaluate import run_program
from indexcalc.proof.oracles import Point
from indexcalc.rewrite.derive import derive
from tests.codegen.test_random_modules import is_tame
from tests.support.fast import Setting, fast, in_all_settings
from tests.support.programs import problems, sizes

TINY = (Setting(64, 1 << 20, 1), Setting(1, 1, 3), Setting(2, 64, 2))


def derivation_of(problem):
    try:
        return derive(problem)
    except LimitError:
        assume(False)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(problems(), sizes(), st.integers(0, 2**32 - 1))
def test_fast_modules_agree_with_the_evaluator(problem, extents, seed):
    rng = np.random.default_rng(seed)

    def draw(tensor):
        return rng.uniform(0.2, 1.2, [extents[slot.extent] for slot in problem.program.tensors[tensor].slots])

    inputs = {tensor.name: draw(tensor.name) for tensor in problem.program.inputs}
    upstream = {up.name: draw(up.of) for up in problem.upstream}
    with np.errstate(all="ignore"):
        expected = run_program(problem.program, inputs, extents)
    assume(is_tame(expected))
    derivation = derivation_of(problem)
    known = {**expected, **upstream}
    with np.errstate(all="ignore"):
        given_arrays = {tensor.name: known[tensor.name] for tensor in derivation.backward.inputs}
        known |= run_program(derivation.backward, given_arrays, extents)
    assume(is_tame(known))
    made = fast(derivation)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = in_all_settings(made, TINY)(Point(expected, extents, {}), upstream)
    names = {problem.gradient_names[target] for target in made.problem.targets}
    assert {*problem.program.outputs, *names} <= set(found)
    for name, array in found.items():
        assert array.shape == known[name].shape
        np.testing.assert_allclose(array, known[name], rtol=1e-6, atol=1e-8, err_msg=name)


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
        path.write_text(fast_module(derivation_of(problem)).source, encoding="utf-8")
        written.append(path)

    write()
    for arguments in (["check"], ["format", "--diff"]):
        command = [found, *arguments, "--isolated", str(tmp_path)]
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
    assert written
