"""Code that keeps few steps: checked like plain code, with segments of the usual length and with short ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, cycle
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
import sympy as sp

from indexcalc.problem import Problem
from indexcalc.program import Program
from indexcalc.proof.extents import Sizes
from indexcalc.proof.fast import named, whole_candidate
from indexcalc.proof.gradcheck import check_candidate
from indexcalc.proof.report import Comparison
from indexcalc.proof.sampling import runs, size_sets

if TYPE_CHECKING:
    from indexcalc.codegen.checkpoints.module import CheckpointsModule

STYLE = "checkpoints"
"""The name of the style in reports."""

LENGTHS = (None, 1, 2)
"""The lengths of segments that are tried; the first is the usual one."""

STEPS = 9
"""So many steps that there are segments before and behind others, and steps that look back stay within one."""


def check_checkpoints(
    problem: Problem, module: ModuleType, written: CheckpointsModule, *, seed: int = 0
) -> tuple[Comparison, ...]:
    """Compare `value_and_grad` with the oracles, for several lengths of segments.

    Args:
        problem: the forward program and the gradients asked for.
        module: the module, imported.
        written: what was generated.
        seed: of the random inputs and upstream gradients.

    Raises:
        UnsupportedError: if no random inputs satisfy the program's assumptions and domains.
    """
    found: list[Comparison] = []
    sets = (*size_sets(problem.program, np.random.default_rng(seed)), *long_sizes(problem.program, written.lengths))
    for every in LENGTHS:
        report = check_candidate(problem, whole_candidate(problem, module, written, every), seed=seed, sizes=sets)
        found += named(report, STYLE if every is None else f"{STYLE}, segments of {every}")
    return tuple(found)


def long_sizes(program: Program, lengths: Iterable[sp.Expr]) -> Iterator[Sizes]:
    """Sizes with many steps, and all else as small as may be; none if not every index has a value there."""
    symbols = {symbol for length in lengths for symbol in length.free_symbols}
    steps, small = count(STEPS), cycle((2, 3))
    sizes = {extent: next(steps) if extent in symbols else next(small) for extent in program.extents}
    if runs(program, sizes):
        yield sizes
