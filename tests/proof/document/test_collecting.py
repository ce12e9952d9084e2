from __future__ import annotations

import subprocess
import sys

PLUGIN = ("--indexcalc", "-p", "no:cacheprovider", "-q", "-rs")

NOTE = r"""
$$Y_{no} = \sum_f X_{nf} W_{of}$$

$$\frac{\partial L}{\partial W_{of}} = \sum_n \frac{\partial L}{\partial Y_{no}} X_{nf}$$

$$\frac{\partial L}{\partial X_{nf}} = 2 \sum_o \frac{\partial L}{\partial Y_{no}} W_{of}$$

$$\int Y = 1$$
"""


def test_each_relation_is_a_test(tmp_path):
    (tmp_path / "note.md").write_text(NOTE, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", *PLUGIN, "note.md"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "1 failed, 2 passed, 1 skipped" in run.stdout
    assert "2 times the left" in run.stdout
