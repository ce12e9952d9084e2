"""Every place in a syntax tree, with the tree that results when something else stands there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from indexcalc.document.statements.trees import is_differential
from indexcalc.language.latex.tree import Fraction, Group, Node, Product, Root, Scripted, Sum

Subtree = Node | Product | Sum


@dataclass(frozen=True)
class Place:
    """A part of a formula and how to put another in its place.

    Attributes:
        part: what stands there.
        put: the whole formula with another part there.
        whole: whether it is the whole formula.
        before: what stands to the left in the products around it, where the signs of sums over it are.
    """

    part: Subtree
    put: Callable[[Any], Sum]
    whole: bool = False
    before: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Repair:
    """A formula that may have been meant, and what was wrong with the one that stands there.

    Attributes:
        tree: the formula.
        words: the mistake, in words.
        of_factor: whether they name a factor that is missing or too much.
    """

    tree: Sum
    words: str
    of_factor: bool = False


def places(tree: Sum) -> Iterator[Place]:
    """All places of a formula, outermost first."""
    first, *rest = inside(tree, lambda new: new)
    yield replace(first, whole=True)
    yield from rest


def inside(part: Subtree, put: Callable[[Any], Sum], before: tuple[Node, ...] = ()) -> Iterator[Place]:
    """The places of a part."""
    yield Place(part, put, before=before)
    for n, child in enumerate(children(part)):
        left = part.items[:n] if isinstance(part, Product) else ()
        yield from inside(child, partial(filled, put, part, n), (*before, *left))


def filled(put: Callable[[Any], Sum], part: Subtree, n: int, new: Any) -> Sum:
    """The whole formula with a child of one part replaced."""
    return put(with_child(part, n, new))


def children(part: Subtree) -> tuple[Subtree, ...]:
    """The parts directly inside."""
    match part:
        case Sum(terms):
            return tuple(term for _, term in terms)
        case Product(items):
            return items
        case Scripted(base=base) if isinstance(base, Group | Fraction | Root):
            return (base,)
        case Group(_, members):
            return members
        case Fraction(numerator, denominator):
            return rate_items(part) if is_rate(part) else (numerator, denominator)
        case Root(body):
            return (body,)
        case _:
            return ()


def with_child(part: Subtree, n: int, new: Any) -> Subtree:
    """The part with another child at one place."""
    match part:
        case Sum(terms):
            return Sum((*terms[:n], (terms[n][0], new), *terms[n + 1 :]))
        case Product(items):
            return Product((*items[:n], new, *items[n + 1 :]))
        case Scripted():
            return replace(part, base=new)
        case Group(_, members):
            return replace(part, members=(*members[:n], new, *members[n + 1 :]))
        case Fraction() if is_rate(part):
            return with_rate_item(part, n, new)
        case Fraction():
            return replace(part, denominator=new) if n else replace(part, numerator=new)
        case Root():
            return replace(part, body=new)
        case _:
            return part


def is_rate(part: Fraction) -> bool:
    """Whether a fraction is a derivative, or the operator of one."""
    above, below = part.numerator.only, part.denominator.only
    if above is None or below is None or not above.items or len(below.items) < 2:
        return False
    return is_differential(above.items[0]) and is_differential(below.items[0])


def rate_items(part: Fraction) -> tuple[Node, ...]:
    """What is differentiated and by what, without the signs of differentiation."""
    above, below = part.numerator.only, part.denominator.only
    assert above is not None
    assert below is not None
    return (*above.items[1:], *below.items[1:])


def with_rate_item(part: Fraction, n: int, new: Node) -> Fraction:
    """A derivative with another of its `rate_items`."""
    above, below = part.numerator.only, part.denominator.only
    assert above is not None
    assert below is not None
    count = len(above.items) - 1
    items = list(rate_items(part))
    items[n] = new
    numerator = Sum(((1, Product((above.items[0], *items[:count]))),))
    denominator = Sum(((1, Product((below.items[0], *items[count:]))),))
    return replace(part, numerator=numerator, denominator=denominator)
