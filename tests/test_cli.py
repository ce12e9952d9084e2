"""The command line: what it prints, what it writes, and the exit codes 0, 1 and 2."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from indexcalc import generation
from indexcalc.cli import app as commands
from indexcalc.cli import terminal
from indexcalc.cli.check import STYLES
from indexcalc.document.formats import MARKS
from indexcalc.document.report import Verdict

RUNNER = CliRunner()
LINEAR = ["dL/dX[n,f] = Σ_o G[n,o] W[o,f]", "dL/dW[o,f] = Σ_n G[n,o] X[n,f]", "dL/db[o] = Σ_n G[n,o]"]
FILES = ["linear.html", "linear.md", "linear.py", "linear.tex", "validation.json"]


def run(*args: str | Path):
    return RUNNER.invoke(commands.app, [str(arg) for arg in args])


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(autouse=True)
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_derive_prints_the_gradients_and_writes_the_files(tmp_path):
    result = run("derive", "linear")
    assert result.exit_code == 0, result.output
    for line in ["Linear layer", *LINEAR]:
        assert line in [printed.strip() for printed in result.stdout.splitlines()]
    assert re.search(
        r"checked 3 gradients by complex step at \d+ sets of sizes: worst relative error \d\.\de-1\d", result.stdout
    )
    assert re.search(r"written .*linear\.md, linear\.tex, linear\.html, linear\.py, validation\.json", result.stdout)
    assert re.search(r"time +\d+\.\d\d s", result.stdout)
    assert result.stderr == ""
    assert names(tmp_path / "out" / "linear") == FILES
    assert json.loads((tmp_path / "out" / "linear" / "validation.json").read_text())["ok"]


@pytest.mark.parametrize(
    ("name", "shown", "checked"),
    [
        (
            "cross_entropy_hessian",
            "H[n,c,m,d] = δ[n,m] δ[c,d] H_diagonal[n,c] − δ[n,m] H_diagonal[n,c] p[n,d]",
            [
                r"1 gradient by complex step at \d+ sets of sizes",
                "1 Hessian by central differences of gradients by complex step",
                "1 product with a Hessian by central differences of gradients by complex step",
            ],
        ),
        (
            "mlp_hessian_vector",
            "Hc1[h] = Σ_n dZ_dot[n,h]",
            [r"4 products with a Hessian by central differences of gradients by complex step at \d+ sets of sizes"],
        ),
        (
            "softmax_jacobian",
            "Js[n,c] = p[n,c] (s[n,c] − r[n])",
            ["1 Jacobian by", "2 products with a Jacobian by"],
        ),
    ],
)
def test_derive_says_which_derivatives_were_checked(name, shown, checked):
    result = run("derive", name)
    assert result.exit_code == 0, result.output
    assert shown in [printed.strip() for printed in result.stdout.splitlines()]
    (line,) = [printed for printed in result.stdout.splitlines() if printed.startswith("checked")]
    assert len(line.split("; ")) == len(checked)
    for found, expected in zip(line.removeprefix("checked ").split("; "), checked, strict=True):
        assert re.match(expected, found)
        assert re.search(r": worst relative error \d\.\de-\d\d \(\w", found)


def test_the_folder_can_be_chosen(tmp_path):
    assert run("derive", "linear", "--out", tmp_path / "a" / "b").exit_code == 0
    assert names(tmp_path / "a" / "b") == FILES
    assert names(tmp_path) == ["a"]


def test_a_spec_by_its_path(tmp_path):
    spec = tmp_path / "mine.ixc"
    spec.write_text("index i : N\ninput x[i]\ny[i] = tanh(x[i])\n", encoding="utf-8")
    result = run("derive", spec)
    assert result.exit_code == 0, result.output
    assert names(tmp_path / "out" / "mine") == ["mine.html", "mine.md", "mine.py", "mine.tex", "validation.json"]


@pytest.fixture
def nothing_installed(monkeypatch):
    monkeypatch.setattr(generation, "is_installed", lambda target: False)


def test_code_for_other_libraries_goes_beside(tmp_path, nothing_installed):
    result = run("derive", "linear", "--target", "torch, jax,torch")
    assert result.exit_code == 0, result.output
    assert names(tmp_path / "out" / "linear") == sorted([*FILES, "linear_torch.py", "linear_jax.py"])
    assert "import torch" in (tmp_path / "out" / "linear" / "linear_torch.py").read_text()


def test_a_missing_library_is_named_with_its_extra(tmp_path, nothing_installed):
    result = run("derive", "linear", "--target", "jax")
    said = "the check of the code for jax: jax is not installed (pip install 'indexcalc[jax]')"
    assert f"skipped {said}" in result.stdout.splitlines()
    assert json.loads((tmp_path / "out" / "linear" / "validation.json").read_text())["unchecked"] == [said]


@pytest.mark.parametrize(
    ("target", "check"), [("torch", "torch.autograd.gradcheck"), ("jax", "jax.test_util.check_grads")]
)
def test_code_for_an_installed_library_is_checked(tmp_path, target, check):
    pytest.importorskip(target)
    result = run("derive", "linear", "--target", target)
    assert result.exit_code == 0, result.output
    assert re.search(
        rf"checked {target}: 3 gradients, worst relative error \S+; {re.escape(check)} agrees", result.stdout
    )
    report = json.loads((tmp_path / "out" / "linear" / "validation.json").read_text())
    assert check in {comparison["method"] for comparison in report["checks"]}


def test_the_method_of_the_check_is_named(monkeypatch):
    monkeypatch.setattr("indexcalc.proof.gradcheck.method_for", lambda program: "central differences")
    assert "checked 3 gradients by central differences" in run("derive", "linear").stdout


def test_a_spec_comes_from_standard_input(tmp_path):
    text = "index i : N\ninput x[i]\ny[i] = 2 * x[i]\n"
    result = RUNNER.invoke(commands.app, ["derive", "-"], input=text)
    assert result.exit_code == 0
    assert {path.name for path in (tmp_path / "out" / "derivation").iterdir()} >= {"derivation.md", "derivation.py"}
    wrong = RUNNER.invoke(commands.app, ["derive", "-"], input=text.replace("2 * x", "2 * z"))
    assert wrong.exit_code == 2
    assert wrong.stderr.startswith("error: standard input:3:")
    assert RUNNER.invoke(commands.app, ["derive", "-"], input=b"\xff").exit_code == 2
    assert RUNNER.invoke(commands.app, ["cost", "-"], input=text).exit_code == 0


def test_list_names_every_shipped_derivation():
    result = run("list")
    assert result.exit_code == 0
    lines = [line.split(maxsplit=1) for line in result.stdout.splitlines()]
    assert ["attention", "Scaled dot-product attention"] in lines
    assert len({line.index(title) for line, (_, title) in zip(result.stdout.splitlines(), lines, strict=True)}) == 1


def test_version():
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, "indexcalc 0.1.0\n")


def test_help_names_the_commands():
    result = run("--help")
    assert result.exit_code == 0
    assert "derive" in result.stdout
    assert "list" in result.stdout


def test_a_failed_check_writes_nothing_and_says_what_is_wrong(tmp_path, wrong_code):
    result = run("derive", "linear")
    assert result.exit_code == 1
    assert "nothing was written" in result.stderr
    assert re.search(r"dW: WRONG, relative error \S+ \(complex step, worst at N=\d, F=\d, M=\d\)", result.stderr)
    assert "Traceback" not in result.output
    assert names(tmp_path) == []


def test_a_failed_check_can_be_written_all_the_same(tmp_path, wrong_code):
    result = run("derive", "linear", "--force")
    assert result.exit_code == 1
    assert "written all the same" in result.stderr
    assert json.loads((tmp_path / "out" / "linear" / "validation.json").read_text())["ok"] is False


def test_code_that_hostile_inputs_alone_refute_is_a_failed_check(tmp_path, monkeypatch):
    write_otherwise(monkeypatch, "np.exp(z - z_max[:, None])", "np.exp(z)")
    result = run("derive", "softmax")
    assert result.exit_code == 1
    assert "the generated code is not accurate at hostile inputs" in " ".join(result.stderr.split())
    assert names(tmp_path) == []


CLAIMS = "index n : N\nindex c : C\ninput z[n,c]\np[n,c] = softmax[c](z[n,c])\n"


def test_claims_are_named_as_proved():
    Path("mine.ixc").write_text(CLAIMS + "prove sum[c](dL/dz[n,c]) = 0\n", encoding="utf-8")
    assert "proved  Σ_c dL/dz[n,c] = 0" in run("derive", "mine.ixc").stdout.splitlines()


def test_a_claim_without_a_proof_is_evaluated(monkeypatch):
    monkeypatch.setattr("indexcalc.rewrite.prove.Prover.prove", lambda self, claim: None)
    Path("mine.ixc").write_text(CLAIMS + "prove sum[c](p[n,c]) = 1\n", encoding="utf-8")
    result = run("derive", "mine.ixc")
    assert result.exit_code == 0, result.output
    assert "holds   Σ_c p[n,c] = 1 (no proof found; error " in result.stdout


def test_a_false_claim_is_a_failed_check(tmp_path):
    Path("mine.ixc").write_text(CLAIMS + "prove sum[c](dL/dz[n,c]) = 1\n", encoding="utf-8")
    result = run("derive", "mine.ixc")
    assert result.exit_code == 1
    assert "false   Σ_c dL/dz[n,c] = 1" in result.stdout.splitlines()
    assert "a claim of the spec is false; nothing was written" in result.stderr
    assert names(tmp_path) == ["mine.ixc"]


def test_code_that_cannot_be_imported_is_a_failed_check(tmp_path, monkeypatch):
    monkeypatch.setattr(generation, "numpy_module", lambda derivation: "def forward(:\n")
    result = run("derive", "linear")
    assert result.exit_code == 1
    assert "cannot be imported" in result.stderr
    assert names(tmp_path) == []


@pytest.fixture
def wrong_code(monkeypatch):
    write_otherwise(monkeypatch, "return Gradients(dX, dW, db)", "return Gradients(dX, -dW, db)")


def write_otherwise(monkeypatch, old, new):
    """Have a piece of the generated code replaced."""
    right = generation.numpy_module

    def wrong(derivation):
        code = right(derivation)
        assert old in code
        return code.replace(old, new)

    monkeypatch.setattr(generation, "numpy_module", wrong)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["derive"], "Missing argument"),
        (["derive", "attentoin"], "did you mean attention?"),
        (["derive", "nowhere.ixc"], "there is no file nowhere.ixc"),
        (["derive", "."], "is a folder"),
        (["derive", "linear", "--out"], "requires an argument"),
        (["derive", "linear", "--target", "tensorflow"], "no target 'tensorflow'; there are numpy, torch, jax"),
        (["derive", "linear", "--uot", "x"], "No such option"),
        (["dervie", "linear"], "No such command"),
    ],
)
def test_mistakes_on_the_command_line(tmp_path, args, words):
    result = run(*args)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())
    assert "Traceback" not in result.output
    assert names(tmp_path) == []


def test_a_folder_that_cannot_be_written(tmp_path):
    Path("taken").write_text("a file")
    result = run("derive", "linear", "--out", "taken")
    assert result.exit_code == 2
    assert "cannot write to taken" in result.stderr
    assert names(tmp_path) == ["taken"]


def test_an_interrupt_has_a_code_of_its_own(tmp_path, monkeypatch):
    def stop(problem):
        raise KeyboardInterrupt

    monkeypatch.setattr("indexcalc.cli.derive.derive", stop)
    result = run("derive", "linear")
    assert result.exit_code == 130
    assert "interrupted" in result.stderr
    assert names(tmp_path) == []


def test_what_could_steer_the_terminal_is_escaped():
    Path("mine.ixc").write_text(
        'title "a\x1b[31mb\u202ec"\nindex i : N\ninput x[i]\ny[i] = x[i]*x[i]\n', encoding="utf-8"
    )
    result = run("derive", "mine.ixc")
    assert "\x1b" not in result.output
    assert "\u202e" not in result.output


def test_an_error_shows_place_line_and_caret():
    Path("mine.ixc").write_text("index i : N\ninput x[i]\ny[i] = x[q]\n", encoding="utf-8")
    result = run("derive", "mine.ixc")
    assert result.exit_code == 2
    first, line, caret = result.stderr.splitlines()[:3]
    assert first.startswith("error: mine.ixc:3:")
    assert line.strip() == "y[i] = x[q]"
    assert line.index("q") == caret.index("^")


LONG = (
    "index i, j : N\ninput x[i], y[i], z[i]\n"
    + "o[i] = "
    + " + ".join(f"exp({n} * x[i]) * tanh({n} * y[i]) * z[i]" for n in range(2, 12))
)


def test_a_relation_of_any_verdict_is_shown(tmp_path):
    note = tmp_path / "note.md"
    note.write_text("$$x^2 + y^2 \\ge 2 x y$$\n", encoding="utf-8")
    assert "not judged" in run("check", note, "--all").stdout
    assert set(STYLES) == set(MARKS) == set(Verdict)


def test_long_formulas_are_neither_cut_nor_wrapped(tmp_path):
    Path("mine.ixc").write_text(LONG + "\n", encoding="utf-8")
    result = run("derive", "mine.ixc")
    assert result.exit_code == 0, result.output
    (line,) = [line for line in result.stdout.splitlines() if "dL/dz[i] =" in line]
    assert len(line) > 200
    assert "…" not in result.stdout


def subprocess_run(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *args],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONUTF8": "1", **env},
    )


def test_python_m_indexcalc_writes_to_a_pipe_without_control_codes(tmp_path):
    result = subprocess_run("-m", "indexcalc", "derive", "linear")
    assert (result.returncode, result.stderr) == (0, "")
    assert all(line in result.stdout for line in LINEAR)
    assert "\x1b" not in result.stdout
    assert names(tmp_path / "out" / "linear") == FILES


def test_a_mistake_in_a_real_process():
    result = subprocess_run("-m", "indexcalc", "derive", "nowhere.ixc")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("error: there is no file nowhere.ixc")


def test_an_output_that_cannot_hold_greek_gets_escapes():
    result = subprocess_run("-m", "indexcalc", "derive", "linear", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert (result.returncode, result.stderr) == (0, "")
    assert r"dL/db[o] = \u03a3_n G[n,o]" in result.stdout


def test_the_installed_script_is_this_command():
    (entry,) = __import__("importlib.metadata", fromlist=["x"]).entry_points(group="console_scripts", name="indexcalc")
    assert entry.load() is __import__("indexcalc.cli", fromlist=["main"]).main


class Recorder:
    """What a `Status` would do, with a flag instead of a spinner."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.stopped = False

    def start(self) -> None:
        self.started.set()

    def update(self, doing: str) -> None:
        self.doing = doing

    def stop(self) -> None:
        self.stopped = True


