"""What a formula means: typed index expressions, in which every index is a variable of known binding.

Matrix notation is already written out in indices, so that one representation serves proof and
evaluation. Unlike the engine's terms, sums may stand anywhere, as they do in handwriting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import sympy as sp

from indexcalc.document.meaning.sizes import Ix


@dataclass(frozen=True, slots=True)
class Number:
    """A number."""

    value: sp.Expr


@dataclass(frozen=True, slots=True)
class Size:
    """The extent of an index variable, as a number."""

    index: Ix


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a named tensor; a scalar has no slots."""

    name: str
    slots: tuple[Ix, ...] = ()


@dataclass(frozen=True, slots=True)
class Times:
    """A product."""

    factors: tuple[Meaning, ...]


@dataclass(frozen=True, slots=True)
class Plus:
    """A sum of a few expressions."""

    terms: tuple[Meaning, ...]


@dataclass(frozen=True, slots=True)
class Raised:
    """A power; the exponent is a scalar expression."""

    base: Meaning
    exponent: Meaning


@dataclass(frozen=True, slots=True)
class Applied:
    """An entrywise function."""

    name: str
    argument: Meaning


@dataclass(frozen=True, slots=True)
class Total:
    """A sum over index variables."""

    indices: tuple[Ix, ...]
    body: Meaning


@dataclass(frozen=True, slots=True)
class Value:
    """The value of an index variable, from 0, as a number."""

    index: Ix


@dataclass(frozen=True, slots=True)
class Relation:
    """1 where ``left relation right`` holds between whole numbers, else 0; ``==`` is Kronecker's delta."""

    left: Meaning
    relation: str
    right: Meaning


@dataclass(frozen=True, slots=True)
class Gathered:
    """The entry of `body` at `places`, whole numbers from 0, one for each of the `axes`, which it binds.

    What lies outside an axis has no value; a condition beside it that does not hold there needs none.
    """

    body: Meaning
    axes: tuple[Ix, ...]
    places: tuple[Meaning, ...]


@dataclass(frozen=True, slots=True)
class Ones:
    """An entry of a tensor of ones: 1, but the index occurs."""

    index: Ix


@dataclass(frozen=True, slots=True)
class Inverse:
    """The entry at `slots` of the inverse of a matrix: `body` over the two `axes`, which it binds."""

    body: Meaning
    axes: tuple[Ix, Ix]
    slots: tuple[Ix, Ix]


@dataclass(frozen=True, slots=True)
class Exponential:
    """The entry at `slots` of the exponential of a matrix: `body` over the two `axes`, which it binds."""

    body: Meaning
    axes: tuple[Ix, Ix]
    slots: tuple[Ix, Ix]


@dataclass(frozen=True, slots=True)
class Cholesky:
    """The entry at `slots` of the Cholesky factor of a matrix: `body` over the two `axes`, which it binds."""

    body: Meaning
    axes: tuple[Ix, Ix]
    slots: tuple[Ix, Ix]


@dataclass(frozen=True, slots=True)
class Determinant:
    """The determinant of a matrix: `body` over the two `axes`, which it binds."""

    body: Meaning
    axes: tuple[Ix, Ix]


@dataclass(frozen=True, slots=True)
class Stacked:
    """The entry at `slot` of expressions one behind the other: each of `bodies` over its own axis, which it binds."""

    slot: Ix
    axes: tuple[Ix, ...]
    bodies: tuple[Meaning, ...]


@dataclass(frozen=True, slots=True)
class Derivative:
    """The derivative of `body` by an entry of a tensor; `local` holds all other named tensors, else `held` some."""

    body: Meaning
    wrt: Entry
    local: bool = False
    held: tuple[str, ...] = ()


Meaning = (
    Number
    | Size
    | Entry
    | Times
    | Plus
    | Raised
    | Applied
    | Total
    | Value
    | Relation
    | Gathered
    | Ones
    | Inverse
    | Exponential
    | Cholesky
    | Determinant
    | Stacked
    | Derivative
)

