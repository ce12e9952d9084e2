"""Random programs over meshes of eight virtual devices, in processes of their own."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import pytest

import indexcalc as ic
from indexcalc.cost.mesh import check_mesh
from tests.campaign.case import counts, refusals
from tests.campaign.meshes import DEVICES, drawn_mesh
from tests.support.pages import ROOT


@pytest.mark.parametrize(("campaign", "count", "most_refused"), [("programs", 12, 0), ("draws", 12, 4)])
def test_random_programs(tmp_path, campaign: str, count: int, most_refused: int):
    pytest.importorskip("jax")
    pytest.importorskip("torch")
    kept = tmp_path / "judged.jsonl"
    command = [sys.executable, str(ROOT / "benchmarks" / "campaign.py"), campaign, "--styles", "mesh"]
    command += ["--count", str(count), "--seed", "500", "--workers", "1", "--out", str(kept)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    verdicts = [json.loads(line)["verdict"] for line in kept.read_text("utf-8").splitlines()]
    assert len(verdicts) == count
    # Systems are refused, and a few recurrences.
    assert sum(bool(refusals(verdict)) for verdict in verdicts) <= most_refused
    assert sum(counts(verdict)["points"] for verdict in verdicts) > count


def test_meshes_fit_and_split_something():
    program = ic.load_problem(ic.find_spec("multi_head_attention")).program
    sizes = dict(zip((extent.name for extent in program.extents), (4, 6, 5, 2, 8), strict=False))
    found = [drawn_mesh(program, sizes, random.Random(seed)) for seed in range(40)]
    for mesh in found:
        check_mesh(mesh, program, {extent: sizes[extent.name] for extent in program.extents})
        assert mesh.devices <= DEVICES
    assert sum(mesh.devices > 1 for mesh in found) > 30
    assert any(one.parts for mesh in found for one in mesh.axis_of.values())
