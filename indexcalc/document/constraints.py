r"""What a page sets to zero, ``\sum_i \alpha_i y_i = 0``, or says of one name, ``A^2 = A``.

It holds of no inputs in general, and may be assumed.
"""

from __future__ import annotations

from collections.abc import Collection

from indexcalc.document.choices import Interpretation
from indexcalc.document.outcomes import Truth, outcome
from indexcalc.document.page import Page
from indexcalc.document.search import relations
from indexcalc.document.statements.systems import CONSTANTS
from indexcalc.document.statements.trees import differentiated, nabla_targets

SEVERAL = 2
"""The fewest names of a constraint: what is said of one name is a law for it."""


def constraint_on(page: Page, names: Collection[str], own: int, reading: Interpretation) -> int | None:
    """A statement other than a given one that sets an expression of some of these names to zero, where it is not.

    The expression is no single name, which would be defined, and no derivative, which asks where it vanishes. Or it
    gives what is made of one name by the name itself, as that of a projection does, where that is not so.
    """
    for number, statement in enumerate(page.statements):
        trees = statement.trees
        if number == own or len(trees) != len(statement.sides) or len(trees) != 2:
            continue
        read = {found.name for tree in trees for found in page.survey.names(tree)} - CONSTANTS
        slope = any(True for _ in (*differentiated(trees[0]), *nabla_targets(trees[0])))
        law = is_law(page, number) and page.survey.lone(trees[1]) is not None
        if slope or not (law or (trees[1].is_zero and len(read) >= SEVERAL)) or not read.issubset(names):
            continue
        relation = next(relations(page, number), None)
        if relation is not None:
            found = outcome(page, relation, reading, defined=True, cost=0.0, screen=True)
            if found.truth is Truth.FALSE:
                return number
    return None


def is_law(page: Page, number: int) -> bool:
    """Whether a statement speaks of one name, and neither defines it nor says that a matrix is symmetric."""
    return number in page.about_one_name and page.heads[number] is None and number not in page.laws
