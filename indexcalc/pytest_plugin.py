"""The pytest plugin: ``pytest --indexcalc docs/*.md`` runs one test for each relation of a document.

It is imported at every start of pytest wherever the package is installed, so what checks documents
is imported only when a document is collected.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

SUFFIXES = frozenset({".md", ".tex", ".html", ".htm"})
"""The files that are collected, if they are named on the command line or lie in a folder that is."""


def pytest_addoption(parser: Any) -> None:
    """Add ``--indexcalc``."""
    group = parser.getgroup("indexcalc")
    group.addoption("--indexcalc", action="store_true", help="check the derivations in Markdown, LaTeX and HTML files")


def pytest_collect_file(file_path: Path, parent: Any) -> Any:
    """A document as a file of tests, if the option is given."""
    if not parent.config.getoption("--indexcalc") or file_path.suffix not in SUFFIXES:
        return None
    collecting = import_module("indexcalc.document.collecting")
    return collecting.Derivations.from_parent(parent, path=file_path)
