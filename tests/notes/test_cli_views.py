"""The option that asks for more views in a note."""

from __future__ import annotations

from typer.testing import CliRunner

from indexcalc.cli.app import app

RUN = CliRunner()


def test_views_come_into_the_note(tmp_path) -> None:
    found = RUN.invoke(app, ["derive", "linear", "--out", str(tmp_path), "--views", "rows, entries"])
    assert found.exit_code == 0
    assert "Row by row" in (tmp_path / "linear.md").read_text(encoding="utf-8")


def test_an_unknown_view_is_a_mistake(tmp_path) -> None:
    found = RUN.invoke(app, ["derive", "linear", "--out", str(tmp_path / "new"), "--views", "columns"])
    assert found.exit_code == 2
    assert "there are rows, entries" in " ".join(found.output.split())
    assert not (tmp_path / "new").exists()
