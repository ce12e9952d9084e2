"""Code made for speed: each function is checked like plain code, as it is and in blocks of one or two entries."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING

from indexcalc.problem import Problem
from indexcalc.proof.gradcheck import Candidate, check_candidate, check_module, in_slots, keywords, stored
from indexcalc.proof.numeric import Array
from indexcalc.proof.oracles import Point
from indexcalc.proof.report import Comparison, Report

if TYPE_CHECKING:
    from indexcalc.codegen.fast.module import FastModule

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
    report = check_module(problem, module, names=written.names, symbols=written.symbols, seed=seed)
    found = [*named(report, "fast")]
    found += named(check_candidate(problem, whole_candidate(problem, module, written), seed=seed), "value_and_grad")
    if hasattr(module, "CACHE"):
        saved = module.CACHE, module.LEAST
        module.CACHE, module.LEAST = 1, 2  # type: ignore[attr-defined]
        try:
            blocks = check_candidate(problem, whole_candidate(problem, module, written, THREADS), seed=seed)
        finally:
            module.CACHE, module.LEAST = saved  # type: ignore[attr-defined]
        found += named(blocks, "value_and_grad in blocks")
    return replace(report, comparisons=tuple(found))


def named(report: Report, what: str) -> list[Comparison]:
    """The comparisons of a report, with what was checked."""
    return [replace(comparison, method=f"{comparison.method}, {what}") for comparison in report.comparisons]


def whole_candidate(problem: Problem, module: ModuleType, written: FastModule, threads: int | None = None) -> Candidate:
    """`value_and_grad` as a candidate."""
    program = problem.program

    def candidate(point: Point, upstream: Mapping[str, Array]) -> Mapping[str, Array]:
        values = (*point.sizes.items(), *point.parameters.items())
        scalars = {written.symbols.get(str(symbol), str(symbol)): value for symbol, value in values}
        arrays = [stored(program, tensor.name, point.values[tensor.name]) for tensor in program.inputs]
        arrays += [stored(program, up.of, upstream[up.name]) for up in problem.upstream]
        function = module.value_and_grad
        *_, threads_name = inspect.signature(function).parameters
        outputs, gradients = function(*arrays, **{**keywords(function, scalars), threads_name: threads})
        outputs = (outputs,) if len(written.outputs) == 1 else outputs
        found = {
            name: in_slots(program, name, output, point) for name, output in zip(written.outputs, outputs, strict=True)
        }
        for target in problem.targets:
            name = problem.gradient_names[target]
            found[name] = in_slots(program, target, getattr(gradients, written.names[name]), point)
        return found

    return candidate
