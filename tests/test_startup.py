"""What each command imports: `--help` and `list` need no algebra, and no command what only another one needs."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module

import pytest
from typer.testing import CliRunner

from indexcalc.cli.app import app
from indexcalc.cli.lazy import COMMANDS
from tests.support.pages import ROOT

LOADED = """
import sys
from indexcalc.cli import main
sys.argv = ["indexcalc", *sys.argv[1:]]
try:
    main()
except SystemExit as end:
    code = end.code
print("loaded", code, *sys.modules)
"""

HEAVY = {"sympy", "numpy", "mpmath", "lark", "jinja2", "mdit_py_plugins"}
CHECKER = {"indexcalc.document", "indexcalc.figures", "indexcalc.worksheet"}


def loaded_by(*args, folder):
    """The modules that a command has imported when it ends."""
    command = [sys.executable, "-c", LOADED, *args]
    here = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        command, cwd=folder, env=here, capture_output=True, encoding="utf-8", check=True, timeout=120
    )
    word, code, *modules = result.stdout.splitlines()[-1].split()
    assert (word, code) == ("loaded", "0"), result.stdout
    return set(modules)


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["list"], ["list", "--json"]], ids=" ".join)
def test_what_computes_nothing_imports_nothing_that_computes(tmp_path, args):
    assert not loaded_by(*args, folder=tmp_path) & (HEAVY | CHECKER)


def test_to_derive_takes_nothing_of_the_checker(tmp_path):
    loaded = loaded_by("derive", "softmax", folder=tmp_path)
    assert "sympy" in loaded
    assert not loaded & (CHECKER | {"mdit_py_plugins"})


def test_to_derive_takes_what_makes_code_for_speed_only_where_that_is_asked_for(tmp_path):
    plain = loaded_by("derive", "linear", folder=tmp_path)
    assert not {name for name in plain if name.startswith("indexcalc.codegen.fast.")}
    assert "indexcalc.codegen.fast.module" in loaded_by("derive", "linear", "--style", "fast", folder=tmp_path)


def test_to_check_takes_nothing_that_writes_notes_or_code(tmp_path):
    (tmp_path / "note.md").write_text("$`y_i = 2 x_i`$\n")
    assert "jinja2" not in loaded_by("check", "note.md", folder=tmp_path)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_summary_of_a_command_is_the_first_line_of_its_docstring(name):
    command = COMMANDS[name]
    function = getattr(import_module(command.module), command.function)
    assert function.__doc__.splitlines()[0] == command.summary


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_of_its_own(name):
    result = CliRunner().invoke(app, [name, "--help"])
    assert result.exit_code == 0
    assert COMMANDS[name].summary.split(":")[0].split(",")[0] in " ".join(result.stdout.split())


def test_a_misspelt_command_is_answered_with_the_nearest():
    result = CliRunner().invoke(app, ["derve"])
    assert result.exit_code == 2
    assert "'derive'" in result.stderr
