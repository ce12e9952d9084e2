"""What the parts of a formula are called in messages, and what kind of parts they are."""

from __future__ import annotations

from indexcalc.document.repair.places import is_rate
from indexcalc.document.repair.vocabulary import (
    Vocabulary,
    indexed,
)
from indexcalc.document.statements.scripts import COLON
from indexcalc.language.latex.tree import Atom, Fraction, Group, Node, Root, Scripted, nodes_of


def called(node: Node, words: Vocabulary) -> str:
    """What a part of a formula is called in a message."""
    found = words.survey.name(node)
    if found is not None:
        return found.name
    if isinstance(node, Scripted):
        return called(node.base, words)
    if isinstance(node, Fraction) and (wrt := denominator_of(node)) is not None:
        return f"the gradient by {called(wrt, words)}"
    return {Group: "the bracket", Root: "the root"}.get(type(node), "the fraction")


def called_factor(node: Node, words: Vocabulary) -> str:
    """What a factor is called; a number by itself."""
    return node.text if isinstance(node, Atom) and node.kind == "NUM" else called(node, words)


def denominator_of(node: Fraction) -> Node | None:
    """What a derivative is taken by."""
    below = node.denominator.only
    return below.items[1] if is_rate(node) and below is not None and len(below.items) == 2 else None


def is_array(node: Node, words: Vocabulary) -> bool:
    """Whether a factor may be a whole array: a bare name or a slice, a gradient or a bracket without indices."""
    if isinstance(node, Scripted) and node.base is not None and not isinstance(node.base, Atom):
        node = node.base
    if isinstance(node, Group | Fraction):
        return not any(is_entry(inner, words) for inner in nodes_of(node)) and node != NOTHING
    found = words.survey.name(node)
    whole = found is not None and (found.parts is None or COLON in found.parts)
    return whole and found is not None and words.names.get(found.name, (node, 0))[1] > 0


def is_entry(node: Node, words: Vocabulary) -> bool:
    """Whether a node has an index and no slot of it runs."""
    found = words.survey.name(node)
    return indexed(node, words.survey) and (found is None or COLON not in (found.parts or ()))


NOTHING = Group("{", (), 0)
