"""Code that keeps few steps: checked like plain code, with segments of the usual length and with short ones."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING

from indexcalc.problem import Problem
from indexcalc.proof.fast import named, whole_candidate
from indexcalc.proof.gradcheck import check_candidate
from indexcalc.proof.report import Comparison

if TYPE_CHECKING:
    from indexcalc.codegen.checkpoints.module import CheckpointsModule

STYLE = "checkpoints"
"""The name of the style in reports."""

LENGTHS = (None, 1, 2)
"""The lengths of segments that are tried; the first is the usual one."""


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
    for every in LENGTHS:
        report = check_candidate(problem, whole_candidate(problem, module, written, every), seed=seed)
        found += named(report, STYLE if every is None else f"{STYLE}, segments of {every}")
    return tuple(found)
