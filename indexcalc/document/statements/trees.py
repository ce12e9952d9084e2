"""What stands in a syntax tree: its names, its products and sums, and what it differentiates and divides by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from indexcalc.document.statements.index_expressions import letters_among
from indexcalc.document.statements.scripts import COLON, subscript, with_primes
from indexcalc.errors import IndexCalcError
from indexcalc.language.latex.grammar import parse
from indexcalc.language.latex.tokens import Token
from indexcalc.language.latex.tree import (
    Atom,
    Cases,
    Fraction,
    Group,
    Matrix,
    Node,
    Product,
    Root,
    Scripted,
    Sum,
    Truth,
    nodes_of,
    sums_in,
)

OPERATORS = frozenset({"TIMES", "SLASH", "DOT", "ODOT"})
"""The kinds of signs between two factors."""


def bracketed(node: Node | None) -> Node | None:
    """A factor without the brackets around it."""
    while isinstance(node, Group) and len(node.members) == 1:
        node = node.members[0].lone
    return node


def name_nodes(tree: Node | Product | Sum) -> Iterator[Node]:
    """Names with their scripts, each once; and calls of functions."""
    if isinstance(tree, Atom):
        yield tree
    elif isinstance(tree, Scripted) and isinstance(tree.base, Atom):
        yield tree
        for tokens in tree.above if tree.base.text == "e" and not tree.below else ():
            yield from name_nodes(exponent(tokens))
    else:
        for part in inner_parts(tree):
            yield from name_nodes(part)


def inner_parts(tree: Node | Product | Sum) -> tuple[Node | Product | Sum, ...]:
    """What stands directly inside a tree."""
    match tree:
        case Sum(terms):
            return tuple(term for _, term in terms)
        case Product(items):
            return items
        case Group(members=members):
            return members
        case Fraction(above, below):
            return (above, below)
        case Scripted(base=base):
            return (base,)
        case Root(body):
            return (body,)
        case Matrix():
            return tuple(sums_in(tree))
        case Cases(branches):
            tests = [test for _, conditions in branches for test in conditions if not between_letters(test)]
            return (*(value for value, _ in branches), *(side for test in tests for side in sums_in(test)))
        case _:
            return ()


def between_letters(test: Truth) -> bool:
    """Whether a condition is a relation between two letters, which are indices then and no names."""
    sides = (side.only for side in sums_in(test))
    return all(
        side is not None and len(side.items) == 1 and isinstance(side.items[0], Atom) and side.items[0].kind == "NAME"
        for side in sides
    )


@lru_cache(maxsize=4096)
def exponent(tokens: tuple[Token, ...]) -> Sum:
    """The syntax tree of a superscript; empty if it is none."""
    try:
        return parse(tokens)
    except IndexCalcError:
        return Sum(())


def nodes_and_exponents(member: Sum) -> Iterator[Node]:
    """Every node, those in exponents of Euler's number too."""
    for node in nodes_of(member):
        yield node
        if isinstance(node, Scripted) and isinstance(node.base, Atom) and node.base.text == "e" and not node.below:
            for tokens in node.above:
                yield from nodes_and_exponents(exponent(tokens))


def without_scripts(node: Node) -> Node:
    """What bears the scripts of a node."""
    return node.base if isinstance(node, Scripted) else node


def is_operator(item: object) -> bool:
    """Whether an item stands between two factors."""
    return isinstance(item, Atom) and item.kind in OPERATORS


def is_lone(tree: Sum) -> bool:
    """Whether a formula is one name and no more."""
    return tree.only is not None and len(tree.only.items) == 1 and isinstance(tree.only.items[0], Atom)


def is_nabla(node: Node) -> bool:
    """Whether a node is the sign of a gradient, below which its variable stands."""
    return isinstance(node, Atom) and node.kind == "NABLA"


def letters_in(node: Scripted) -> tuple[str, ...]:
    """The parts of a subscript, also below a sum, where ``k=1`` binds k."""
    if isinstance(node.base, Atom) and node.base.kind == "SUM":
        return tuple(token.text for token in with_primes(node.below) if token.kind == "NAME")
    return tuple(part for part in letters_among(subscript(node.below).parts) if part != COLON)


