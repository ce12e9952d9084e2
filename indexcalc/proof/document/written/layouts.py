"""Arrays written out with ellipses: they say how entries are laid out, and claim nothing."""

from __future__ import annotations

from indexcalc.language.latex.tree import Atom, Environment, Group, Scripted, Sum, nodes_of


def lays_out(tree: Sum | None) -> bool:
    """Whether a member is nothing but a matrix or a list with ellipses in it."""
    only = tree.only if tree is not None else None
    if only is None or len(only.items) != 1:
        return False
    item = only.items[0]
    base = item.base if isinstance(item, Scripted) else item
    if isinstance(base, Environment):
        return any(token.kind == "DOTS" for row in base.rows for cell in row for token in cell)
    if isinstance(base, Group) and base.bracket in ("[", "(") and len(base.members) > 1:
        return any(is_ellipsis(member) for member in base.members)
    return False


def is_ellipsis(tree: Sum) -> bool:
    """Whether a member of a list is an ellipsis."""
    return any(isinstance(node, Atom) and node.kind == "DOTS" for node in nodes_of(tree))
