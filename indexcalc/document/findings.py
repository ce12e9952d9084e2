"""What a report says beside a verdict: that the algebra proves a relation, or what is wrong with it and where it shows.

Nothing here changes what is true or false; it looks at a relation under the interpretation that decided.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from indexcalc.document.diagnosis import DIFFER, Diagnosis, counterexample, diagnosis
from indexcalc.document.meaning.sizes import ShapeError
from indexcalc.document.meaning.symbols import NotUnderstoodError
from indexcalc.document.outcomes import Comparison, Outcome, Relation, comparison, points_of, table_of, trial_of
from indexcalc.document.page import Page
from indexcalc.document.proving import proves
from indexcalc.errors import IndexCalcError


@dataclass(frozen=True)
class Fault:
    """What is wrong with a relation, with values that show it where there are any."""

    diagnosis: Diagnosis = DIFFER
    counterexample: str = ""


def proved(page: Page, relation: Relation, outcome: Outcome) -> bool:
    """Whether the algebra shows the two members equal; False says nothing.

    What is read for a few steps is no proof for all of them, and what holds whatever its names are may be
    unreadable with the equations for them.
    """
    if page.steps.counted.get(relation.place):
        return False
    found = compared(page, relation, outcome)
    if found is None or found.extra is not None or found.conditions:
        return False
    try:
        points = points_of(found.table, found.left, found.right)
    except NotUnderstoodError:
        return False
    return proves(found.left, found.right, points.symbols, found.table.sizes, points.lexicon(found.table.sizes))


def fault(page: Page, relation: Relation, outcome: Outcome) -> Fault:
    """What is wrong with a relation that is false under an interpretation."""
    found = compared(page, relation, outcome)
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


def compared(page: Page, relation: Relation, outcome: Outcome) -> Comparison | None:
    """The members of a relation as they were read for an outcome; None if they cannot be read."""
    if outcome.comparison is not None:
        return outcome.comparison
    with suppress(NotUnderstoodError, ShapeError, IndexCalcError, RecursionError):
        return comparison(table_of(page, relation, outcome.interpretation), relation)
    return None
