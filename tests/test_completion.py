"""The scripts of `indexcalc completion`, in the shells that read them: one types, and presses the tabulator."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from indexcalc.cli.app import app
from indexcalc.cli.completion_words import commands
from indexcalc.cli.lazy import COMMANDS
from indexcalc.library import shipped_paths
from tests.support.pages import ROOT

SHELLS = ("bash", "zsh", "fish")
TABULATOR = "\t"


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("completion")
    for shell in SHELLS:
        result = CliRunner().invoke(app, ["completion", shell])
        assert result.exit_code == 0, result.output
        (folder / shell).write_text(result.stdout, encoding="utf-8")
    return folder


def installed(shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")


def answered(descriptor, sign, seconds=60):
    """What a terminal shows until a sign comes."""
    seen, end = "", time.monotonic() + seconds
    while sign not in seen and time.monotonic() < end:
        if select.select([descriptor], [], [], 0.2)[0]:
            seen += os.read(descriptor, 65536).decode("utf-8", "replace")
    assert sign in seen, seen
    return seen


def typed(shell, script, folder, text):
    """The arguments that the command gets when a text is typed, with what the shell completes in it."""
    start = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}[shell]
    ready = {"bash": "", "zsh": "autoload -Uz compinit; compinit -u -D; "}[shell]
    ours, theirs = pty.openpty()
    here = {**os.environ, "TERM": "dumb", "HOME": str(folder), "HISTFILE": ""}
    process = subprocess.Popen(
        start, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=here, start_new_session=True
    )
    os.close(theirs)
    try:
        os.write(ours, f"PS1=; {ready}source {script}; indexcalc() {{ echo GOT \"<$*>\"; }}; echo rea''dy\n".encode())
        answered(ours, "ready")
        os.write(ours, f"indexcalc {text}\n".encode())
        return answered(ours, ">").partition("GOT <")[2].partition(">")[0].split()
    finally:
        process.kill()
        process.wait()
        os.close(ours)


@pytest.mark.parametrize("shell", ["bash", "zsh"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"der{TABULATOR}", ["derive"]),
        (f"derive transf{TABULATOR}", ["derive", "transformer"]),
        (f"derive softmax transf{TABULATOR}", ["derive", "softmax", "transformer"]),
        (f"derive min{TABULATOR}", ["derive", "mine.ixc"]),
        (f"cost transf{TABULATOR}", ["cost", "transformer"]),
        (f"derive --det{TABULATOR}", ["derive", "--detail"]),
        (f"derive --detail br{TABULATOR}", ["derive", "--detail", "brief"]),
        (f"derive --target numpy,ja{TABULATOR}", ["derive", "--target", "numpy,jax"]),
        (f"check no{TABULATOR}", ["check", "note.tex"]),
        (f"check --against transf{TABULATOR}", ["check", "--against", "transformer"]),
        (f"check --format ju{TABULATOR}", ["check", "--format", "junit"]),
        (f"completion fi{TABULATOR}", ["completion", "fish"]),
    ],
    ids=lambda found: found.strip() if isinstance(found, str) else None,
)
def test_what_is_typed_is_completed(shell, text, expected, scripts, tmp_path):
    installed(shell)
    for name in ("mine.ixc", "note.tex", "other.txt"):
        (tmp_path / name).write_text("")
    assert typed(shell, scripts / shell, tmp_path, text) == expected


@pytest.mark.parametrize(
    ("line", "some", "none"),
    [
        ("der", {"derive"}, {"check"}),
        ("derive transf", {"transformer"}, {"softmax"}),
        ("derive mi", {"mine.ixc"}, {"other.txt"}),
        ("derive --det", {"--detail"}, {"--out"}),
        ("derive --detail ", {"brief", "full"}, {"attention"}),
        ("derive --target numpy,", {"numpy,jax", "numpy,torch"}, set()),
        ("check --format ", {"json", "junit"}, {"note.tex"}),
        ("check no", {"note.tex"}, {"other.txt"}),
        ("cost transf", {"transformer"}, set()),
    ],
)
def test_fish_completes(line, some, none, scripts, tmp_path):
    installed("fish")
    for name in ("mine.ixc", "note.tex", "other.txt"):
        (tmp_path / name).write_text("")
    asked = f"source {scripts / 'fish'}; complete -C 'indexcalc {line}'"
    here = {**os.environ, "HOME": str(tmp_path)}
    result = subprocess.run(
        ["fish", "--no-config", "-c", asked], cwd=tmp_path, env=here, capture_output=True, text=True, check=True
    )
    found = {one.partition("\t")[0] for one in result.stdout.splitlines()}
    assert some <= found, result.stderr
    assert not none & found


def test_the_words_are_those_of_the_commands():
    found = {one.name: one for one in commands()}
    assert list(found) == list(COMMANDS)
    for name in ("derive", "cost", "worksheet"):
        assert found[name].argument.words == tuple(shipped_paths())
        assert found[name].argument.endings == (".ixc",)
    for name, command in found.items():
        shown = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "300"}).stdout
        for option in command.options:
            assert all(spelling in shown for spelling in option.names), (name, option)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_finds_no_mistake_in_its_script(shell, scripts):
    installed(shell)
    subprocess.run([shell, "-n", str(scripts / shell)], check=True, capture_output=True)


def test_the_script_is_all_that_is_printed():
    result = subprocess.run(
        [sys.executable, "-m", "indexcalc", "completion", "bash"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.startswith("# Completes indexcalc in bash")
    assert result.stderr == ""
