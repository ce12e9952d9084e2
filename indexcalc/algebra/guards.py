"""Entries with what the brackets around them say: what is not negative wherever the entry counts."""

from __future__ import annotations

from collections.abc import Iterator

from indexcalc.algebra.ranges import never_negative
from indexcalc.algebra.slots import Index, Slot, difference, indices_of_slot, place
from indexcalc.algebra.terms import Access, Base, Delta, Iverson, Term, Terms, inner_terms

Given = tuple[Slot, ...]
"""What is not negative where a factor counts: the brackets beside it say so."""


def guarded_entries(terms: Terms, given: Given = ()) -> Iterator[tuple[Access, Given]]:
    """Every entry at every depth, with what the brackets around it say."""
    for term in terms:
        known = (*given, *said_by(term.bases))
        for base in term.bases:
            match base:
                case Access():
                    yield base, known
                case _:
                    yield from guarded_entries(inner_terms(base), known)


def said_by(bases: tuple[Base, ...]) -> Given:
    """What is not negative where no delta and no bracket among some factors is zero."""
    found: list[Slot] = []
    for base in bases:
        if isinstance(base, Iverson) and base.relation != "!=":
            found.append(base.slack)
        elif isinstance(base, Delta):
            found += (difference(base.left, base.right), difference(base.right, base.left))
    return tuple(found)


def guards_of(term: Term) -> tuple[Delta | Iverson, ...]:
    """The deltas and brackets of a term that no sum of its own runs through: where it counts at all."""
    return tuple(
        base
        for base in term.bases
        if isinstance(base, Delta | Iverson) and not any(index in term.summed for index in indices_of_guard(base))
    )


def indices_of_guard(base: Delta | Iverson) -> tuple[Index, ...]:
    """The indices on both sides."""
    from_sides = (indices_of_slot(base.left), indices_of_slot(base.right))
    return tuple(index for side in from_sides for index in side)


def follow(guards: tuple[Delta | Iverson, ...], given: Given) -> bool:
    """Whether guards hold wherever `given` are not negative."""
    return all(
        (not isinstance(guard, Iverson) or guard.relation != "!=")
        and all(never_negative(slot, given) for slot in said_by((guard,)))
        for guard in guards
    )


def exclude(guards: tuple[Delta | Iverson, ...], given: Given) -> bool:
    """Whether some guard never holds where `given` are not negative."""
    return any(never_negative(difference(place(-1), slot), given) for guard in guards for slot in said_by((guard,)))
