"""Lengths of axes at which what is read lies inside: of those that are expressions of others, and of what places read.

A formula such as ``x_{i+k}`` says how long x is, if i and k have their lengths; ``N - K + 1`` values of an index
ask for an N that is not smaller than K.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, reduce

import sympy as sp

from indexcalc.document.meaning.nodes import Entry, Gathered, Meaning, Number, Plus, Size, Times, Value, walk
from indexcalc.document.meaning.sizes import Ix, Sizes

LONGEST = 12
"""No axis is made longer for what is read."""

STEP = 4
"""By how much a size is made longer to see whether an expression grows with it, which may round down."""

BEYOND = 2
"""By how much an axis is longer than others that is read beside its own indices: a neighbour has neighbours."""

ROUNDS = 3
"""How often the lengths are gone through: one may ask for another."""

VALUES = 10_000
"""How many values of expressions of sizes are remembered: lengths are few and small, and the same at most points."""

Read = tuple[Ix, Meaning]
"""An axis with a place at which it is read."""


def reads_in(bodies: Iterable[Meaning]) -> tuple[Read, ...]:
    """The axes that are read at places, in some formulas."""
    found = (node for body in bodies for node in walk(body) if isinstance(node, Gathered))
    return tuple((axis, place) for node in found for axis, place in zip(node.axes, node.places, strict=True))


def fitted(lengths: Mapping[Ix, int], sizes: Sizes, reads: Sequence[Read]) -> dict[Ix, int]:
    """Lengths of classes, by their roots, changed so that formulas are positive and what is read lies inside.

    Where no such lengths are found, they stay as they are: what lies outside then has no value.
    """
    found = dict(lengths)
    said = {sizes.find(sizes.named(symbol.name)) for one in sizes.formulas.values() for symbol in symbols_of(one)}
    bound = {*sizes.formulas, *sizes.exact, *sizes.parts, *said}
    places: dict[Ix, list[Meaning]] = {}
    for axis, place in reads:
        if sizes.find(axis) in found and sizes.find(axis) not in bound:
            places.setdefault(sizes.find(axis), []).append(place)
    for root, own in places.items():
        if last_of(own, {**found, root: found[root] + 1}, sizes) > last_of(own, found, sizes):
            found[root] += BEYOND
    for _ in range(ROUNDS):
        before = dict(found)
        for root, formula in sizes.formulas.items():
            if root in found:
                found = with_room(found, sizes, formula)
                found[root] = max(value_of(formula, found, sizes), 1)
        for root, own in places.items():
            found = reaching(found, sizes, root, own)
        if found == before:
            break
    return found


def value_of(formula: sp.Expr, lengths: Mapping[Ix, int], sizes: Sizes) -> int:
    """The value of an expression of sizes."""
    symbols = symbols_of(formula)
    return value_at(formula, tuple(lengths.get(sizes.find(sizes.named(symbol.name)), 1) for symbol in symbols))


@lru_cache(VALUES)
def symbols_of(formula: sp.Expr) -> tuple[sp.Symbol, ...]:
    """The sizes in an expression, in the order of their names."""
    return tuple(sorted(formula.free_symbols, key=str))


@lru_cache(VALUES)
def value_at(formula: sp.Expr, values: tuple[int, ...]) -> int:
    """The value of an expression whose sizes have these values, in the order of their names."""
    return int(formula.subs(dict(zip(symbols_of(formula), values, strict=True))))


@lru_cache(VALUES)
def with_extents(formula: sp.Expr, extents: tuple[tuple[sp.Symbol, sp.Expr], ...]) -> sp.Expr:
    """An expression of sizes with the extents that these have in the algebra."""
    return formula.subs(dict(extents), simultaneous=True)


def with_room(lengths: dict[Ix, int], sizes: Sizes, formula: sp.Expr) -> dict[Ix, int]:
    """The lengths with those that an expression grows with made longer until it is positive."""
    found = dict(lengths)
    for _ in range(LONGEST):
        if value_of(formula, found, sizes) > 1:
            break
        for symbol in symbols_of(formula):
            root = sizes.find(sizes.named(symbol.name))
            if value_of(formula, {**found, root: found.get(root, 1) + STEP}, sizes) > value_of(formula, found, sizes):
                found = {**found, root: found.get(root, 1) + 1}
    return found


def reaching(lengths: dict[Ix, int], sizes: Sizes, root: Ix, places: Sequence[Meaning]) -> dict[Ix, int]:
    """The lengths with an axis just as long as places ask for; as they were if these move with it."""
    last = last_of(places, lengths, sizes)
    found = {**lengths, root: last + 1}
    return found if 0 < last + 1 <= LONGEST and last_of(places, found, sizes) == last else lengths


def last_of(places: Sequence[Meaning], lengths: Mapping[Ix, int], sizes: Sizes) -> int:
    """The greatest value of some places."""
    return max(bounds(place, lengths, sizes)[1] for place in places)


def bounds(node: Meaning, lengths: Mapping[Ix, int], sizes: Sizes) -> tuple[int, int]:
    """The least and the greatest value of a place."""
    match node:
        case Number(value):
            return int(value), int(value)
        case Size(index):
            return (lengths.get(sizes.find(index), 1),) * 2
        case Value(index) if index.fixed:
            return index.fixed - 1, index.fixed - 1
        case Value(index):
            return 0, lengths.get(sizes.find(index), 1) - 1
        case Plus(terms):
            ends = [bounds(term, lengths, sizes) for term in terms]
            return sum(low for low, _ in ends), sum(high for _, high in ends)
        case Times(factors):
            return reduce(multiplied, (bounds(factor, lengths, sizes) for factor in factors))
        case Entry() | Gathered():
            return -1, -1  # which places are looked up follows from the length of the axis
    raise AssertionError("a place is a sum of multiples of indices")


def multiplied(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    """The least and the greatest product of numbers in two ranges."""
    ends = [one * other for one in left for other in right]
    return min(ends), max(ends)
