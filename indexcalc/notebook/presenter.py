"""Who shows results: the printers of this floor, under the names by which results ask for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from indexcalc.calculus.steps import Derivation
from indexcalc.codegen.formula import equation_text
from indexcalc.notebook.functions import function_of
from indexcalc.notebook.html import html_of
from indexcalc.notebook.markdown import equation_latex, markdown_of
from indexcalc.notebook.results import latex_of, note_of
from indexcalc.notebook.texts import Latex, Markdown
from indexcalc.notebook.views import problem_text
from indexcalc.problem import Problem
from indexcalc.program import Equation


class Printers:
    """What `presentation.Presenter` asks for."""

    def equation_text(self, equation: Equation) -> str:
        """``O[i,p] = sum[j](A[i,j] * V[j,p])``."""
        return equation_text(equation.lhs, equation.terms)

    def equation_latex(self, equation: Equation) -> str:
        """LaTeX between dollar signs."""
        return equation_latex(equation)

    def problem_text(self, problem: Problem) -> str:
        """A problem whose spec is not known, as text."""
        return problem_text(problem)

    def markdown(self, result: object) -> str:
        """What a notebook shows of a result."""
        return markdown_of(result)

    def html(self, result: object) -> str:
        """The same as HTML, with formulas in MathML."""
        return html_of(result)

    def note(self, derivation: Derivation, name: str, detail: str) -> Markdown:
        """The note in Markdown, in full or in brief, or a section of it."""
        return note_of(derivation, name, detail)

    def latex(self, derivation: Derivation, name: str) -> Latex:
        """The LaTeX of one result."""
        return latex_of(derivation, name)

    def function(self, derivation: Derivation, target: str) -> Callable[..., Any]:
        """The generated code as a function."""
        return function_of(derivation, target)


PRINTERS = Printers()
