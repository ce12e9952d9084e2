"""Floor 4: readers of spec texts, and the Python API that builds the same problems."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexcalc.language.read import load_problem, read_problem

__all__ = ["load_problem", "read_problem"]


def __getattr__(name: str) -> object:
    """A reader, imported when it is first asked for: to look for shipped specs takes none of the algebra."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("indexcalc.language.read"), name)
