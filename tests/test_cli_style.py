"""``indexcalc derive --style``: code in blocks or with few steps kept, and what is said of options that do not fit."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from indexcalc.cli.app import app

RUNNER = CliRunner()


def run(*arguments):
    return RUNNER.invoke(app, ["derive", "attention", *arguments])


def test_fast_code_is_written_beside_plain_code_and_checked(tmp_path):
    result = run("--style", "fast", "--block", "i=8", "--cache", "64K", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    text = (tmp_path / "attention_fast.py").read_text()
    assert "def value_and_grad(" in text
    assert "LEAST = 8\n" in text
    assert "CACHE = 65536\n" in text
    assert "fast: 3 gradients" in result.output
    assert "def value_and_grad(" not in (tmp_path / "attention.py").read_text()
    note = (tmp_path / "attention.md").read_text()
    assert "## What is never there in full" in note
    assert "of $`S`$, $`A`$, $`D`$ and $`\\partial L/\\partial S`$ only one block" in note


def test_fast_code_within_a_bound_is_written_and_checked(tmp_path):
    result = run("--style", "fast", "--memory", "4M", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert "MEMORY = 4194304\n" in (tmp_path / "attention_fast.py").read_text()
    assert "fast: 3 gradients" in result.output


def test_code_that_keeps_few_steps_is_written_and_checked(tmp_path):
    arguments = ["derive", "linear_attention_recurrent", "--style", "checkpoints", "--out", str(tmp_path)]
    result = RUNNER.invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "every: int | None = None" in (tmp_path / "linear_attention_recurrent_checkpoints.py").read_text()
    assert "checked checkpoints: 3 gradients" in result.output


def test_where_no_step_can_be_left_out_nothing_is_written(tmp_path):
    result = run("--style", "checkpoints", "--out", str(tmp_path / "out"))
    assert result.exit_code == 2
    assert "nothing here is computed step by step" in " ".join(result.output.split())
    assert not (tmp_path / "out").exists()


def test_plain_code_says_nothing_of_blocks(tmp_path):
    assert run("--out", str(tmp_path)).exit_code == 0
    assert not (tmp_path / "attention_fast.py").exists()
    assert "never there in full" not in (tmp_path / "attention.md").read_text()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--block", "i=8"], "add --style fast"),
        (["--style", "fast", "--block", "q=8"], "there is no index 'q'"),
        (["--style", "fast", "--block", "i"], "not INDEX=LENGTH"),
        (["--style", "fast", "--block", "i=0"], "not INDEX=LENGTH"),
        (["--style", "fast", "--cache", "3X"], "not a number of bytes"),
        (["--style", "fast", "--cache", "0"], "not a number of bytes"),
        (["--memory", "8M"], "add --style fast"),
        (["--style", "fast", "--memory", "3X"], "--memory: '3X' is not a number of bytes"),
        (["--style", "fast", "--memory", "3M"], "4M is the least"),
        (["--style", "fast", "--memory", "8M", "--target", "torch"], "leave memory out, or the target torch"),
        (["--style", "fast", "--at", "T=5"], "no size is given for d"),
        (["--style", "quick"], "quick"),
    ],
)
def test_what_does_not_fit_is_said(options, words, tmp_path):
    result = run(*options, "--out", str(tmp_path / "out"))
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())
    assert not (tmp_path / "out").exists()


def test_code_for_speed_in_pytorch_is_written_and_checked(tmp_path):
    pytest.importorskip("torch")
    result = run("--style", "fast", "--target", "torch", "--block", "i=8", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert "LEAST = 8\n" in (tmp_path / "attention_torch_fast.py").read_text()
    assert (tmp_path / "attention_fast.py").exists()
    assert "torch fast: 3 gradients" in result.output


def test_code_for_speed_that_there_is_not_in_pytorch_is_said(tmp_path):
    pytest.importorskip("torch")
    result = RUNNER.invoke(
        app, ["derive", "discounted_returns", "--style", "fast", "--target", "torch", "--out", str(tmp_path)]
    )
    assert result.exit_code == 0, result.output
    assert "discounted_returns_torch_fast.py: code for speed in PyTorch has no loops over steps" in " ".join(
        result.output.split()
    )
    assert not (tmp_path / "discounted_returns_torch_fast.py").exists()
    assert (tmp_path / "discounted_returns_fast.py").exists()
