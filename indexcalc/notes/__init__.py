"""Floor 5: a derivation as a note in Markdown or LaTeX, and as lines of readable text."""

from indexcalc.notes.markdown import markdown_note
from indexcalc.notes.outline import displayed_equations
from indexcalc.notes.tex import latex_note
from indexcalc.notes.text import formula_text
from indexcalc.notes.views import VIEWS

__all__ = ["VIEWS", "displayed_equations", "formula_text", "latex_note", "markdown_note"]
