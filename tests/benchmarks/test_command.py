"""The command that compares the programs of the suite: its rows, its page, its mistakes."""

import dataclasses
import importlib.util

import pytest

from benchmarks.suite.programs import PROGRAMS

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="the other side is PyTorch"),
    pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated"),  # by PyTorch itself
]


@pytest.fixture
def command():
    return importlib.import_module("benchmarks.suite.__main__")


def small(name):
    part = next(part for program in PROGRAMS for part in program.parts if part.name == name)
    return dataclasses.replace(part, stated=part.small)


@pytest.mark.parametrize(("name", "missing"), [("embed_step", ()), ("kfac", ("fast",)), ("newton_step", ("fast",))])
def test_a_row_says_how_wrong_each_side_is(command, capsys, name, missing):
    row = command.compared("some", small(name), 0.0, 1)
    assert row.agrees
    assert {"einsum", "torch", "autograd"} <= set(row.errors)
    assert 0 < row.own < 1e-5
    assert set(missing).isdisjoint(row.ratios)
    assert all(f"{name}, {style}: " in capsys.readouterr().out for style in missing)
    assert len(str(row).strip("| ").split(" | ")) == len(command.HEAD)


def test_a_wrong_derivative_does_not_agree(command):
    row = command.Row("a", "b", 3, 1.0, {"einsum": 2e-3, "torch": 1e-7, "autograd": 1e-7}, {"einsum": 0.5}, 0.1)
    assert not row.agrees
    assert dataclasses.replace(row, errors={"einsum": 2e-3, "autograd": 1e-3}).agrees


def test_lines_count_what_a_spec_says_and_uses_once(command):
    assert command.lines_of("shampoo") == 8
    assert command.lines_of("mlp_step") - command.lines_of("residual_block") == 15


def test_the_table_on_the_page_is_replaced(command):
    row = command.Row("a", "b", 3, 1.0, {"einsum": 1e-7, "autograd": 1e-7}, {"einsum": 0.5}, 0.1)
    page = command.PAGE.read_text(encoding="utf-8")
    once = command.with_table(page, [row])
    assert "| `a` | `b` | 3 | 1.0 s | 1e-07 | 1e-07 | 0.50 | – | – | – | 100.00 ms |" in once
    assert command.with_table(once, [row]) == once
    assert "To be generated" not in once


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["gtp_step"], "there is no program gtp_step"), (["gpt_step", "--write"], "leave the names out")],
)
def test_mistakes_are_told(command, capsys, arguments, words):
    with pytest.raises(SystemExit) as caught:
        command.main(arguments)
    assert caught.value.code == 2
    assert words in capsys.readouterr().err
