"""Deltas pin indices: ``delta_ij f(i, j) = delta_ij f(i, i)``, so that ``delta_ij P_ij / P_ii`` is ``delta_ij``."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from indexcalc.algebra.build import multiplied
from indexcalc.algebra.canonical import with_like_terms
from indexcalc.algebra.renaming import rename_powers, replace_lookup
from indexcalc.algebra.slots import plain_slots
from indexcalc.algebra.terms import (
    Base,
    Delta,
    Index,
    Lookup,
    Term,
    Terms,
    occurring_indices,
    own_lookups,
    walk,
)
from indexcalc.calculus.steps import Cited, Rule, Step, Subject
from indexcalc.program import Identity


def pinned(subject: Subject, terms: Terms, slots: Sequence[Index]) -> tuple[Step, ...]:
    """Steps after which the factors beside a delta read one of its two indices only, one step for each identity.

    Args:
        subject: what the terms are equal to.
        terms: a sum.
        slots: the indices that are kept before others, in order.
    """
    steps: list[Step] = []
    for number in range(len(terms)):
        while (found := next_pin(terms[number], slots)) is not None:
            delta, after = found
            identity = identity_of(terms[number], delta, slots)
            changed = (*terms[:number], after, *terms[number + 1 :])
            steps.append(Step(Rule.LEMMA, subject, terms, changed, Cited(identity)))
            terms = changed
    return tuple(steps)


def pin(term: Term, slots: Sequence[Index]) -> Term:
    """The term with the later index of each delta replaced by the earlier one in all other factors."""
    while (pair := next_pin(term, slots)) is not None:
        term = pair[1]
    return term


def next_pin(term: Term, slots: Sequence[Index]) -> tuple[Delta, Term] | None:
    """The first delta that other factors can be brought to one index by, with the term that it gives."""
    for base in term.bases:
        if isinstance(base, Delta) and is_pin(base) and (after := pin_by(term, base, slots)) != term:
            return base, after
    return None


def pin_by(term: Term, delta: Delta, slots: Sequence[Index]) -> Term:
    """The same for one delta."""
    if not delta.is_plain:
        return pin_lookup(term, delta)
    kept, gone = in_order(delta, slots)
    rest = tuple(power for power in term.powers if power[0] != delta)
    if gone in term.summed or gone not in occurring_indices(Term(sp.S.One, rest)):
        return term
    renamed = dict(zip(rest, rename_powers(rest, {gone: kept}), strict=True))
    combined = (with_like_terms(renamed.get(factor, factor)) for factor in term.powers)
    return multiplied(combined, term.coeff, term.summed)


def is_pin(delta: Delta) -> bool:
    """Whether a delta joins indices, or a lookup and an index of its range."""
    return delta.is_plain or any(
        isinstance(one, Lookup) and isinstance(other, Index) and one.extent == other.extent
        for one, other in ((delta.left, delta.right), (delta.right, delta.left))
    )


def pin_lookup(term: Term, delta: Delta) -> Term:
    """``delta_{c,y_n} f(y_n) = delta_{c,y_n} f(c)``."""
    lookup, index = (delta.left, delta.right) if isinstance(delta.left, Lookup) else (delta.right, delta.left)
    assert isinstance(lookup, Lookup)
    replaced = ((b if b == delta else replace_lookup(b, lookup, index), e) for b, e in term.powers)
    changed = tuple(replaced)
    if changed == term.powers:
        return term
    return multiplied((with_like_terms(factor) for factor in changed), term.coeff, term.summed)


def in_order(delta: Delta, slots: Sequence[Index]) -> tuple[Index, Index]:
    """The index of a delta that stays, and the one that it replaces."""
    place = {index: number for number, index in enumerate(slots)}
    sides = plain_slots((delta.left, delta.right))
    first, second = sorted(sides, key=lambda index: (place.get(index, len(place)), index.name))
    return first, second


def identity_of(term: Term, delta: Delta, slots: Sequence[Index]) -> Identity:
    """``delta_ij P_ij = delta_ij P_ii`` for the factors that change."""
    if not delta.is_plain:
        lookup = delta.left if isinstance(delta.left, Lookup) else delta.right
        read = [(b, e) for b, e in term.powers if b == delta or (lookup in all_lookups(b))]
        part = Term(sp.S.One, tuple(read))
        return Identity((part,), (pin_by(part, delta, slots),))
    _, gone = in_order(delta, slots)
    changing = [(b, e) for b, e in term.powers if b == delta or gone in occurring_indices(b)]
    part = Term(sp.S.One, tuple(changing))
    return Identity((part,), (pin_by(part, delta, slots),))


def all_lookups(base: Base) -> frozenset[Lookup]:
    """The lookups in a factor, at any depth."""
    return frozenset(lookup for inner in walk(base) for lookup in own_lookups(inner))
