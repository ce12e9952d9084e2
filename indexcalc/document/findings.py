"""What a report says beside a verdict: that the algebra proves a relation, or what is wrong with it and where it shows.

Nothing here changes what is true or false; it reads a relation again under the interpretation that decided.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from indexcalc.document.choices import Interpretation
from indexcalc.document.diagnosis import DIFFER, counterexample, diagnosis
from indexcalc.document.meaning.sizes import ShapeError
from indexcalc.document.meaning.symbols import NotUnderstoodError
from indexcalc.document.outcomes import Comparison, Relation, comparison, points_of, table_of, trial_of
from indexcalc.document.page import Page
from indexcalc.document.proving import proves
from indexcalc.errors import IndexCalcError


@dataclass(frozen=True)
class Fault:
    """What is wrong with a relation: in words, with values that show it where there are any."""

    reason: str = DIFFER
    counterexample: str = ""


def proved(page: Page, relation: Relation, interpretation: Interpretation) -> bool:
    """Whether the algebra shows the two members equal; False says nothing."""
    found = compared(page, relation, interpretation)
    if found is None or found.extra is not None or found.conditions:
        return False
    points = points_of(found.table, found.left, found.right)
    return proves(found.left, found.right, points.symbols, found.table.sizes, points.lexicon(found.table.sizes))


def fault(page: Page, relation: Relation, interpretation: Interpretation) -> Fault:
    """What is wrong with a relation that is false under an interpretation."""
    found = compared(page, relation, interpretation)
    if found is None or found.extra is not None:
        return Fault()
    table = found.table
    trial = trial_of(table, found.left, found.right, found.over, found.conditions)
    if not trial.failures:
        return Fault()
    return Fault(
        diagnosis(trial.failures, (found.left, found.right), table.sizes),
        counterexample(trial.failures[0], found.over, tuple(found.letters.values()), table.sizes),
    )


def compared(page: Page, relation: Relation, interpretation: Interpretation) -> Comparison | None:
    """The members of a relation under an interpretation; None if they cannot be read."""
    with suppress(NotUnderstoodError, ShapeError, IndexCalcError, RecursionError):
        return comparison(table_of(page, relation, interpretation), relation)
    return None
