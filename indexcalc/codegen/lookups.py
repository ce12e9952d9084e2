"""Sums at what is looked up: which entry of a result a delta adds to, and sums over all that look up one entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.renaming import fresh_indices, put_in_place, replace_lookup, substitute
from indexcalc.algebra.slots import indices_of_slot, lookups_of_slot
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Index,
    Lookup,
    Power,
    Slot,
    Term,
    Terms,
    free_indices,
    index_names,
    occurring_indices,
)
from indexcalc.codegen.names import unused
from indexcalc.codegen.statements import Statement

ONE = sp.S.One

Grouped = tuple[Statement, Term]
"""What adds up by entries, and a term that reads it."""


def lookups_apart(base: Base) -> tuple[tuple[Lookup, Lookup], ...]:
    """The two sides of a delta between lookups in one array of entries, each as the first."""
    match base:
        case Delta(Lookup() as left, Lookup() as right) if left.extent == right.extent:
            return (left, right), (right, left)
    return ()


def added_apart(term: Term) -> Terms:
    """The term times each term of the first sum among its factors; none if there is no sum."""
    place = next((n for n, (base, e) in enumerate(term.powers) if isinstance(base, Add) and e == 1), None)
    if place is None:
        return ()
    base = term.powers[place][0]
    assert isinstance(base, Add)
    return put_in_place(term, place, base.terms)


def deltas_apart(term: Term, axes: Sequence[Index]) -> Terms:
    """The term with sums multiplied out whose terms go to looked-up places of their own: each is added up there."""
    for place, (base, exponent) in enumerate(term.powers):
        if isinstance(base, Add) and exponent == 1:
            inner = (factor for part in base.terms for factor in part.bases if isinstance(factor, Delta))
            targets = ((delta, target_of(delta, axes)) for delta in inner)
            if any(target and lookups_of_slot(place_of(delta, target)) for delta, target in targets):
                every = put_in_place(term, place, base.terms)
                return tuple(one for part in every for one in deltas_apart(part, axes))
    return (term,)


def at_lookups(term: Term, axes: Sequence[Index]) -> Term:
    """The term with what is looked up in the place of an index of the result: ``delta[v,y[n]]*c[v]`` reads ``c[y[n]]``.

    So its delta says at which entry it is added up, and no array is made over all entries.
    """
    for base in term.bases:
        target = target_of(base, axes) if isinstance(base, Delta) else None
        if target is None or not isinstance(base, Delta) or not lookups_of_slot(place_of(base, target)):
            continue
        inner = [index for index in occurring_indices(base) if index != target]
        rest = Term(ONE, tuple(power for power in term.powers if power[0] != base))
        if inner and target in occurring_indices(rest) and all(index in term.summed for index in inner):
            (read,) = substitute((rest,), {target: place_of(base, target)})
            return at_lookups(product(term.coeff * read.coeff, (*read.powers, (base, ONE)), term.summed), axes)
    return term


def by_entries(term: Term, delta: Base, stem: str, taken: set[str]) -> Grouped | None:
    """What is summed over one side of a delta between lookups, added up by entries; None if neither side allows it.

    ``sum[f](delta[a[f],a[e]]*x[f])`` is ``y[a[e]]`` with ``y[v] = sum[f](delta[v,a[f]]*x[f])``.
    """
    return next(filter(None, (grouped(term, delta, sides, stem, taken) for sides in lookups_apart(delta))), None)


def grouped(term: Term, delta: Base, sides: tuple[Lookup, Lookup], stem: str, taken: set[str]) -> Grouped | None:
    """The sum over one side, and the term that reads it; None if it varies with more than what the other looks up."""
    own, other = sides
    sums, apart = {*indices_of_slot(own)}, {*indices_of_slot(other)}
    if not sums or not sums <= {*term.summed} or sums & apart:
        return None
    rest = [power for power in term.powers if power[0] != delta]
    inside: list[Power] = []
    while more := [power for power in rest if power not in inside and sums & {*occurring_indices(power[0])}]:
        inside += more
        sums |= {*occurring_indices(Term(ONE, tuple(more)))} & {*term.summed} - apart
    (entry,) = fresh_indices((Index("v", own.extent),), {*index_names(term), *taken})
    powers = [(replace_lookup(base, other, entry), e) for base, e in rest if (base, e) in inside]
    body = product(ONE, (*powers, (Delta(entry, own), ONE)), tuple(i for i in term.summed if i in sums))
    axes = (entry, *(index for index in free_indices(body) if index != entry))
    if apart & {*axes}:
        return None
    name = unused(f"{stem}_sums", taken)
    left = tuple(power for power in rest if power not in inside)
    read = Access(name, (other, *axes[1:]))
    whole = product(term.coeff, (*left, (read, ONE)), tuple(i for i in term.summed if i not in sums))
    return Statement(name, axes, (body,)), whole


def target_of(delta: Delta, axes: Sequence[Index]) -> Index | None:
    """The index of the result that one side of a delta is."""
    for side, other in ((delta.left, delta.right), (delta.right, delta.left)):
        moved = isinstance(side, Index) and side in axes and not isinstance(other, Index)
        if moved and not any(index in axes for index in indices_of_slot(other)):
            assert isinstance(side, Index)
            return side
    return None


def by_samples(axes: Sequence[Index], targets: Mapping[Index, Delta]) -> tuple[tuple[Index, ...], ...]:
    """The indices of a result that deltas say, those that are looked up for the same samples in one group."""
    groups: dict[frozenset[Index], list[Index]] = {}
    for axis in axes:
        groups.setdefault(frozenset(indices_of_slot(place_of(targets[axis], axis))), []).append(axis)
    return tuple(map(tuple, groups.values()))


def place_of(delta: Delta, target: Index) -> Slot:
    """The other side."""
    return delta.right if delta.left == target else delta.left
