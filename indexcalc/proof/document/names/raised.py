"""Vectors that bear an index above them and none below: ``w^T x^{(i)}``, and ``h(x^{(i)})`` where ``h(x) = w^T x``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from indexcalc.language.latex.tree import Group, Node
from indexcalc.proof.document.layers.labels import ABOVE_NAMES
from indexcalc.proof.document.written.roles import Roles
from indexcalc.proof.document.written.scripts import Named
from indexcalc.proof.document.written.survey import Survey
from indexcalc.proof.document.written.trees import products_of


def raised_vectors(roles: Roles) -> frozenset[str]:
    """The names with an index above them that stand where a vector must, or for a parameter that does."""
    behind: set[str] = set()
    passed: dict[str, set[str]] = {}
    for left, right in pairs(roles):
        inner = argument(roles.survey, right) if isinstance(right, Group) else roles.survey.name(right)
        if left is None or inner is None:
            continue
        if left.transposed:
            behind.add(inner.name)
        elif isinstance(right, Group):
            passed.setdefault(left.name, set()).add(inner.name)
    found = {name for names in passed.values() if names & behind for name in names} | behind
    return frozenset(name for name in found if name.endswith(ABOVE_NAMES))


def pairs(roles: Roles) -> Iterator[tuple[Named | None, Node]]:
    """The factors of all products side by side, the first of two by its name."""
    for statement in roles.statements:
        for tree in statement.trees:
            for product in products_of(tree):
                for left, right in pairwise(product.items):
                    yield roles.survey.name(left), right


def argument(survey: Survey, group: Group) -> Named | None:
    """The name that stands alone in brackets."""
    only = group.members[0].only if len(group.members) == 1 else None
    return survey.name(only.items[0]) if only is not None and len(only.items) == 1 else None
