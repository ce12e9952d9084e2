"""Checking a document: its relations by algebra and numbers, or its figures against a model with numbers."""

from __future__ import annotations

from pathlib import Path

from indexcalc.calculus.steps import Derivation
from indexcalc.document.check import check as check_relations
from indexcalc.document.report import CheckReport
from indexcalc.errors import IndexCalcError
from indexcalc.figures import Model, check_figures, model_of
from indexcalc.language import load_problem
from indexcalc.library import find_spec
from indexcalc.rewrite.derive import derive
from indexcalc.worksheet import Values, ValuesError, load_values

VALUES_FILE = "values.toml"
"""The values that lie beside a spec, taken if none are given."""


def check(
    source: str,
    name: str = "note.md",
    context: str = "",
    *,
    against: str | Path | Derivation | None = None,
    values: str | Path | Values | None = None,
) -> CheckReport:
    """Check every relation of a document; with `against`, every number that a worksheet states.

    Args:
        source: the text of the document.
        name: its file name, which says whether it is Markdown, LaTeX or HTML.
        context: what the document leaves unsaid, beside what its own comments say.
        against: the name of a shipped derivation, the path of a spec, or a derivation that the sheet works out.
        values: the numbers that it starts from, or their file; ``values.toml`` beside the spec by default.

    Raises:
        LimitError: if the document is too long.
        SpecError: for a mistake in the context.
        IndexCalcError: if the spec or the values cannot be read or do not fit.
    """
    if against is None:
        if values is not None:
            raise IndexCalcError("values say nothing without the derivation they belong to; give it with against")
        return check_relations(source, name, context)
    return check_figures(source, model_from(against, values), name, context)


def model_from(against: str | Path | Derivation, values: str | Path | Values | None = None) -> Model:
    """A derivation with its numbers.

    Args:
        against: a name, a path or a derivation.
        values: the numbers or their file.

    Raises:
        IndexCalcError: if the spec or the values cannot be read or do not fit.
    """
    if isinstance(against, Derivation):
        if values is None:
            raise ValuesError("a derivation has no file of values beside it; give the numbers with values")
        numbers = values if isinstance(values, Values) else load_values(values, against.problem)
        return model_of(against, numbers)
    path = find_spec(against)
    problem = load_problem(path)
    if isinstance(values, Values):
        return model_of(derive(problem), values)
    file = path.with_name(VALUES_FILE) if values is None else Path(values)
    if values is None and not file.is_file():
        raise ValuesError(f"there is no {VALUES_FILE} beside {path}; give the numbers with --values FILE")
    return model_of(derive(problem), load_values(file, problem))
