"""Shipped derivations, each derived once for all tests that ask for it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from indexcalc.calculus.steps import Derivation
from indexcalc.language import load_problem
from indexcalc.library import shipped_paths
from indexcalc.rewrite.derive import derive

PATHS = shipped_paths()


@dataclass(frozen=True)
class Shipped:
    """One shipped derivation.

    Attributes:
        name: its name.
    """

    name: str

    @property
    def path(self) -> Path:
        """Its spec."""
        return PATHS[self.name]

    @cached_property
    def derivation(self) -> Derivation:
        """What the engine makes of it."""
        return derive(load_problem(self.path))
