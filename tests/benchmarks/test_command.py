"""The command that compares the programs of the suite: its rows, its tables, its mistakes."""

import dataclasses
import importlib.util

import pytest

from benchmarks.suite.programs import PROGRAMS
from benchmarks.suite.runs import fails
from benchmarks.suite.writing import lines_of_spec

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="the other side is PyTorch"),
    pytest.mark.filterwarnings("ignore:`torch.jit.script"),  # by PyTorch itself
]


@pytest.fixture
def command():
    return importlib.import_module("benchmarks.suite.__main__")


def small(name):
    part = next(part for program in PROGRAMS for part in program.parts if part.name == name)
    return dataclasses.replace(part, stated=part.small)


def row_of(command, errors, times):
    lines = {"spec": 3, "PyTorch": 2, "JAX": 4, "tensorgrad": 5}
    return command.Row("a", "b", lines, errors, dict.fromkeys(times, 1.5), times)


@pytest.mark.parametrize("name", ["embed_step", "kfac", "newton_step"])
def test_a_row_says_how_wrong_each_side_is(command, name):
    sides = tuple(side for side in command.SIDES if side not in command.COMPILED)
    row = command.compared("some", small(name), 0.0, 1, sides)
    assert row.agrees
    assert {"einsum", "fast", "torch", "PyTorch"} <= set(row.errors)
    assert 0 < row.own < 1e-5
    assert set(row.errors) == set(row.ready) == set(row.times)
    assert set(row.errors).isdisjoint(row.absent)


def test_a_wrong_derivative_does_not_agree(command):
    row = row_of(command, {"einsum": 2e-3, "torch": 1e-7, "PyTorch": 1e-7}, {})
    assert not row.agrees
    assert row.wrong == ("einsum",)
    assert dataclasses.replace(row, errors={"einsum": 2e-3, "PyTorch": 1e-3}).agrees
    other = dataclasses.replace(row, errors={"einsum": 1e-7, "torch.compile": 2e-3, "PyTorch": 1e-7})
    assert other.agrees
    assert other.wrong == ("torch.compile",)


def test_the_lines_of_a_spec_are_those_that_say_something_and_what_it_uses_once():
    assert lines_of_spec("shampoo") == 8
    assert lines_of_spec("mlp_step") - lines_of_spec("residual_block") == 15


def test_what_ends_in_an_error_in_a_process_of_its_own_is_told():
    part = small("shampoo")
    assert not fails(part, "einsum", 1)
    assert fails(dataclasses.replace(part, name="no such spec"), "einsum", 1) == "it ends in an error"


def test_the_tables_on_the_page_are_replaced(command):
    times = {"einsum": 0.05, "JAX": 0.2, "PyTorch": 0.1}
    row = row_of(command, {"einsum": 1e-7, "JAX": 3e-7, "PyTorch": 2e-7}, times)
    page = command.PAGE.read_text(encoding="utf-8")
    once = command.with_tables(page, [row], 2)
    assert "| `a` | `b` | 3 | 2 | 4 | 5 |" in once
    assert "| `a` | `b` | 1e-07 | 2e-07 | 3e-07 | – |" in once
    assert "| `a` | `b` | 0.50 | – | – | – | – | 2.00 | – | – | 100.00 ms |" in once
    assert "| `a` | `b` | 1.5 | – | – | – | 1.5 | – | 1.5 | – | – |" in once
    assert "Measured with 2 threads" in once
    assert command.with_tables(once, [row], 2) == once
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
