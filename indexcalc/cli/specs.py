"""The spec that a command is given: a shipped derivation, a file, or standard input."""

from __future__ import annotations

import sys

from indexcalc.language.paths import SIZE_LIMIT, decoded
from indexcalc.language.read import load_problem, read_problem
from indexcalc.library import find_spec
from indexcalc.problem import Problem

STANDARD_INPUT = "-"
GIVEN = "A shipped derivation, or the path of a spec; - is standard input."
"""What the help says of a spec."""


def problem_of(given: str) -> Problem:
    """The problem that a name, a path or standard input poses.

    Raises:
        IndexCalcError: if there is no such spec, or a mistake in it.
    """
    if given != STANDARD_INPUT:
        return load_problem(find_spec(given))
    # One byte more than a spec may have tells a longer one.
    return read_problem(decoded(sys.stdin.buffer.read(SIZE_LIMIT + 1), "standard input"), "standard input")
