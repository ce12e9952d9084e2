"""What the pages show is what happens: specs, code, terminal output, pieces of notes, links."""

from __future__ import annotations

import re
import struct
import textwrap
from pathlib import Path

import pytest
from typer.testing import CliRunner

import indexcalc as ic
from indexcalc.calculus import pointwise
from indexcalc.cli.app import app
from indexcalc.document import check
from indexcalc.language import sugar
from indexcalc.notes import Detail
from tests.support.pages import PAGES, ROOT, all_blocks, blocks, command, links
from tests.support.rules_page import rules_page

README = ROOT / "README.md"
SHIPPED = ROOT / "derivations"
SPECS = all_blocks("ixc")
SCRIPTS = [page for page in PAGES if blocks(page, "python")]


def test_the_rules_page_is_generated_from_the_tables(golden):
    golden(ROOT / "docs" / "rules.md", rules_page())


@pytest.mark.parametrize("block", SPECS, ids=[f"{b.page}-{n}" for n, b in enumerate(SPECS)])
def test_every_spec_is_derived_and_right(block):
    outputs = ic.generate(ic.derive(ic.read_problem(block.text)))
    assert outputs.report.ok, outputs.report.failures


@pytest.mark.parametrize("page", SCRIPTS, ids=lambda page: page.name)
def test_every_script_runs_and_prints_what_is_shown(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks(page, "python"):
        exec(compile(block.text, page.name, "exec"), names)
    printed = capsys.readouterr().out
    shown = [block.text for block in blocks(page, "text")]
    assert printed == "".join(shown)


@pytest.mark.parametrize("block", all_blocks("python3"), ids=lambda block: block.page)
def test_every_script_with_another_library_runs(block, tmp_path, monkeypatch):
    for name in re.findall(r"^import (torch|jax)$", block.text, re.MULTILINE):
        pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    exec(compile(block.text, block.page, "exec"), {})


def without_numbers(text: str) -> str:
    """The text with times, errors, and where the worst error was seen, left out."""
    text = re.sub(r"\d\.\de-\d+ \(.*\)", "ERROR", text)
    text = re.sub(r"at most [\d.]+ times", "at most RATIO times", text)
    return re.sub(r"\d+\.\d\d s", "TIME", text)


def test_the_terminal_output_is_what_the_command_prints(tmp_path, monkeypatch, regenerated):
    monkeypatch.chdir(tmp_path)
    shown = next(b.text for b in blocks(README, "console") if b.text.startswith("$ indexcalc derive attention\n"))
    result = CliRunner().invoke(app, ["derive", "attention"])
    assert result.exit_code == 0
    printed = "$ indexcalc derive attention\n" + result.stdout
    if without_numbers(shown) != without_numbers(printed):
        assert regenerated(README, shown, printed), f"the command prints\n{printed}"


def test_the_error_is_what_the_command_prints(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = next(b.text for b in blocks(README, "console") if b.text.startswith("error: "))
    Path("mine.ixc").write_text("index i : N\ninput x[i]\ny[i] = x[q]\n")
    assert CliRunner().invoke(app, ["derive", "mine.ixc"]).stderr == shown


def test_the_first_spec_is_the_shipped_one():
    assert blocks(README, "ixc")[0].text == (SHIPPED / "attention" / "attention.ixc").read_text(encoding="utf-8")


def test_the_piece_of_code_stands_in_the_shipped_module(regenerated):
    module = (SHIPPED / "attention" / "attention.py").read_text(encoding="utf-8")
    (piece,) = blocks(README, "py")
    regenerated(README, piece.text, same_piece(module, piece.text))
    (piece,) = blocks(README, "py")
    assert piece.text in module


def same_piece(module: str, piece: str) -> str:
    """The lines of a module from the first line of a piece to the statement under its last comment."""
    lines = module.splitlines(keepends=True)
    comments = [line for line in piece.splitlines(keepends=True) if line.lstrip().startswith("#")]
    start, last = lines.index(comments[0]), lines.index(comments[-1])
    end = next(n for n in range(last + 1, len(lines)) if lines[n].lstrip().startswith(("#", "return")))
    return "".join(lines[start:end])


def test_the_checked_page_is_what_the_command_prints(tmp_path, monkeypatch, regenerated):
    monkeypatch.chdir(tmp_path)
    (page,) = blocks(README, "tex")
    Path("note.tex").write_text(page.text, encoding="utf-8")
    shown = next(b.text for b in blocks(README, "console") if b.text.startswith("$ indexcalc check note.tex\n"))
    result = CliRunner().invoke(app, ["check", "note.tex"], env={"COLUMNS": "80"})
    assert result.exit_code == 1
    printed = "".join(f"{line.rstrip()}\n" for line in ["$ indexcalc check note.tex", *result.stdout.splitlines()])
    if without_numbers(shown) != without_numbers(printed):
        assert regenerated(README, shown, printed), f"the command prints\n{printed}"


def test_the_correction_that_the_page_shows_is_the_derived_gradient():
    """What is offered for the wrong line is what the engine derives, by the checker's own reading of both."""
    (page,) = blocks(README, "tex")
    wrong = r"- \sum_l \frac{\partial L}{\partial A_{il}} A_{ij}"
    assert page.text.count(wrong) == 1
    right = page.text.replace(wrong, wrong.replace("A_{ij}", "A_{il}"))
    assert [claim.line for claim in check(page.text, "note.tex").refuted] == [5]
    assert {str(claim.verdict) for claim in check(right, "note.tex").claims} == {"proved", "definition"}


def source_of_picture(path: Path) -> str:
    """The text in a PNG's `iTXt` chunk, uncompressed, under the keyword `Source`."""
    data, start = path.read_bytes(), 8
    while start < len(data):
        length, kind = struct.unpack(">I4s", data[start : start + 8])
        content = data[start + 8 : start + 8 + length]
        if kind == b"iTXt" and content.startswith(b"Source\0"):
            return content.split(b"\0", 5)[5].decode("utf-8")
        start += length + 12
    raise AssertionError(f"{path} does not say what it was made of")


def test_the_picture_of_the_note_shows_the_page_as_it_is():
    derivation = ic.derive(ic.load_problem(SHIPPED / "attention" / "attention.ixc"))
    page = ic.html_note(derivation, detail=Detail.BRIEF)
    assert source_of_picture(ROOT / "docs" / "images" / "note.png") in page


def test_the_readme_is_short():
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 200


def test_every_page_is_in_the_index():
    index = ROOT / "docs" / "index.md"
    assert {page.name for page in index.parent.glob("*.md")} - {"index.md"} <= set(links(index))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    for target in links(page):
        assert (page.parent / target).exists(), target


def test_both_commands_start_from_nothing():
    for name, last in (("main", "indexcalc derive attention"), ("test", "pytest -n auto")):
        assert command(name).startswith("python3 -m venv .venv && ")
        assert command(name).endswith(f".venv/bin/{last}")
        assert f"{command(name)}\n" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_every_pointwise_function_and_composite_is_on_the_rules_page():
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    for row in (*pointwise.ROWS, *sugar.ROWS):
        assert f"| `{row.name}" in page


def test_texts_are_dedented():
    assert all(textwrap.dedent(block.text) == block.text for block in SPECS)
