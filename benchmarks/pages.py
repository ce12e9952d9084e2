"""What benchmarks write into pages: tables between two marks, and what they were measured on."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import platform
from collections.abc import Sequence
from pathlib import Path


def replaced(page: str, name: str, lines: Sequence[str]) -> str:
    """A page with these lines between its marks ``<!-- name: begin -->`` and ``<!-- name: end -->``."""
    before, rest = page.split(f"<!-- {name}: begin -->")
    _, after = rest.split(f"<!-- {name}: end -->")
    return "\n".join([f"{before}<!-- {name}: begin -->", *lines, f"<!-- {name}: end -->{after}"])


def table(head: Sequence[str], rows: Sequence[Sequence[str]], names: int) -> list[str]:
    """The lines of a table, whose first columns are names, and the others numbers."""
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join(["---"] * names + ["---:"] * (len(head) - names)) + " |"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def machine(threads: int, libraries: Sequence[str]) -> str:
    """What it was measured with: threads, processor, versions of Python and of those libraries that are installed."""
    versions = []
    for name in libraries:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions.append(f"{name} {importlib.metadata.version(name)}")
    where = f"{threads} threads on {os.cpu_count()} cores of {processor()}"
    return f"Measured with {where}, Python {platform.python_version()}, {', '.join(versions)}."


def processor() -> str:
    """The processor's name, where the system says it."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
