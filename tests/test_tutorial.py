"""The tutorial runs from top to bottom, and shows what it shows."""

from __future__ import annotations

from importlib.util import find_spec

from tests.support.notebooks import read, shell_in, shown, text_of
from tests.support.pages import ROOT

TUTORIAL = ROOT / "docs" / "tutorial.ipynb"


def test_the_tutorial_shows_what_it_stores(tmp_path, monkeypatch, golden):
    """Cells that need a library that is missing are left out, and so are those that follow from them."""
    monkeypatch.chdir(tmp_path)
    notebook = read(TUTORIAL)
    with shell_in(tmp_path) as shell:
        for cell in notebook["cells"]:
            tags = cell["metadata"].get("tags", [])
            if cell["cell_type"] == "code" and all(find_spec(tag) is not None for tag in tags):
                cell["outputs"] = shown(shell, "".join(cell["source"]))
    golden(TUTORIAL, text_of(notebook))
