"""The solution of a system: the formula of a name that an equation determines without giving it.

An equation in which a name stands linearly, with as many equations as entries, has the solution ``v = A^{-1} b``. What
it is made of varies, and the name with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from indexcalc.document.meaning.nodes import (
    ZERO,
    Entry,
    Inverse,
    Meaning,
    Plus,
    Times,
    Total,
    free,
    names_of,
    negated,
    rebuilt,
    renamed,
    same,
    times,
    walk,
)
from indexcalc.document.meaning.sizes import Ix, ShapeError, Sizes
from indexcalc.document.meaning.slopes import refreshed
from indexcalc.document.meaning.typed import Typed


def solution(name: str, slots: tuple[Ix, ...], left: Typed, right: Typed, sizes: Sizes) -> Meaning | None:
    """The formula over its slots by which a name fulfils ``left = right``; None if that is no system for it.

    It is one if the name stands linearly in it, a sum over one of its slots mixes the entries, and there are as many
    equations as entries. Where no sum mixes them, ``a_i + b_i = c_i``, any of the names might be the unknown. Where
    every term has the name, ``sum_j v_j e_ij = v_i``, the equation says what holds of it, and not what it is.

    Raises:
        ShapeError: if the shapes do not fit.
    """
    node, letters = difference(left, right, sizes)
    if all(name in names_of(term) for term in summands(node)):
        return None
    places = [one.slots for one in walk(node) if isinstance(one, Entry) and one.name == name]
    kept = {slot: letter for slot, letter in enumerate(shared(places)) if letter in letters}
    columns = [slot for slot in range(len(slots)) if slot not in kept]
    rows = [letter for letter in letters if letter not in kept.values()]
    if len(set(kept.values())) < len(kept) or len(rows) != 1 or len(columns) != 1:
        return None
    row, column = rows[0], slots[columns[0]]
    slope = coefficient(node, name, tuple(kept.get(slot, one) for slot, one in enumerate(slots)))
    if slope is None or sizes.find(row) != sizes.find(column):
        return None
    across, down, own = (sizes.like(row) for _ in range(3))
    matrix = renamed(refreshed(slope, sizes), {row: down, column: own})
    rest = renamed(refreshed(without(node, name), sizes), {row: across})
    solved = Total((across,), times(Inverse(matrix, (down, own), (column, across)), rest))
    return renamed(negated(solved), {letter: slots[slot] for slot, letter in kept.items()})


def difference(left: Typed, right: Typed, sizes: Sizes) -> tuple[Meaning, tuple[Ix, ...]]:
    """The first side less the second one, and the letters and axes of which each combination is an equation.

    Raises:
        ShapeError: if the sides have other axes.
    """
    if len(left.axes) != len(right.axes):
        raise ShapeError("an array is set equal to one with another number of axes")
    for one, other in zip(left.axes, right.axes, strict=True):
        sizes.unify(one, other)
    node = Plus((left.node, negated(renamed(right.node, dict(zip(right.axes, left.axes, strict=True))))))
    return node, tuple(dict.fromkeys((*left.axes, *free(node))))


def summands(node: Meaning) -> Iterator[Meaning]:
    """The terms of a sum, those of sums in it instead of these."""
    if isinstance(node, Plus):
        for term in node.terms:
            yield from summands(term)
    else:
        yield node


def shared(places: Sequence[tuple[Ix, ...]]) -> list[Ix | None]:
    """For each slot the index that stands there wherever the name is; None if there are several."""
    return [slot[0] if len(set(slot)) == 1 else None for slot in zip(*places, strict=True)]


def without(node: Meaning, name: str) -> Meaning:
    """What is left of an expression if the entries of a name are zero."""
    if isinstance(node, Entry) and node.name == name:
        return ZERO
    return rebuilt(node, lambda inner: without(inner, name))


def coefficient(node: Meaning, name: str, at: tuple[Ix, ...]) -> Meaning | None:
    """What the entry of a name at some indices is multiplied by in an expression; None if it is not linear there."""
    if name not in names_of(node):
        return ZERO
    match node:
        case Entry(slots=slots):
            return times(*(same(one, other) for one, other in zip(slots, at, strict=True)))
        case Plus(terms):
            found = [coefficient(term, name, at) for term in terms]
            return None if None in found else Plus(tuple(one for one in found if one is not None))
        case Total(indices, body):
            inner = coefficient(body, name, at)
            return Total(indices, inner) if inner is not None else None
        case Times(factors):
            inside = [factor for factor in factors if name in names_of(factor)]
            inner = coefficient(inside[0], name, at) if len(inside) == 1 else None
            return times(*(inner if one is inside[0] else one for one in factors)) if inner is not None else None
    return None
