"""How results show themselves: they live on low floors, and the printers that show them on high ones.

A problem or a derivation asks the presenter for its formulas, its note, or its code. Nothing here knows who that is;
the front of the package, which imports from all floors, says so when it is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class Presenter(Protocol):
    """What results can be shown as."""

    def equation_text(self, equation: Any) -> str:
        """One line of text."""

    def equation_latex(self, equation: Any) -> str:
        """LaTeX between dollar signs."""

    def problem_text(self, problem: Any) -> str:
        """A problem whose spec is not known, as text."""

    def markdown(self, result: Any) -> str:
        """What a notebook shows of a result."""

    def html(self, result: Any) -> str:
        """The same as HTML, with formulas in MathML."""

    def note(self, derivation: Any, name: str, detail: str) -> str:
        """The note in Markdown, in full or in brief, or a section of it."""

    def latex(self, derivation: Any, name: str) -> str:
        """The LaTeX of one result."""

    def function(self, derivation: Any, target: str) -> Callable[..., Any]:
        """The generated code as a function."""


_finders: list[Callable[[], Presenter]] = []


def present_with(find: Callable[[], Presenter]) -> None:
    """Say who shows results; it is looked for when a result is shown for the first time."""
    _finders[:] = [find]


def presenter() -> Presenter:
    """Who shows results."""
    return _finders[0]()