ZERO = Number(sp.S.Zero)
ONE = Number(sp.S.One)
TWO = Number(sp.Integer(2))
HALF = Number(sp.S.Half)


CHILDREN: Mapping[type, Callable[[Any], tuple[Meaning, ...]]] = {
    Times: attrgetter("factors"),
    Plus: attrgetter("terms"),
    Raised: attrgetter("base", "exponent"),
    Applied: lambda node: (node.argument,),
    **dict.fromkeys((Total, Inverse, Exponential, Cholesky, Determinant), lambda node: (node.body,)),
    Stacked: attrgetter("bodies"),
    Relation: attrgetter("left", "right"),
    Gathered: lambda node: (node.body, *node.places),
    Derivative: attrgetter("body", "wrt"),
}
"""What stands directly inside expressions of each kind; nothing inside those that are not named here."""


def children(node: Meaning) -> tuple[Meaning, ...]:
    """The expressions directly inside."""
    inside = CHILDREN.get(type(node))
    return inside(node) if inside is not None else ()


def rebuilt(node: Meaning, change: Callable[[Meaning], Meaning]) -> Meaning:
    """The node with each expression directly inside changed."""
    match node:
        case Times(factors):
            return Times(tuple(change(factor) for factor in factors))
        case Plus(terms):
            return Plus(tuple(change(term) for term in terms))
        case Raised(base, exponent):
            return Raised(change(base), change(exponent))
        case Applied(name, argument):
            return Applied(name, change(argument))
        case Total(indices, body):
            return Total(indices, change(body))
        case Inverse(body, axes, slots) | Exponential(body, axes, slots) | Cholesky(body, axes, slots):
            return type(node)(change(body), axes, slots)
        case Determinant(body, axes):
            return Determinant(change(body), axes)
        case Stacked(slot, axes, bodies):
            return Stacked(slot, axes, tuple(change(body) for body in bodies))
        case Relation(left, relation, right):
            return Relation(change(left), relation, change(right))
        case Gathered(body, axes, places):
            return Gathered(change(body), axes, tuple(change(place) for place in places))
        case Derivative(body, wrt, local, held):
            changed = change(wrt)
            assert isinstance(changed, Entry)
            return Derivative(change(body), changed, local, held)
        case _:
            return node


def put_in(node: Meaning, variable: Entry, argument: Meaning) -> Meaning:
    """The expression with an argument for a variable."""
    return argument if node == variable else rebuilt(node, lambda inner: put_in(inner, variable, argument))


def walk(node: Meaning) -> Iterator[Meaning]:
    """Every expression inside, outermost first."""
    pending = [node]
    while pending:
        found = pending.pop()
        yield found
        if (inside := CHILDREN.get(type(found))) is not None:
            pending.extend(reversed(inside(found)))


def renamed(node: Meaning, names: Mapping[Ix, Ix]) -> Meaning:
    """The expression with index variables replaced, bound ones too."""
    match node:
        case Entry(name, slots):
            return Entry(name, tuple(names.get(slot, slot) for slot in slots))
        case Times(factors):
            return Times(tuple(renamed(factor, names) for factor in factors))
        case Value(index):
            return Value(names.get(index, index))
        case Gathered(body, axes, places):
            own = tuple(names.get(axis, axis) for axis in axes)
            return Gathered(renamed(body, names), own, tuple(renamed(place, names) for place in places))
        case Ones(index):
            return Ones(names.get(index, index))
        case Size(index):
            return Size(names.get(index, index))
        case Total(indices, body):
            return Total(tuple(names.get(index, index) for index in indices), renamed(body, names))
        case Inverse(body, axes, slots) | Exponential(body, axes, slots) | Cholesky(body, axes, slots):
            return type(node)(renamed(body, names), pair(axes, names), pair(slots, names))
        case Determinant(body, axes):
            return Determinant(renamed(body, names), pair(axes, names))
        case Stacked(slot, axes, bodies):
            own = tuple(names.get(axis, axis) for axis in axes)
            return Stacked(names.get(slot, slot), own, tuple(renamed(body, names) for body in bodies))
        case _:
            return rebuilt(node, lambda inner: renamed(inner, names))


