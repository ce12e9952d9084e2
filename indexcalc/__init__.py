"""Write a forward pass in index notation; get its backward pass derived, explained, coded and checked."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexcalc.language.api import Program, extents
    from indexcalc.language.formulas import apply, bracket, delta, gradient
    from indexcalc.language.functions import (
        exp,
        gelu,
        log,
        logsoftmax,
        logsumexp,
        mean,
        norm2,
        relu,
        sigmoid,
        silu,
        softmax,
        softplus,
        sqrt,
        sum,
        tanh,
        var,
    )
    from indexcalc.language.read import load_problem, read_problem

__all__ = [
    "Program",
    "apply",
    "bracket",
    "delta",
    "exp",
    "extents",
    "gelu",
    "gradient",
    "load_problem",
    "log",
    "logsoftmax",
    "logsumexp",
    "mean",
    "norm2",
    "read_problem",
    "relu",
    "sigmoid",
    "silu",
    "softmax",
    "softplus",
    "sqrt",
    "sum",
    "tanh",
    "var",
]

HOMES = {
    "indexcalc.language.api": ("Program", "extents"),
    "indexcalc.language.formulas": ("apply", "bracket", "delta", "gradient"),
    "indexcalc.language.read": ("load_problem", "read_problem"),
}
"""The module of each public name; all others are functions of formulas."""


def __getattr__(name: str) -> object:
    """A public name, imported when it is first asked for, so that importing a floor imports only those below."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = next((module for module, names in HOMES.items() if name in names), "indexcalc.language.functions")
    return getattr(import_module(home), name)
