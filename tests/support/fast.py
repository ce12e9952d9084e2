"""Fast modules under test: every function, in several settings of blocks and threads, as one candidate."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from indexcalc.calculus.steps import Derivation
from indexcalc.codegen.fast.module import FastModule, FastOptions, fast_module
from indexcalc.generation import loaded
from indexcalc.problem import Problem
from indexcalc.proof.fast import whole_candidate
from indexcalc.proof.gradcheck import Candidate, keywords, module_candidate, stored
from indexcalc.proof.numeric import Array
from indexcalc.proof.oracles import Point


@dataclass(frozen=True)
class Setting:
    """How a module is to run: the least length of a block, the bytes of one, and the threads."""

    least: int
    cache: int
    threads: int


SETTINGS = (
    Setting(64, 1 << 20, 1),
    Setting(1, 1, 1),
    Setting(1, 64, 3),
    Setting(2, 64, 2),
    Setting(3, 100, 1),
)
"""One block, then blocks of one entry, and others that leave a shorter block at the end."""


@dataclass(frozen=True)
class Fast:
    """A derivation with its fast module.

    Attributes:
        problem: with the gradients that the module returns as targets.
        written: what was generated.
        module: imported.
    """

    problem: Problem
    written: FastModule
    module: ModuleType

    @property
    def names(self) -> Mapping[str, str]:
        """The field of every tensor that is returned, and none for the others."""
        return {**dict.fromkeys(self.problem.program.tensors, ""), **self.written.names}

    def inputs(self, values: Mapping[str, Array]) -> list[Array]:
        """The inputs as they are stored."""
        program = self.problem.program
        return [stored(program, tensor.name, values[tensor.name]) for tensor in program.inputs]

    def upstream(self, given: Mapping[str, Array]) -> list[Array]:
        """The upstream gradients as they are stored."""
        return [stored(self.problem.program, up.of, given[up.name]) for up in self.problem.upstream]

    def scalars(self, point: Point) -> Mapping[str, float]:
        """Extents and parameters under their Python names."""
        named = (*point.sizes.items(), *point.parameters.items())
        return {self.written.symbols.get(str(symbol), str(symbol)): value for symbol, value in named}

    def both(self, functions: Any, arrays: Iterable[Array], point: Point) -> tuple[tuple[Array, ...], Any]:
        """The outputs and the gradients that `value_and_grad` returns."""
        run = functions.value_and_grad
        outputs, gradients = run(*arrays, **keywords(run, self.scalars(point)))
        return outputs if len(self.written.outputs) > 1 else (outputs,), gradients


def fast(derivation: Derivation, options: FastOptions | None = None) -> Fast:
    """The fast module of a derivation."""
    written = fast_module(derivation, options)
    return Fast(replace(derivation.problem, targets=written.targets), written, loaded(written.source))


def set_to(module: ModuleType, setting: Setting) -> SimpleNamespace:
    """The functions of a module in one setting."""
    if hasattr(module, "CACHE"):
        module.LEAST, module.CACHE, module.PART = setting.least, setting.cache, 0  # type: ignore[attr-defined]
    names = ("forward", "backward", "value_and_grad")
    return SimpleNamespace(**{name: with_threads(getattr(module, name), setting.threads) for name in names})


def with_threads(function: Callable[..., Any], threads: int) -> Callable[..., Any]:
    """The function with its last keyword argument, the number of threads, given."""
    signature = inspect.signature(function)
    *_, last = signature.parameters

    def run(*arguments: Any, **scalars: Any) -> Any:
        return function(*arguments, **scalars, **{last: threads})

    run.__signature__ = signature  # type: ignore[attr-defined]
    return run


def in_all_settings(fast: Fast, settings: Iterable[Setting] = SETTINGS) -> Candidate:
    """Both ways to run a fast module, in all settings; an error if any two results differ."""

    def candidate(point: Point, upstream: Mapping[str, Array]) -> Mapping[str, Array]:
        known: Mapping[str, Array] = {}
        for setting in settings:
            functions: Any = set_to(fast.module, setting)
            passes = module_candidate(fast.problem, functions, fast.names, fast.written.symbols)
            both = whole_candidate(fast.problem, fast.module, fast.written, setting.threads)
            for way, run in (("forward and backward", passes), ("value_and_grad", both)):
                found = run(point, upstream)
                assert_near(found, known, f"{way} at {setting}")
                known = {**found, **known}
        return known

    return candidate


def assert_near(found: Mapping[str, Array], known: Mapping[str, Array], where: str) -> None:
    """The arrays that both have agree but for rounding, relative to the largest entry."""
    for name in sorted(found.keys() & known.keys()):
        scale = max(np.abs(known[name]).max(initial=0.0), 1e-3)
        np.testing.assert_allclose(found[name], known[name], rtol=0, atol=1e-9 * scale, err_msg=f"{name}, {where}")
