"""The option that chooses the formats of a note."""

from __future__ import annotations

from typer.testing import CliRunner

from indexcalc.cli.app import app

RUN = CliRunner()


def test_formats_are_written_as_asked(tmp_path) -> None:
    found = RUN.invoke(app, ["derive", "linear", "--format", "html, md", "--out", str(tmp_path)])
    assert found.exit_code == 0
    assert {path.name for path in tmp_path.iterdir()} == {"linear.html", "linear.md", "linear.py", "validation.json"}
    assert (tmp_path / "linear.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_an_unknown_format_is_a_mistake(tmp_path) -> None:
    found = RUN.invoke(app, ["derive", "linear", "--out", str(tmp_path / "new"), "--format", "pdf"])
    assert found.exit_code == 2
    assert "there are md, tex, html, svg, tikz" in " ".join(found.output.split())
    assert not (tmp_path / "new").exists()