def pair(indices: tuple[Ix, Ix], names: Mapping[Ix, Ix]) -> tuple[Ix, Ix]:
    """Two index variables replaced."""
    return names.get(indices[0], indices[0]), names.get(indices[1], indices[1])


BINDING: Mapping[type, Callable[[Any], tuple[Ix, ...]]] = {
    Total: attrgetter("indices"),
    **dict.fromkeys((Inverse, Exponential, Cholesky, Determinant, Stacked, Gathered), attrgetter("axes")),
}
"""The index variables that expressions of each kind bind."""


OWN: Mapping[type, Callable[[Any], tuple[Ix, ...]]] = {
    **dict.fromkeys((Entry, Inverse, Exponential, Cholesky), attrgetter("slots")),
    **dict.fromkeys((Ones, Value), lambda node: (node.index,)),
    Stacked: lambda node: (node.slot,),
}
"""The index variables that are written on expressions of each kind themselves."""


def bound_in(node: Meaning) -> tuple[Ix, ...]:
    """The index variables that a node binds."""
    binds = BINDING.get(type(node))
    return binds(node) if binds is not None else ()


def own_indices(node: Meaning) -> tuple[Ix, ...]:
    """The index variables written on the node itself."""
    own = OWN.get(type(node))
    return own(node) if own is not None else ()


def indices_in(node: Meaning) -> Iterator[Ix]:
    """Every index variable in an expression."""
    for inner in walk(node):
        yield from own_indices(inner)
        yield from bound_in(inner)
        if isinstance(inner, Size):
            yield inner.index


def occurrences(node: Meaning) -> Iterator[Ix]:
    """Every occurrence of a free index variable, with repetition."""
    pending: list[tuple[Meaning, tuple[Ix, ...]]] = [(node, ())]
    while pending:
        inner, bound = pending.pop()
        for index in own_indices(inner):
            if not index.fixed and index not in bound:
                yield index
        if inside := children(inner):
            bound = (*bound, *bound_in(inner))
            pending.extend((child, bound) for child in reversed(inside))


def free(node: Meaning) -> tuple[Ix, ...]:
    """The free index variables, in order of first occurrence."""
    return tuple(dict.fromkeys(occurrences(node)))


def names_of(node: Meaning) -> tuple[str, ...]:
    """The tensors that are named, in order of first occurrence."""
    return tuple(dict.fromkeys(inner.name for inner in walk(node) if isinstance(inner, Entry)))


def negated(node: Meaning) -> Meaning:
    """Minus the expression."""
    if isinstance(node, Number):
        return Number(-node.value)
    return Times((Number(-sp.S.One), node))


def times(*factors: Meaning) -> Meaning:
    """A product, flat, without ones."""
    flat: list[Meaning] = []
    for factor in factors:
        flat.extend(factor.factors if isinstance(factor, Times) else (factor,))
    kept = [factor for factor in flat if factor != ONE]
    if not kept:
        return ONE
    return kept[0] if len(kept) == 1 else Times(tuple(kept))


def between(left: Ix, relation: str, right: Ix) -> Meaning:
    """One where a relation between two index variables holds, else zero."""
    return Relation(Value(left), relation, Value(right))


def same(left: Ix, right: Ix) -> Meaning:
    """Kronecker's delta of two index variables, a number where they are the same or two numbers."""
    if left == right or (left.fixed and left.fixed == right.fixed):
        return ONE
    return ZERO if left.fixed and right.fixed else between(left, "==", right)


def over(node: Meaning) -> Meaning:
    """One divided by the expression."""
    return Raised(node, Number(-sp.S.One))
