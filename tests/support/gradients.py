"""The shipped derivations that ask for gradients alone, which code for speed and costs of gradients are about."""

from __future__ import annotations

import re
from pathlib import Path

from indexcalc.library import shipped_paths

OTHERS = re.compile(r"^(?:product|jacobian|hessian|gauss_newton) ", re.MULTILINE)
"""How a line that asks for a derivative of another kind begins."""


def of_gradients() -> dict[str, Path]:
    """The spec of each of them, by name, in alphabetical order."""
    found = shipped_paths()
    return {name: path for name, path in found.items() if not OTHERS.search(path.read_text(encoding="utf-8"))}
