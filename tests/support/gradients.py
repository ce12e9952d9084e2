"""The shipped derivations that ask for gradients alone, which code for speed and costs of gradients are about."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from indexcalc.language import load_problem
from indexcalc.library import shipped_paths

OTHERS = re.compile(r"^(?:product|jacobian|hessian|gauss_newton) ", re.MULTILINE)
"""How a line that asks for a derivative of another kind begins."""


def of_gradients() -> dict[str, Path]:
    """The spec of each of them, by name, in alphabetical order."""
    found = shipped_paths()
    return {name: path for name, path in found.items() if not OTHERS.search(path.read_text(encoding="utf-8"))}


@cache
def step_by_step() -> frozenset[str]:
    """The shipped derivations that compute a tensor step by step, or solve for it.

    The check of documents reads little of these, and there is no code for speed for them.
    """
    programs = {name: load_problem(path).program for name, path in shipped_paths().items()}
    return frozenset(name for name, program in programs.items() if program.is_recurrent or program.unknowns)


def at_once() -> dict[str, Path]:
    """The spec of each that computes no tensor step by step and solves no system, by name."""
    return {name: path for name, path in of_gradients().items() if name not in step_by_step()}
