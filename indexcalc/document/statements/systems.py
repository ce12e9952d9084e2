r"""Equations that determine a name without giving it: ``v`` in ``\sum_j S_{ij} v_j = u_i``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from indexcalc.document.statements.kinds import is_about_one_name, is_number
from indexcalc.document.statements.outline import Statement
from indexcalc.document.statements.scripts import COLON, Named
from indexcalc.document.statements.survey import Survey
from indexcalc.document.statements.trees import differentiated, targets
from indexcalc.language.latex.vocabulary import FUNCTIONS, STRUCTURAL

CONSTANTS = frozenset({"1", "I", "delta", "epsilon", "varepsilon", "pi", "e", *FUNCTIONS, *STRUCTURAL})
"""Names that mean the same in every document."""

Names = Callable[[int], Collection[str]]
"""Some names or letters, by the number of a statement."""


def systems_in(
    survey: Survey,
    statements: Sequence[Statement],
    given: Names,
    varying: Names,
    letters: Names,
    *,
    symmetric: Collection[str] = (),
    varied: bool = False,
) -> Mapping[str, tuple[int, ...]]:
    """For each name that equations may determine, their numbers.

    Args:
        survey: the names of the document.
        statements: its statements.
        given: names that something else gives, at each statement.
        varying: names by which something is differentiated there.
        letters: of free indices.
        symmetric: names of matrices of which that is said; they are rather given than others.
        varied: whether names by which something is differentiated are among them, and one of each side.

    It is the one unknown of such an equation: the only name that nothing else gives and that has as many indices as
    the equation has free ones. What is differentiated by varies freely; an equation with it asks where it holds.
    """
    found: dict[str, list[int]] = {}
    for number, statement in enumerate(statements):
        if not is_balance(survey, statement):
            continue
        free, known, below = letters(number), given(number), varying(number)
        sides = [
            {
                one.name
                for one in survey.names(tree)
                if one.name not in known and (varied or one.name not in below) and may_be_unknown(survey, one, free)
            }
            for tree in statement.trees
        ]
        unknown = sides[0] ^ sides[1]
        unknown = unknown.difference(symmetric) or unknown
        first, second = ({one.name for one in survey.names(tree)} for tree in statement.trees)
        unknown -= first & second
        several = varied and all(len(names) == 1 for names in sides)
        if (several or len(unknown) == 1) and not sides[0] & sides[1]:
            for name in sorted(unknown):
                found.setdefault(name, []).append(number)
    return {name: tuple(numbers) for name, numbers in found.items()}


def is_balance(survey: Survey, statement: Statement) -> bool:
    """Whether a statement sets two formulas equal, neither of which is a number or the name that it would give."""
    trees = statement.trees
    if [side.relation for side in statement.sides[1:]] != ["="] or len(trees) != 2:
        return False
    if survey.lone(trees[0]) is not None or any(is_number(tree.lone) for tree in trees):
        return False
    slopes = any(True for tree in trees for find in (differentiated, targets) for _ in find(tree))
    return not slopes and not is_about_one_name(survey, statement)


def may_be_unknown(survey: Survey, found: Named, free: Collection[str]) -> bool:
    """Whether a name is no constant and no function, and has as many indices as are free."""
    usage, parts = survey.usages.get(found.name), found.parts or ()
    varies = found.name not in CONSTANTS and usage is not None and not usage.called
    return varies and found.is_plain and COLON not in parts and len(parts) == len(free)
