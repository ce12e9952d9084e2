"""Eight virtual devices: results are those of one, and XLA sends what was predicted."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from indexcalc.mesh.comparison import DONE_ONCE, NO_SCATTER
from tests.support.pages import ROOT

NAMES = ("softmax_cross_entropy", "mlp_gelu", "attention", "multi_head_attention", "mha_block")
MOVING = ("conv2d", "embedding", "lstm", "rnn")
"""What moves entries, looks them up, or goes step by step: split by a batch, or by what no step shifts."""


@pytest.mark.parametrize("name", [*NAMES, *MOVING])
def test_eight_devices(name: str):
    pytest.importorskip("jax")
    command = [sys.executable, str(ROOT / "benchmarks" / "mesh.py"), name, "--json"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"}
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=900)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    rows = json.loads(run.stdout)
    assert {row["program"] for row in rows} == {"forward", "backward", "both"}
    assert len({row["mesh"] for row in rows}) >= (3 if name in NAMES else 1)
    for row in rows:
        assert row["errors"].keys() == {"outputs", "gradients"}
        assert max(row["errors"].values()) < 1e-11, row
        for one in row["sent"]:
            assert one["agrees"] or one["cause"], row
            # Nothing but the two general causes, and the second only where both passes are one program.
            allowed = (NO_SCATTER, DONE_ONCE) if row["program"] == "both" else (NO_SCATTER,)
            assert all(part in allowed for part in [one["cause"]] if part), row
    # Something is sent by every mesh, so that agreement means something; but features of a table are looked up apart.
    for mesh in {row["mesh"] for row in rows} - {"m=8"}:
        assert any(one["compiled"] for row in rows if row["mesh"] == mesh for one in row["sent"])
