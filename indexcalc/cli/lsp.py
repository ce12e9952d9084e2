"""``indexcalc lsp``: what editors ask while somebody writes a spec or a document."""

from __future__ import annotations

import os

from indexcalc.cli.mistakes import mistakes_reported
from indexcalc.cli.version import package_version
from indexcalc.errors import UnsupportedError


def serve_editor() -> None:
    """Answer an editor over standard input and output (Language Server Protocol)."""
    with mistakes_reported():
        if not hasattr(os, "fork"):
            raise UnsupportedError(
                "the language server needs a system that can fork, such as Linux or macOS; use WSL on Windows"
            )
        try:
            # The other commands run without the server and its libraries.
            from indexcalc.editors.server import serve  # noqa: PLC0415
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
                raise
            raise UnsupportedError(f"{error.name} is not installed (pip install 'indexcalc[lsp]')") from error
        serve(package_version())