@pytest.fixture
def recorder(monkeypatch):
    recorder = Recorder()
    monkeypatch.setattr(terminal, "Status", lambda text, console: recorder)
    return recorder


def test_progress_is_shown_after_a_while(recorder, monkeypatch):
    monkeypatch.setattr(terminal, "PATIENCE", 0.01)
    with terminal.Progress(Console(force_terminal=True, stderr=True)) as progress:
        progress("deriving")
        assert recorder.started.wait(5)
    assert recorder.doing == "deriving"
    assert recorder.stopped


def test_no_progress_for_quick_work_or_without_a_terminal(recorder, monkeypatch):
    with terminal.Progress(Console(force_terminal=True, stderr=True)):
        pass
    assert not recorder.started.is_set()
    monkeypatch.setattr(terminal, "PATIENCE", 0.0)
    with terminal.Progress(Console(force_terminal=False, stderr=True)):
        pass
    assert not recorder.started.wait(0.05)


def test_an_option_that_takes_a_list_may_be_given_several_times(tmp_path):
    result = run(
        "derive", "linear", "--target", "torch", "--target", "jax", "--format", "md,tex", "--out", str(tmp_path)
    )
    assert result.exit_code == 0
    written = {path.name for path in tmp_path.iterdir()}
    assert {"linear_torch.py", "linear_jax.py", "linear.md", "linear.tex"} <= written
    assert "linear.html" not in written
