"""``indexcalc serve``: a page on this machine that derives as one types, and checks documents."""

from __future__ import annotations

import os
import threading
import webbrowser
from typing import Annotated

import typer
from rich.console import Console

from indexcalc.cli import terminal
from indexcalc.cli.mistakes import mistakes_reported
from indexcalc.errors import UnsupportedError

PORT = 8765


def serve_page(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port on this machine; 0 takes a free one.")] = PORT,
    opens: Annotated[bool, typer.Option("--open/--no-open", help="Whether a browser opens the page.")] = True,
) -> None:
    """Open a page on this machine: derive as one types, and check documents."""
    with mistakes_reported():
        if not hasattr(os, "fork"):
            raise UnsupportedError("the page needs a system that can fork, such as Linux or macOS; use WSL on Windows")
        try:
            # The other commands run without the server and its libraries.
            from indexcalc.playground.serving import ADDRESS, bound_socket, serve  # noqa: PLC0415
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn"):
                raise
            raise UnsupportedError(f"{error.name} is not installed (pip install 'indexcalc[serve]')") from error
        listening = bound_socket(port)
        address = f"http://{ADDRESS}:{listening.getsockname()[1]}/"
        terminal.show_summary(Console(), "open", f"{address}  (Ctrl+C ends it)")
        if opens:
            threading.Timer(1.0, webbrowser.open, (address,)).start()
        serve(listening)
