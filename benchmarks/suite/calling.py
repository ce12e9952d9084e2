"""How a program that is a function is called in every system: its arguments, and the names of its results."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from indexcalc.problem import Problem


def wanted_by(function: Callable[..., Any], known: Mapping[str, Any], array: type) -> dict[str, Any]:
    """What a function takes of what is known; all arrays of a type besides for one that takes any."""
    parameters = inspect.signature(function).parameters
    every = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    return {name: value for name, value in known.items() if name in parameters or (every and isinstance(value, array))}


def named(problem: Problem, found: Any) -> dict[str, Any]:
    """What a program without a loss computes, under the names of the spec."""
    return dict(zip(problem.program.outputs, found if isinstance(found, tuple) else (found,), strict=True))
