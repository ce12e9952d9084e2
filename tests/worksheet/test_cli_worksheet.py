"""The command that writes a worksheet."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from indexcalc.cli.app import app

RUN = CliRunner()


def test_the_values_beside_the_spec_are_taken() -> None:
    found = RUN.invoke(app, ["worksheet", "two_token_model", "--digits", "3"])
    assert found.exit_code == 0
    assert "dL/dz[2] = P[2] - y[2] = 0.251 - 1 = -0.749" in found.output


def test_the_sheet_goes_to_a_file(tmp_path) -> None:
    path = tmp_path / "new" / "sheet.md"
    assert RUN.invoke(app, ["worksheet", "two_token_model", "--out", str(path)]).exit_code == 0
    assert path.read_text(encoding="utf-8").startswith("# Worksheet: ")


def test_numbers_to_start_from_are_written_and_fit(tmp_path) -> None:
    path = tmp_path / "values.toml"
    assert RUN.invoke(app, ["worksheet", "attention", "--draw", "--out", str(path)]).exit_code == 0
    found = RUN.invoke(app, ["worksheet", "attention", "--values", str(path)])
    assert found.exit_code == 0
    assert "T = 3, d = 3, d_v = 2" in found.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["attention"], "give the numbers with --values FILE"),
        (["attention", "--values", "none.toml"], "cannot read the values none.toml"),
        (["nothing"], "there is no derivation called"),
    ],
)
def test_a_mistake_is_one_message(arguments: list[str], message: str) -> None:
    found = RUN.invoke(app, ["worksheet", *arguments])
    assert found.exit_code == 2
    assert message in " ".join(found.output.split())
    assert "Traceback" not in found.output
