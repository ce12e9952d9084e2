"""What the page about worksheets and views shows is what the commands print and write."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from indexcalc.cli.app import app
from tests.support.pages import ROOT, blocks

PAGE = ROOT / "docs" / "worksheets-and-views.md"
WORKSHEET, VIEWS = (block.text.removeprefix("$ indexcalc ").split() for block in blocks(PAGE, "console"))


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """A folder with the spec and the values of the page."""
    (spec,), (values,) = blocks(PAGE, "ixc"), blocks(PAGE, "toml")
    (tmp_path / "mine.ixc").write_text(spec.text, encoding="utf-8")
    (tmp_path / "values.toml").write_text(values.text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_pieces_of_the_worksheet_stand_in_it(folder):
    sheet = CliRunner().invoke(app, WORKSHEET)
    assert sheet.exit_code == 0, sheet.output
    pieces = blocks(PAGE, "text")
    assert len(pieces) == 2
    assert all(f"```text\n{piece.text}```" in sheet.output for piece in pieces)


def test_the_views_stand_in_the_note(folder):
    assert CliRunner().invoke(app, VIEWS).exit_code == 0
    with_views = (folder / "out" / "attention" / "attention.md").read_text(encoding="utf-8")
    without = (ROOT / "derivations" / "attention" / "attention.md").read_text(encoding="utf-8")
    row, entry = (f"```math\n{block.text}```" for block in blocks(PAGE, "math"))
    assert row in with_views.split("## Row by row")[1].split("\n## ")[0]
    assert entry in with_views.split("## One entry in one formula")[1].split("\n## ")[0]
    assert row not in without
    assert entry not in without
