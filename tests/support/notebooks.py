"""Notebooks, run cell by cell in a shell of their own, without a server: what each cell shows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

Cell = dict[str, Any]

KINDS = ("text/html", "text/latex", "text/markdown", "text/plain")
"""What is kept of what a cell shows."""


@contextmanager
def shell_in(folder: Path) -> Iterator[Any]:
    """A shell that keeps its files in a folder, and remembers nothing."""
    shells = pytest.importorskip("IPython.core.interactiveshell", reason="needs IPython: indexcalc[notebook]")
    config = pytest.importorskip("traitlets.config").Config()
    config.HistoryManager.enabled = False
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IPYTHONDIR", str(folder / "ipython"))
        shell = shells.InteractiveShell.instance(config=config)
        try:
            yield shell
        finally:
            shells.InteractiveShell.clear_instance()


def shown(shell: Any, source: str) -> list[Cell]:
    """The outputs of a cell, as a notebook stores them.

    Raises:
        AssertionError: for a cell that fails.
    """
    results: list[Mapping[str, str]] = []
    hook = shell.displayhook
    hook.write_output_prompt = lambda: None
    hook.write_format_data = lambda data, metadata=None: results.append(data)
    with redirect_stdout(StringIO()) as printed:
        found = shell.run_cell(source)
    assert found.success, f"{source}\n{printed.getvalue()}\n{found.error_in_exec or found.error_before_exec!r}"
    outputs: list[Cell] = []
    if printed.getvalue().strip():
        text = printed.getvalue().removesuffix("\n") + "\n"
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines(text)})
    for data in results:
        kept = {kind: lines(data[kind]) for kind in KINDS if kind in data}
        if "text/markdown" in kept:
            # Of a long text its text in quotation marks would be there twice.
            kept["text/plain"] = kept["text/plain"] if len(data["text/plain"]) < 200 else ["..."]
        outputs.append({"data": kept, "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    return outputs


def lines(text: str) -> list[str]:
    """The lines of a text, with their ends."""
    return text.splitlines(keepends=True)


def read(path: Path) -> dict[str, Any]:
    """A notebook."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def text_of(notebook: dict[str, Any]) -> str:
    """A notebook as it is stored."""
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
