r"""The letter of a class, as in ``L = -\log p_y``: an index with one value, which no sum runs over.

As all classes are alike, that value may be the first one.
"""

from __future__ import annotations

from collections.abc import Iterator

from indexcalc.language.latex.tree import Atom, Scripted, Sum, nodes_of
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import EQUATION, Roles, head_of
from indexcalc.proof.document.written.scripts import COLON
from indexcalc.proof.document.written.trees import name_nodes

LETTERS = frozenset({"y", "c", "t"})
"""Letters that authors give to a class, beside those of which their words say so."""


def find_classes(roles: Roles) -> None:
    """The letters that are free in the definition of a tensor without them, and bound or on a left side nowhere."""
    bound: set[str] = set()
    heads: set[str] = set()
    free: set[str] = set()
    for number, statement in enumerate(roles.statements):
        for tree in statement.trees:
            bound.update(summed(tree))
        head = head_of(roles, statement)
        if roles.kinds.get(number) != EQUATION or head is None:
            continue
        heads.update(head.parts or ())
        found = set(indices(roles, statement)) - set(head.parts or ()) - bound
        free.update(found if len(found) == 1 else ())
    roles.symbols.classes = frozenset((free & (LETTERS | roles.symbols.chosen)) - bound - heads)


def indices(roles: Roles, statement: Statement) -> Iterator[str]:
    """The letters that index something in the second member."""
    tree = statement.sides[1].tree
    for node in name_nodes(tree) if tree is not None else ():
        found = roles.survey.name(node)
        if found is not None:
            yield from (part for part in found.parts or () if part != COLON and not part.isdigit())


def summed(tree: Sum) -> Iterator[str]:
    """The letters below sums."""
    for node in nodes_of(tree):
        if isinstance(node, Scripted) and isinstance(node.base, Atom) and node.base.kind == "SUM":
            yield from (token.text for token in node.below if token.kind == "NAME")
