"""Floor 5: a derivation as a note in Markdown, LaTeX or HTML, and as lines of readable text."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexcalc.notes.familiar import Detail
    from indexcalc.notes.html import html_note
    from indexcalc.notes.markdown import markdown_note
    from indexcalc.notes.outline import displayed_equations
    from indexcalc.notes.pictures import svg_note, tikz_note
    from indexcalc.notes.tex import latex_note
    from indexcalc.notes.text import formula_text
    from indexcalc.notes.views import VIEWS

__all__ = [
    "VIEWS",
    "Detail",
    "displayed_equations",
    "formula_text",
    "html_note",
    "latex_note",
    "markdown_note",
    "svg_note",
    "tikz_note",
]

HOMES = {
    "Detail": "indexcalc.notes.familiar",
    "VIEWS": "indexcalc.notes.views",
    "displayed_equations": "indexcalc.notes.outline",
    "formula_text": "indexcalc.notes.text",
    "html_note": "indexcalc.notes.html",
    "latex_note": "indexcalc.notes.tex",
    "markdown_note": "indexcalc.notes.markdown",
    "svg_note": "indexcalc.notes.pictures",
    "tikz_note": "indexcalc.notes.pictures",
}
"""The module of each public name."""


def __getattr__(name: str) -> object:
    """A public name, imported when it is first asked for: to print one formula takes none of the notes."""
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(HOMES[name]), name)
