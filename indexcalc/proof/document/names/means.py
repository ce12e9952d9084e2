r"""Means: in ``\frac{1}{D} \sum_m``, D is the number of values of m, unless the document says something else of it.

A claim that holds for any D holds for that one too: this can save a true claim and accuse none.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from indexcalc.language.latex.tree import Atom, Fraction, Node, Scripted
from indexcalc.proof.document.meaning.sizes import Ix, ShapeError
from indexcalc.proof.document.written.outline import Statement
from indexcalc.proof.document.written.roles import Roles, heads, names_of_tree
from indexcalc.proof.document.written.trees import products_of


def tie_means(roles: Roles) -> None:
    """Letters that nothing but a mean speaks of are the sizes of the slots over which the means run."""
    found: dict[str, list[Ix]] = {}
    sizes = roles.symbols.sizes
    for statement in roles.statements:
        for divisor, letter in means_in(statement):
            found.setdefault(divisor, []).extend(slots_of(roles, statement, letter))
    for name, slots in found.items():
        if not slots or not is_unknown(roles, name):
            continue
        roles.symbols.slots.pop(f"{name} as scalar", None)
        for slot in slots:
            try:
                sizes.unify(sizes.named(name), slot)
            except ShapeError:
                continue


def means_in(statement: Statement) -> Iterator[tuple[str, str]]:
    """``(divisor, index)`` of every number over a capital or small letter before a sum over one index."""
    for tree in statement.trees:
        for product in products_of(tree):
            for left, right in pairwise(product.items):
                letter = summed_letter(right)
                if letter and isinstance(left, Fraction) and is_number(left):
                    yield from ((divisor, letter) for divisor in divisors_of(left))


def summed_letter(node: Node) -> str:
    """The one index of a sum without limits; empty if the node is none."""
    if not isinstance(node, Scripted) or not isinstance(node.base, Atom) or node.base.kind != "SUM" or node.above:
        return ""
    names = [token.text for token in node.below if token.kind not in ("{", "}")]
    return names[0] if len(names) == 1 else ""


def is_number(fraction: Fraction) -> bool:
    """Whether a fraction has a number above."""
    above = fraction.numerator.only
    return above is not None and all(isinstance(item, Atom) and item.kind in ("NUM", "ONE") for item in above.items)


def divisors_of(fraction: Fraction) -> Iterator[str]:
    """The single letters of the alphabet that stand as factors in a denominator."""
    below = fraction.denominator.only
    for item in below.items if below is not None else ():
        if isinstance(item, Atom) and item.kind == "NAME" and len(item.text) == 1 and item.text.isascii():
            yield item.text


def slots_of(roles: Roles, statement: Statement, letter: str) -> Iterator[Ix]:
    """The slots that a letter indexes in a statement."""
    for tree in statement.trees:
        for found in names_of_tree(roles, tree):
            slots = roles.symbols.slots.get(roles.symbols.resolve(found.name), ())
            if found.parts is not None and len(found.parts) == len(slots):
                yield from (slot for part, slot in zip(found.parts, slots, strict=True) if part == letter)


def is_unknown(roles: Roles, name: str) -> bool:
    """Whether a name is a plain number of which the document says nothing."""
    usage = roles.survey.usages.get(name)
    sized = name in roles.symbols.sizes.owners and name not in roles.symbols.assumed.values()
    known = sized or heads(roles, name) or roles.symbols.slots.get(name)
    return not known and usage is not None and not usage.below
