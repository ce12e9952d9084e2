"""Equations that say what is left over, as ``y = X b + e`` does where b is chosen so that ``X^T (y - X b)`` is 0."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from indexcalc.document.statements.outline import Statement
from indexcalc.document.statements.survey import Survey


def remainders_in(
    survey: Survey,
    statements: Sequence[Statement],
    defining: Mapping[str, Sequence[int]],
    rests_on: Callable[[str, str], bool],
) -> frozenset[int]:
    """The definitions of a name that may say instead what one of their terms is.

    Nothing else says what that term is, and something that is set to zero relates the name to the other terms: with any
    value of the term it would not be zero.
    """

    def rests(names: frozenset[str], other: str) -> bool:
        return other in names or any(rests_on(one, other) for one in names)

    zeros = [one for one in statements if any(tree.is_zero for tree in one.trees)]
    related = [{found.name for tree in one.trees for found in survey.names(tree)} for one in zeros]
    return frozenset(
        number
        for name, numbers in defining.items()
        for number in numbers
        if (others := terms_beside_unknown(survey, statements[number], defining))
        and any(name in names and any(rests(others, one) for one in names - {name}) for names in related)
    )


def terms_beside_unknown(survey: Survey, statement: Statement, defining: Mapping[str, Sequence[int]]) -> frozenset[str]:
    """The names in the terms of a definition beside the one term that is a name without an equation; else none."""
    tree = statement.sides[1].tree if len(statement.sides) > 1 else None
    if tree is None:
        return frozenset()
    alone = [survey.name(term.items[0]) if len(term.items) == 1 else None for _, term in tree.terms]
    unknown = [one.name for one in alone if one is not None and one.name not in defining]
    names = frozenset(found.name for found in survey.names(tree))
    return names - {*unknown} if len(unknown) == 1 else frozenset()
