"""Cases that cover all values of an index: ``delta_{t,0} f(0) + [1 <= t] f(t) = f(t)``."""

from __future__ import annotations

from itertools import permutations

from indexcalc.algebra.build import product
from indexcalc.algebra.canonical import same
from indexcalc.algebra.guards import exclude, follow, said_by
from indexcalc.algebra.renaming import substitute_term
from indexcalc.algebra.slots import difference, indices_of_slot, place
from indexcalc.algebra.terms import Delta, Index, Iverson, Slot, Term, Terms
from indexcalc.errors import LimitError


def joined_cases(terms: Terms) -> Terms:
    """The terms, with each pair that a delta and a bracket part into two cases as one term.

    The delta fixes an index at one place, the bracket holds at all other values of it and not there, and at that
    place the two terms are equal without them. What is joined stands where the first of the two stood.
    """
    while (pair := next_pair(terms)) is not None:
        first, second, joined = pair
        terms = tuple(
            joined if number == min(first, second) else term
            for number, term in enumerate(terms)
            if number != max(first, second)
        )
    return terms


def next_pair(terms: Terms) -> tuple[int, int, Term] | None:
    """Two terms that are the cases of one, by their numbers, and that term."""
    fixed = [(number, delta) for number, term in enumerate(terms) for delta in term.bases if isinstance(delta, Delta)]
    others = [(number, base) for number, term in enumerate(terms) for base in term.bases if isinstance(base, Iverson)]
    for (one, delta), (other, bracket) in ((left, right) for left in fixed for right in others if left[0] != right[0]):
        for index, at in pins_of(delta):
            summed = index in (*terms[one].summed, *terms[other].summed)
            if not summed and are_cases(delta, bracket):
                whole = without(terms[other], bracket)
                if agree(without(terms[one], delta), whole, index, at):
                    return one, other, whole
    return None


def pins_of(delta: Delta) -> list[tuple[Index, Slot]]:
    """The indices that a delta fixes, each with the place, which no index of its own moves."""
    return [
        (one, other)
        for one, other in permutations((delta.left, delta.right))
        if isinstance(one, Index) and not indices_of_slot(other)
    ]


def are_cases(delta: Delta, bracket: Iverson) -> bool:
    """Whether a delta is 1 exactly where a bracket is 0."""
    if bracket.relation == "!=":
        return Delta(bracket.left, bracket.right) == delta
    fails = difference(place(-1), bracket.slack)
    return exclude((bracket,), said_by((delta,))) and follow((delta,), (fails,))


def without(term: Term, guard: Delta | Iverson) -> Term:
    """The term without one of its factors."""
    return product(term.coeff, (power for power in term.powers if power[0] != guard), term.summed)


def agree(one: Term, other: Term, index: Index, at: Slot) -> bool:
    """Whether two terms are equal where an index has one value; False if that is not found out."""
    try:
        return same((substitute_term(one, {index: at}),), (substitute_term(other, {index: at}),))
    except LimitError:
        return False