def differentiated(member: Sum) -> Iterator[Node]:
    """What stands alone behind the sign of a derivative: in a fraction, before a slash, or behind a nabla."""
    for node in nodes_of(member):
        above = node.numerator.only if isinstance(node, Fraction) else None
        if above is not None and len(above.items) == 2 and is_differential(above.items[0]):
            yield above.items[1]
    for product in products_of(member):
        for sign, following in pairwise(product.items):
            if is_nabla(sign.base if isinstance(sign, Scripted) else sign):
                yield following
        for sign, above_, slash, below in zip(*(product.items[n:] for n in range(4)), strict=False):
            if is_differential(sign) and is_differential(below) and isinstance(slash, Atom) and slash.kind == "SLASH":
                yield above_


def nabla_targets(member: Sum) -> Iterator[Node]:
    """What stands below nablas, and the lone arguments of functions behind others."""
    for product in products_of(member):
        for place, sign in enumerate(product.items):
            if not is_nabla(without_scripts(sign)):
                continue
            if isinstance(sign, Scripted) and sign.below:
                below = exponent(sign.below).lone
            else:
                group = product.items[place + 2] if place + 2 < len(product.items) else None
                whole = isinstance(group, Group) and group.bracket == "(" and len(group.members) == 1
                below = group.members[0].lone if whole and isinstance(group, Group) else None
            if below is not None:
                yield below


def targets(member: Sum) -> Iterator[Node]:
    """What stands below the sign of a derivative in a fraction."""
    for node in nodes_of(member):
        below = node.denominator.only if isinstance(node, Fraction) else None
        if below is not None and len(below.items) == 2 and is_differential(below.items[0]):
            yield below.items[1]


def rates(member: Sum) -> Iterator[tuple[Node, Node]]:
    """What is differentiated and what it is differentiated by, where both stand alone in a fraction."""
    for node in nodes_of(member):
        for above, below in rates_at(node):
            yield above[1], below[1]


def rates_at(node: Node) -> Iterator[tuple[Sequence[Node], Sequence[Node]]]:
    """The two factors above and the two below, of which the first is a sign of a derivative, if a node is such."""
    if isinstance(node, Fraction):
        parts = [part.items for part in (node.numerator.only, node.denominator.only) if part is not None]
        if [len(items) for items in parts] == [2, 2] and all(is_differential(items[0]) for items in parts):
            yield parts[0], parts[1]


def gradients(member: Sum) -> Iterator[tuple[Node, Node]]:
    """What stands alone behind a nabla, and the name below it."""
    for product in products_of(member):
        for sign, following in pairwise(product.items):
            below = exponent(sign.below).lone if isinstance(sign, Scripted) and is_nabla(sign.base) else None
            if below is not None:
                yield following, below


def divisors(member: Sum) -> Iterator[Node]:
    """The factors of denominators, those under a root too."""
    for node in nodes_of(member):
        below = node.denominator.only if isinstance(node, Fraction) else None
        if below is not None and not is_differential(below.items[0]):
            for item in below.items:
                yield item
                yield from item.body.only.items if isinstance(item, Root) and item.body.only else ()


def products_of(tree: Sum) -> Iterator[Product]:
    """Every product at every depth."""
    for inner in sums_of(tree):
        for _, term in inner.terms:
            yield term


def sums_of(tree: Sum) -> Iterator[Sum]:
    """Every sum of terms at every depth."""
    yield tree
    for node in nodes_of(tree):
        if isinstance(node, Group):
            yield from node.members
        elif isinstance(node, Fraction):
            yield from (node.numerator, node.denominator)
        elif isinstance(node, Cases | Matrix):
            yield from sums_in(node)
        elif hasattr(node, "body"):
            yield node.body


def is_differential(node: Node) -> bool:
    """Whether a node is the sign of a derivative: a curly or an ordinary d."""
    return isinstance(node, Atom) and (node.kind == "PARTIAL" or (node.kind == "NAME" and node.text == "d"))
