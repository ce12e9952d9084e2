"""The benchmark on a GPU: all its sides compute the same, which needs none."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "gpu.py"


def run(*arguments, env=None):
    return subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False, env=env)


def test_all_sides_agree_at_small_sizes():
    pytest.importorskip("torch")
    result = run("--check")
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.count("all sides agree") == 3


def test_a_work_that_there_is_not_is_named():
    result = run("matmul")
    assert result.returncode == 2
    assert "there is no work 'matmul'; there are attention, layer_norm, rms_norm" in result.stderr


@pytest.mark.skipif(find_spec("triton") is None, reason="Triton is not installed")
def test_kernels_agree_too_in_tiles_as_long_as_on_a_gpu():
    pytest.importorskip("torch")
    result = run("--check", env={**os.environ, "TRITON_INTERPRET": "1"})
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.count("indexcalc, triton") == 3
