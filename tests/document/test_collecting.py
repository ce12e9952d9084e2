from __future__ import annotations

import subprocess
import sys

# A plugin of the tests for editors takes every item for a function.
PLUGIN = ("--indexcalc", "-p", "no:pytest-lsp", "-p", "no:cacheprovider", "-q", "-rs")

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
    assert r"correct: \sum_{o} \frac{\partial L}{\partial Y_{no}} W_{of}" in run.stdout
    assert "note.md, line 6, column 40" in run.stdout


def test_a_document_that_cannot_be_read_is_named_without_a_traceback(tmp_path):
    (tmp_path / "note.md").write_bytes(b"$a = b$ \xff")
    command = [sys.executable, "-m", "pytest", *PLUGIN, "note.md"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "it is not UTF-8 text" in run.stdout
    assert "Traceback" not in run.stdout
    assert "collecting.py" not in run.stdout
