r"""Names that a page says are no numbers: ``ij = -ji``, ``AB \neq BA``, for factors that may not change places."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from indexcalc.document.statements.outline import EQUALITIES, Statement
from indexcalc.document.statements.survey import Survey
from indexcalc.language.latex.tree import Sum


def noncommuting_in(survey: Survey, statements: Iterable[Statement]) -> frozenset[str]:
    """The names of whose products some statement says that they are other ones in another order."""
    found = set[str]()
    for statement in statements:
        for before, after in pairwise(statement.sides):
            if before.tree is None or after.tree is None:
                continue
            one, other = product_of_names(survey, before.tree), product_of_names(survey, after.tree)
            negated = one[0] != other[0]
            differ = negated if after.relation in EQUALITIES else after.relation == "!=" and not negated
            if differ and one[1] != other[1] and sorted(one[1]) == sorted(other[1]):
                found.update(one[1])
    return frozenset(found)


def product_of_names(survey: Survey, tree: Sum) -> tuple[int, tuple[str, ...]]:
    """The sign of a product of names alone, and the names in order; none if a formula is anything else."""
    if len(tree.terms) != 1:
        return 0, ()
    ((sign, product),) = tree.terms
    names = [survey.name(item) for item in product.items]
    plain = tuple(one.name for one in names if one is not None and one.is_plain and one.parts is None)
    return (sign, plain) if len(plain) == len(names) else (0, ())
