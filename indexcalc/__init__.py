"""Write a forward pass in index notation; get its backward pass derived, explained, coded and checked."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from indexcalc.presentation import Presenter, present_with

if TYPE_CHECKING:
    from indexcalc.algebra.sympy_bridge import from_sympy, to_sympy
    from indexcalc.calculus.steps import Derivation, Rule, Section, Step
    from indexcalc.codegen import numpy_module, target_module
    from indexcalc.codegen.checkpoints.module import checkpoints_module
    from indexcalc.codegen.fast import FastOptions, fast_module
    from indexcalc.cost import cost_report
    from indexcalc.errors import IndexCalcError, LimitError, ProgramError, SpecError, UnsupportedError
    from indexcalc.generation import Outputs, generate, render, validate
    from indexcalc.language.api import Program, extents
    from indexcalc.language.formulas import apply, bracket, delta, gradient
    from indexcalc.language.functions import (
        abs,
        atan,
        atan2,
        cholesky,
        clip,
        cos,
        det,
        erf,
        exp,
        gelu,
        inverse,
        log,
        logdet,
        logsoftmax,
        logsumexp,
        max,
        mean,
        min,
        norm2,
        pow,
        reach,
        relu,
        sigmoid,
        sign,
        silu,
        sin,
        softmax,
        softplus,
        sqrt,
        step,
        sum,
        tanh,
        trace,
        var,
        where,
    )
    from indexcalc.language.read import load_problem, read_problem
    from indexcalc.library import find_spec, shipped
    from indexcalc.notes import formula_text, html_note, latex_note, markdown_note
    from indexcalc.problem import Problem
    from indexcalc.proof.report import Report
    from indexcalc.rewrite.derive import derive
    from indexcalc.rewrite.second import newton, second_order
    from indexcalc.writing import write

__all__ = [
    "Derivation",
    "FastOptions",
    "IndexCalcError",
    "LimitError",
    "Outputs",
    "Problem",
    "Program",
    "ProgramError",
    "Report",
    "Rule",
    "Section",
    "SpecError",
    "Step",
    "UnsupportedError",
    "abs",
    "apply",
    "atan",
    "atan2",
    "bracket",
    "check",
    "checkpoints_module",
    "cholesky",
    "clip",
    "cos",
    "cost_report",
    "delta",
    "derive",
    "det",
    "erf",
    "exp",
    "extents",
    "fast_module",
    "find_spec",
    "formula_text",
    "from_sympy",
    "gelu",
    "generate",
    "gradient",
    "html_note",
    "inverse",
    "latex_note",
    "load_problem",
    "log",
    "logdet",
    "logsoftmax",
    "logsumexp",
    "markdown_note",
    "max",
    "mean",
    "min",
    "newton",
    "norm2",
    "numpy_module",
    "pow",
    "reach",
    "read_problem",
    "relu",
    "render",
    "second_order",
    "shipped",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "softmax",
    "softplus",
    "sqrt",
    "step",
    "sum",
    "tanh",
    "target_module",
    "to_sympy",
    "trace",
    "validate",
    "var",
    "where",
    "write",
]

HOMES = {
    "indexcalc.algebra.sympy_bridge": ("from_sympy", "to_sympy"),
    "indexcalc.calculus.steps": ("Derivation", "Rule", "Section", "Step"),
    "indexcalc.checking": ("check",),
    "indexcalc.codegen": ("numpy_module", "target_module"),
    "indexcalc.codegen.checkpoints.module": ("checkpoints_module",),
    "indexcalc.codegen.fast": ("FastOptions", "fast_module"),
    "indexcalc.cost": ("cost_report",),
    "indexcalc.errors": ("IndexCalcError", "LimitError", "ProgramError", "SpecError", "UnsupportedError"),
    "indexcalc.generation": ("Outputs", "generate", "render", "validate"),
    "indexcalc.language.api": ("Program", "extents"),
    "indexcalc.language.formulas": ("apply", "bracket", "delta", "gradient"),
    "indexcalc.language.functions": (
        "abs",
        "atan",
        "atan2",
        "cholesky",
        "clip",
        "cos",
        "det",
        "erf",
        "exp",
        "gelu",
        "inverse",
        "log",
        "logdet",
        "logsoftmax",
        "logsumexp",
        "max",
        "mean",
        "min",
        "norm2",
        "pow",
        "reach",
        "relu",
        "sigmoid",
        "sign",
        "silu",
        "sin",
        "softmax",
        "softplus",
        "sqrt",
        "step",
        "sum",
        "tanh",
        "trace",
        "var",
        "where",
    ),
    "indexcalc.language.read": ("load_problem", "read_problem"),
    "indexcalc.library": ("find_spec", "shipped"),
    "indexcalc.notes": ("formula_text", "html_note", "latex_note", "markdown_note"),
    "indexcalc.problem": ("Problem",),
    "indexcalc.proof.report": ("Report",),
    "indexcalc.rewrite.derive": ("derive",),
    "indexcalc.rewrite.second": ("newton", "second_order"),
    "indexcalc.writing": ("write",),
}
"""The public names of each module."""

EXTENSION = ("load_ipython_extension", "unload_ipython_extension")
"""What IPython asks of the package for ``%load_ext indexcalc``."""

MODULES = {name: module for module, names in HOMES.items() for name in names}
MODULES |= dict.fromkeys(EXTENSION, "indexcalc.notebook.magic")


def __getattr__(name: str) -> object:
    """A public name, imported when it is first asked for, so that importing a floor imports only those below."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(MODULES[name]), name)


def printers() -> Presenter:
    """Who shows results."""
    found: Presenter = import_module("indexcalc.notebook.presenter").PRINTERS
    return found


present_with(printers)


def __dir__() -> list[str]:
    """The public names."""
    return __all__
