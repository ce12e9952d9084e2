r"""Names that an equation determines, though none gives them: ``v`` in ``\sum_j S_{ij} v_j = u_i``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from indexcalc.document.statements.outline import Statement
from indexcalc.document.statements.survey import Survey
from indexcalc.document.statements.trees import differentiated
from indexcalc.language.latex.tree import Sum


def ties_in(
    survey: Survey, statements: Iterable[Statement], given: Collection[str], functions: Collection[str]
) -> Mapping[str, frozenset[str]]:
    """The other names in the equations about each name that is neither given by an equation nor declared.

    An equation of which one member is a name by itself that occurs in no other gives that name. One whose members
    hold the same names is an identity, and one with derivatives speaks of these.
    """
    found: dict[str, set[str]] = {}
    for statement in statements:
        trees = statement.trees
        if len(trees) < 2 or any(True for tree in trees for _ in differentiated(tree)):
            continue
        if any(side.relation not in ("", "=") for side in statement.sides):
            continue
        read = [names_in(survey, tree) for tree in trees]
        first = survey.lone(trees[0])
        if all(names == read[0] for names in read) or (first is not None and first.name not in set().union(*read[1:])):
            continue
        every = frozenset().union(*read)
        for name in every - set(given) - set(functions):
            found.setdefault(name, set()).update(every - {name})
    return {name: frozenset(others) for name, others in found.items()}


def names_in(survey: Survey, tree: Sum) -> frozenset[str]:
    """The names in a member."""
    return frozenset(one.name for one in survey.names(tree))
