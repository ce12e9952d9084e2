"""Code made for speed: each function is checked like plain code, as it is and in blocks of one or two entries."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from indexcalc.codegen.dialect import NUMPY
from indexcalc.problem import Problem
from indexcalc.proof.gradcheck import (
    Candidate,
    check_candidate,
    check_module,
    derivatives_in,
    in_slots,
    keywords,
    stored,
)
from indexcalc.proof.numeric import Array
from indexcalc.proof.oracles import Point
from indexcalc.proof.report import Comparison, Report
from indexcalc.proof.targets import LIBRARIES, adapted_passes, is_installed, taking

if TYPE_CHECKING:
    from indexcalc.codegen.fast.module import FastModule

KERNELS = "triton"
"""The setting that has loops run as kernels."""

INTERPRETER = "TRITON_INTERPRET"
"""The variable of the environment that has kernels run on the processor."""

TILES = {"ROOM": 64, "SIDE": 2}
"""The constants of a module that make tiles so short that the sizes which are tried take several, with an edge."""

STYLE = "fast"
"""The name of the style in reports."""

THREADS = 2
"""How many threads share the blocks of the second check."""


def check_fast(problem: Problem, module: ModuleType, written: FastModule, *, seed: int = 0) -> Report:
    """Compare `forward`, `backward` and `value_and_grad` with the oracles.

    The sizes that are tried fit in one block. So everything is checked again in blocks of two entries,
    shared by two threads.

    Args:
        problem: the forward program and the gradients asked for.
        module: the module, imported.
        written: what was generated.
        seed: of the random inputs and upstream gradients.

    Raises:
        UnsupportedError: if no random inputs satisfy the program's assumptions and domains.
    """
    problem = replace(problem, targets=written.targets)
    passes, what = fast_passes(problem, module, written), style_name(written)
    report = check_module(problem, passes, names=written.names, symbols=written.symbols, seed=seed)
    found = [*named(report, what)]
    whole = f"{what} value_and_grad" if what != STYLE else "value_and_grad"
    found += named(check_candidate(problem, whole_candidate(problem, passes, written), seed=seed), whole)
    if hasattr(module, "CACHE"):
        setting = THREADS if written.target == NUMPY.name else None
        with constants(module, {"CACHE": 1, "LEAST": 2, "PART": 0}):
            blocks = check_candidate(problem, whole_candidate(problem, passes, written, setting), seed=seed)
        found += named(blocks, f"{whole} in blocks")
    if written.kernels and not kernels_missing():
        with constants(module, TILES):
            kernels = check_candidate(problem, kernel_candidate(problem, passes, written), seed=seed)
        found += named(kernels, f"{what} {KERNELS}")
    return replace(report, comparisons=tuple(found))


@contextmanager
def constants(module: ModuleType, values: Mapping[str, float]) -> Iterator[None]:
    """The module with other values for those of some constants that it has, while this lasts."""
    saved = {name: value for name, value in vars(module).items() if name in values}
    vars(module).update({name: values[name] for name in saved})
    try:
        yield
    finally:
        vars(module).update(saved)


def kernels_missing() -> str:
    """Why Triton's kernels can't run here; nothing if they can."""
    if not is_installed(KERNELS):
        return "triton is not installed (pip install 'indexcalc[triton]')"
    if os.environ.get(INTERPRETER) == "1":
        return ""
    return f"they run on the processor in Triton's interpreter alone; set {INTERPRETER}=1"


def unchecked_kernels(written: FastModule) -> tuple[str, ...]:
    """Why the kernels of a module were not checked; nothing if they were, or if there are none."""
    why = kernels_missing() if written.kernels else ""
    return (f"the check of the kernels for {KERNELS}: {why}",) if why else ()


def kernel_candidate(problem: Problem, module: Any, written: FastModule) -> Candidate:
    """`value_and_grad` with the loops as kernels; what a tile holds outside of a tensor may be anything."""
    whole = whole_candidate(problem, module, written, KERNELS)

    def candidate(point: Point, upstream: Mapping[str, Array]) -> Mapping[str, Array]:
        with np.errstate(all="ignore"):
            return whole(point, upstream)

    return candidate


def named(report: Report, what: str) -> list[Comparison]:
    """The comparisons of a report, with what was checked."""
    return [replace(comparison, method=f"{comparison.method}, {what}") for comparison in report.comparisons]


def style_name(written: FastModule) -> str:
    """How reports call the module: ``fast``, or ``torch fast``."""
    return STYLE if written.target == NUMPY.name else f"{written.target} {STYLE}"


def has_library(written: FastModule) -> bool:
    """Whether the array library of the module is installed."""
    return written.target == NUMPY.name or is_installed(written.target)


def fast_passes(problem: Problem, module: ModuleType, written: FastModule) -> Any:
    """The functions of a module, which take NumPy's arrays."""
    if written.target == NUMPY.name:
        return module
    library = LIBRARIES[written.target]()
    passes: Any = adapted_passes(problem, module, library)
    passes.value_and_grad = taking(module.value_and_grad, library.array)
    return passes


class WholeCode(Protocol):
    """Code with one function for both passes, and the names in it."""

    @property
    def names(self) -> Mapping[str, str]:
        """The field of `Gradients` for every gradient."""

    @property
    def symbols(self) -> Mapping[str, str]:
        """The Python name of every parameter and extent."""

    @property
    def outputs(self) -> tuple[str, ...]:
        """The tensors that it returns, in order."""


def whole_candidate(problem: Problem, module: Any, written: WholeCode, setting: int | str | None = None) -> Candidate:
    """`value_and_grad` as a candidate; `setting` is the value of its last keyword argument, if not the default."""
    program = problem.program

    def candidate(point: Point, upstream: Mapping[str, Array]) -> Mapping[str, Array]:
        values = (*point.sizes.items(), *point.parameters.items())
        scalars = {written.symbols.get(str(symbol), str(symbol)): value for symbol, value in values}
        arrays = [stored(program, tensor.name, point.values[tensor.name]) for tensor in program.inputs]
        arrays += [stored(program, up.of, upstream[up.name]) for up in problem.handed]
        function = module.value_and_grad
        *_, name = inspect.signature(function).parameters
        given = {} if setting is None else {name: setting}
        outputs, gradients = function(*arrays, **keywords(function, scalars), **given)
        outputs = (outputs,) if len(written.outputs) == 1 else outputs
        found = {
            name: in_slots(program, name, output, point) for name, output in zip(written.outputs, outputs, strict=True)
        }
        return {**found, **derivatives_in(gradients, problem, module, written.names, point)}

    return candidate
