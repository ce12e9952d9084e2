r"""Normalisations written for one feature: ``x_i - \mu``, although ``\mu`` is declared with an entry for each feature.

With ``\mu, \gamma \in \mathbb{R}^d`` and ``x_i`` a sample, what is written holds for each feature alone. Nothing
joins the features, so that the names are read as numbers, those of one feature.
"""

from __future__ import annotations

from collections.abc import Iterator

from indexcalc.language.latex.tree import Sum
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import Roles, names_of_tree
from indexcalc.proof.document.written.scripts import Named
from indexcalc.proof.document.written.trees import sums_of


def drop_features(roles: Roles) -> None:
    """Take back the declared slots of vectors that are added to entries, and of those declared like them."""
    symbols = roles.symbols
    sizes = {name for statement in roles.statements for tree in statement.trees for name in added_sizes(roles, tree)}
    for size in sizes:
        names = {name for name in symbols.slots if declared_size(roles, name) == size}
        if not names or any(joins_features(roles, statement, names) for statement in roles.statements):
            continue
        for name in names:
            del symbols.slots[name]
            symbols.given.discard(name)


def declared_size(roles: Roles, name: str) -> str:
    """The declared size of a vector; empty for anything else."""
    slots = roles.symbols.slots.get(name, ())
    return roles.symbols.sizes.name_of(slots[0]) if len(slots) == 1 else ""


def added_sizes(roles: Roles, tree: Sum) -> Iterator[str]:
    """The sizes of vectors, whole, beside entries under one letter in a sum."""
    for inner in sums_of(tree):
        alone = [roles.survey.name(term.items[0]) for _, term in inner.terms if len(term.items) == 1]
        names = [name for name in alone if name is not None]
        if any(is_entry(name) for name in names):
            yield from (size for name in names if name.parts is None and (size := declared_size(roles, name.name)))


def is_entry(name: Named) -> bool:
    """Whether a name stands under one letter, and for a number by the looks of it."""
    return name.parts is not None and len(name.parts) == 1 and name.parts[0].isalpha() and not name.bold


def joins_features(roles: Roles, statement: Statement, names: set[str]) -> bool:
    """Whether a statement has some of these vectors beside a matrix, transposed, or under a letter of their own sum."""
    found = [name for tree in statement.trees for name in names_of_tree(roles, tree)]
    if not any(name.name in names for name in found):
        return False
    matrices = any(len(roles.symbols.slots.get(name.name, ())) > 1 for name in found)
    return matrices or any(name.name in names and name.transposed for name in found)
