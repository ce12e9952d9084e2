"""What commands read: standard input wherever a file is read, several files at once, tables as JSON, words that fit."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from indexcalc.cli import terminal
from indexcalc.cli.app import app
from indexcalc.errors import IndexCalcError, Place
from indexcalc.library import shipped, shipped_paths

RUNNER = CliRunner()
SPEC = "index i : N\ninput x[i]\ny[i] = tanh(x[i])\n"
WRONG = SPEC.replace("x[i])", "q[i])")
RIGHT_NOTE = "$`y_i = 2 x_i`$, $`\\partial y_i / \\partial x_i = 2`$\n"
WRONG_NOTE = "$`y_i = 2 x_i`$, $`\\partial y_i / \\partial x_i = 3`$\n"


def run(*args, given=None):
    return RUNNER.invoke(app, [str(arg) for arg in args], input=given)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"a.ixc": SPEC, "b.ixc": WRONG, "right.md": RIGHT_NOTE, "wrong.md": WRONG_NOTE}.items():
        Path(name).write_text(text, encoding="utf-8")
    return tmp_path


def names(path):
    return sorted(one.name for one in Path(path).iterdir())


def with_values():
    return next(path for path in shipped_paths().values() if path.with_name("values.toml").is_file())


def test_every_command_that_reads_a_spec_reads_standard_input():
    assert run("derive", "-", given=SPEC).exit_code == 0
    written = [*(f"derivation.{ending}" for ending in ("html", "md", "py", "tex")), "validation.json"]
    assert names("out/derivation") == written
    assert run("cost", "-", given=SPEC).stdout.splitlines()[1:] == run("cost", "a.ixc").stdout.splitlines()[1:]
    spec = with_values()
    values = spec.with_name("values.toml")
    by_name = run("worksheet", spec.stem)
    assert by_name.exit_code == 0, by_name.output
    assert run("worksheet", "-", "--values", values, given=spec.read_text("utf-8")).stdout == by_name.stdout
    assert run("worksheet", spec.stem, "--values", "-", given=values.read_text("utf-8")).stdout == by_name.stdout
    Path("sheet.md").write_text(by_name.stdout, encoding="utf-8")
    against = run("check", "sheet.md", "--against", "-", "--values", values, given=spec.read_text("utf-8"))
    assert against.exit_code == 0, against.output
    Path("only.md").write_text("$`\\partial y_i / \\partial x_i = 3`$\n", encoding="utf-8")
    assert run("check", "only.md").exit_code == 0
    assert run("check", "only.md", "--context", "-", given="y_i = 2 x_i\n").exit_code == 1
    assert run("check", "-", given=WRONG_NOTE).exit_code == 1


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["check", "-", "-"], "is a document already; give a document by a path"),
        (["check", "-", "--context", "-"], "is the context already"),
        (["derive", "-", "-"], "is the spec already"),
        (["worksheet", "-", "--values", "-"], "give the values by a path"),
        (["worksheet", "-"], "--values FILE"),
    ],
)
def test_standard_input_is_read_once(args, said):
    result = run(*args, given=RIGHT_NOTE if args[0] == "check" else SPEC)
    assert result.exit_code == 2
    assert said in " ".join(result.stderr.split())
    assert "Traceback" not in result.output


def test_of_several_specs_each_is_derived_and_a_mistake_stops_no_other():
    result = run("derive", "a.ixc", "b.ixc", "linear", "nowhere.ixc")
    assert result.exit_code == 2
    assert names("out") == ["a", "linear"]
    assert "error: b.ixc:3:" in result.stderr
    assert "error: there is no file nowhere.ixc" in result.stderr
    assert result.stdout.count("written ") == 2


def test_of_several_specs_each_has_a_folder_in_the_one_that_is_given():
    assert run("derive", "a.ixc", "linear", "--out", "there").exit_code == 0
    assert names("there") == ["a", "linear"]
    Path("other").mkdir()
    Path("other/a.ixc").write_text(SPEC, encoding="utf-8")
    result = run("derive", "a.ixc", "other/a.ixc", "--out", "twice")
    assert result.exit_code == 2
    assert "the same folder" in result.stderr


def test_of_several_documents_each_is_checked_and_the_worst_is_the_exit_code():
    result = run("check", "right.md", "gone.md", "wrong.md")
    assert result.exit_code == 2
    assert "cannot read gone.md" in result.stderr
    assert [name for name in ("right.md", "wrong.md") if f"\n{name} " in f"\n{result.stdout}"] == [
        "right.md",
        "wrong.md",
    ]
    assert run("check", "right.md", "wrong.md").exit_code == 1
    assert run("check", "right.md", "right.md").exit_code == 0
    found = json.loads(run("check", "right.md", "gone.md", "wrong.md", "--json").stdout)
    assert {claim["file"] for claim in found["claims"]} == {"right.md", "wrong.md"}


def test_what_is_a_table_is_also_json():
    assert json.loads(run("list", "--json").stdout) == [{"name": one.name, "title": one.title} for one in shipped()]
    assert json.loads(run("cost", "linear", "--json").stdout) == json.loads(
        run("cost", "linear", "--format", "json").stdout
    )
    (first, second) = json.loads(run("derive", "attention", "a.ixc", "--json").stdout)
    assert first["name"] == "attention"
    assert "dL/dV[j,p] = Σ_i G[i,p] A[i,j]" in first["results"]
    assert first["claims"] == [{"claim": "Σ_j dL/dS[i,j] = 0", "verdict": "proved"}]
    assert first["ok"]
    files = ("a.md", "a.tex", "a.html", "a.py", "validation.json")
    assert second["files"] == [str(Path("out/a") / name) for name in files]


def shown(width, write):
    stream = io.StringIO()
    write(Console(file=stream, force_terminal=True, width=width, color_system=None))
    return stream.getvalue()


@pytest.mark.parametrize("width", [40, 60, 100])
def test_messages_fit_the_terminal(width):
    words = "this is what was found and that is what would be right " * 4
    line = "y[i] = " + " + ".join(f"x{n}[i]" for n in range(60))
    column = line.index("x37") + 1
    error = IndexCalcError(words.strip(), Place("mine.ixc", 3, column, line))
    text = shown(width, lambda console: terminal.show_error(console, error))
    assert max(map(len, text.splitlines())) <= width
    assert " ".join(words.split()) in " ".join(text.split())
    excerpt, caret = text.splitlines()[-2:]
    assert excerpt[caret.index("^") :].startswith("x37")
    text = shown(width, lambda console: terminal.show_summary(console, "checked", words))
    assert max(map(len, text.splitlines())) <= width
    assert all(row.startswith(" " * 8) for row in text.splitlines()[1:])


def test_a_pipe_gets_every_message_on_one_line():
    stream = io.StringIO()
    terminal.show_summary(Console(file=stream, width=40), "checked", "word " * 40)
    assert len(stream.getvalue().splitlines()) == 1


@pytest.mark.parametrize(
    "args", [["derive", "a.ixc"], ["check", "right.md"], ["cost", "a.ixc"], ["worksheet", "SHEET"]], ids=lambda a: a[0]
)
def test_what_may_take_long_says_what_it_does(args, monkeypatch):
    said = []

    class Recorded(terminal.Progress):
        def __call__(self, doing):
            said.append(doing)

    monkeypatch.setattr(terminal, "Progress", Recorded)
    args = [with_values().stem if arg == "SHEET" else arg for arg in args]
    assert run(*args).exit_code == 0
    assert said


@pytest.mark.parametrize(("width", "beside"), [(40, False), (100, True)])
def test_a_list_fits_the_terminal(width, beside):
    """Where there is no room beside the longest name, each text stands below its name."""
    rows = [("a_name_of_thirty_letters_or_so", "what it is, in so many words that they do not fit"), ("b", "short")]
    lines = shown(width, lambda console: terminal.show_table(console, rows)).splitlines()
    assert max(map(len, lines)) <= width
    assert lines[0].startswith(rows[0][0])
    assert ("what it is" in lines[0]) is beside
    assert lines[-1].endswith("short")
    assert all(line.startswith(" ") for line in lines if not line.startswith(("a_", "b")))
