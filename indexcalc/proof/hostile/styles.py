"""The styles of generated code as what is checked: from arrays of one format to arrays by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

from indexcalc.codegen.targets import TargetModule
from indexcalc.problem import Problem
from indexcalc.proof.checkpoints import STYLE
from indexcalc.proof.fast import fast_passes, style_name, whole_candidate
from indexcalc.proof.gradcheck import Candidate, module_candidate
from indexcalc.proof.targets import LIBRARIES, adapted_passes

if TYPE_CHECKING:
    from indexcalc.codegen.checkpoints.module import CheckpointsModule
    from indexcalc.codegen.fast.module import FastModule


@dataclass(frozen=True)
class CodeStyle:
    """One style of code.

    Attributes:
        name: how it is called in reports.
        candidate: runs both passes.
        gradients: the tensors whose gradients it returns.
        precision: the context in which it runs.
    """

    name: str
    candidate: Candidate
    gradients: tuple[str, ...]
    precision: Callable[[], AbstractContextManager[Any]] = nullcontext


def reading_style(
    problem: Problem, module: ModuleType, names: Mapping[str, str], symbols: Mapping[str, str]
) -> CodeStyle:
    """The NumPy module for reading."""
    return CodeStyle("numpy", module_candidate(problem, module, names, symbols), problem.targets)


def fast_styles(problem: Problem, module: ModuleType, written: FastModule) -> tuple[CodeStyle, ...]:
    """The module for speed: its two passes, and both in one."""
    asked = replace(problem, targets=written.targets)
    adapted, name = fast_passes(asked, module, written), style_name(written)
    passes = module_candidate(asked, adapted, written.names, written.symbols)
    whole = whole_candidate(asked, adapted, written)
    return CodeStyle(name, passes, written.targets), CodeStyle(f"{name} value_and_grad", whole, written.targets)


def checkpoints_style(problem: Problem, module: ModuleType, written: CheckpointsModule) -> CodeStyle:
    """The module that keeps few steps."""
    return CodeStyle(STYLE, whole_candidate(problem, module, written), written.targets)


def target_style(problem: Problem, module: ModuleType, written: TargetModule) -> CodeStyle:
    """The module for another library."""
    library = LIBRARIES[written.target]()
    adapted = adapted_passes(problem, module, library)
    candidate = module_candidate(problem, adapted, written.names, written.symbols)
    return CodeStyle(written.target, candidate, problem.targets, library.precision)
