"""The command where its libraries are missing."""

from __future__ import annotations

import os
import sys

import pytest
from typer.testing import CliRunner

from indexcalc.cli.app import app


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
@pytest.mark.parametrize("missing", ["pygls", "lsprotocol"])
def test_a_missing_library_is_told_with_the_way_out(missing, monkeypatch):
    for name in [one for one in sys.modules if one.partition(".")[0] in ("pygls", "lsprotocol")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    for name in ("indexcalc.editors.server", "indexcalc.editors.features"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    result = CliRunner().invoke(app, ["lsp"])
    assert result.exit_code == 2
    assert "pip install 'indexcalc[lsp]'" in result.stderr
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1


def test_a_system_that_cannot_fork_is_told(monkeypatch):
    monkeypatch.delattr(os, "fork", raising=False)
    result = CliRunner().invoke(app, ["lsp"])
    assert result.exit_code == 2
    assert "Linux or macOS" in result.stderr
