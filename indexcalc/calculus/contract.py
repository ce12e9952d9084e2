"""Contraction of deltas: ``sum_i delta_ij f_i = f_j``, one sum at a time."""

from __future__ import annotations

from collections.abc import Collection

import sympy as sp

from indexcalc.algebra.build import expand_term, is_expandable, multiplied, product, within
from indexcalc.algebra.canonical import with_like_terms
from indexcalc.algebra.renaming import rename_powers
from indexcalc.algebra.slots import (
    Affine,
    difference,
    indices_of_slot,
    parts_of_slot,
    times_scalar,
)
from indexcalc.algebra.terms import Add, Delta, Index, Slot, Term, Terms, own_indices, walk
from indexcalc.calculus.steps import Collapse, Rule, Step, Subject
from indexcalc.errors import LimitError


def next_collapse(terms: Terms, ahead: Collection[Index] = ()) -> Collapse | None:
    """The first delta, in reading order, that can kill a sum; None if there is none.

    Deltas of expressions with an index of `ahead` wait for the sum over it.
    """
    for term in terms:
        for base in term.bases:
            if isinstance(base, Delta) and (found := collapse_of(base, term.summed, ahead)) is not None:
                return found
    return None


def collapse_of(delta: Delta, summed: Collection[Index], ahead: Collection[Index] = ()) -> Collapse | None:
    """The sum that a delta kills; None if it joins free indices, or its first sum has a coefficient beyond 1 and -1.

    ``sum_i sum_k f_i g_k delta_{a,i+k}`` is ``sum_k f_{a-k} g_k``: of several sums the first goes, that of the chain
    rule. In ``delta_{a,2i+k}`` it can't, and what is left is shortest with the delta.
    """
    if isinstance(delta.left, Index) and delta.left in summed and may_replace(delta.left, delta.right):
        return Collapse(delta, delta.left, delta.right)
    if isinstance(delta.right, Index) and delta.right in summed and may_replace(delta.right, delta.left):
        return Collapse(delta, delta.right, delta.left)
    if any(index in ahead for index in own_indices(delta)):
        return None
    gap = difference(delta.left, delta.right)
    weights = dict(parts_of_slot(gap))
    first = next((index for index in summed if index in weights), None)
    if first is None or weights[first] not in (1, -1):
        return None
    survivor = times_scalar(difference(gap, times_scalar(first, weights[first])), -weights[first])
    # A lookup may read the index as well: delta_{a,i+t_i} says nowhere what i is.
    return None if first in indices_of_slot(survivor) else Collapse(delta, first, survivor)


def may_replace(killed: Index, survivor: Slot) -> bool:
    """Whether a plain side of a delta may be replaced by the other at once: an index or a lookup of its extent."""
    same = not isinstance(survivor, Affine) and bool(killed.extent == survivor.extent)
    return same and killed not in indices_of_slot(survivor)


def collapse_term(term: Term, collapse: Collapse) -> Term:
    """The sum over `killed` done: the delta goes, and the survivor takes the place of `killed`."""
    if collapse.delta not in term.bases or collapse.killed not in term.summed:
        return term
    rest = [power for power in term.powers if power[0] != collapse.delta]
    summed = [index for index in term.summed if index != collapse.killed]
    renamed = rename_powers(rest, {collapse.killed: collapse.survivor})
    if not may_replace(collapse.killed, collapse.survivor):
        renamed = (*renamed, *within(collapse.survivor, collapse.killed.extent))
    # With one name for two indices, terms of a parenthesis may be alike: 1 - delta_bc is zero at b = c.
    sums = {power for power in renamed if isinstance(power[0], Add)}.difference(rest)
    if not sums:
        return product(term.coeff, renamed, summed)
    factors = (with_like_terms(power) if power in sums else Term(sp.S.One, (power,)) for power in renamed)
    return multiplied(factors, term.coeff, summed)


def contract(subject: Subject, terms: Terms, ahead: Collection[Index] = ()) -> tuple[Step, ...]:
    """Every sum that a delta kills is done, each in a step of its own that all terms share.

    A parenthesis that hides such a delta, as in ``A_ac (delta_cj - A_aj)``, is split when nothing else is left;
    other parentheses beside it, such as a difference of points, stay as they are.
    """
    steps: list[Step] = []
    while True:
        while (found := next_collapse(terms, ahead)) is not None:
            after = tuple(part for term in terms if (part := collapse_term(term, found)).coeff != 0)
            steps.append(Step(Rule.COLLAPSE, subject, terms, after, found))
            terms = after
        after = tuple(part for term in terms for part in (split(term, ahead) if hides_delta(term, ahead) else (term,)))
        if after == terms:
            return tuple(steps)
        steps.append(Step(Rule.EXPAND, subject, terms, after))
        terms = after


def split(term: Term, ahead: Collection[Index] = ()) -> Terms:
    """The parentheses that hide deltas multiplied out; a high power of a sum, which gives too many terms, stays."""
    try:
        return expand_term(term, lambda base: holds_delta(base, term.summed, ahead))
    except LimitError:
        return (term,)


def hides_delta(term: Term, ahead: Collection[Index] = ()) -> bool:
    """Whether a delta that could kill a sum of the term stands inside a sum that can be multiplied out."""
    return any(
        isinstance(base, Add) and is_expandable(base, exponent) and holds_delta(base, term.summed, ahead)
        for base, exponent in term.powers
    )


def holds_delta(base: Add, summed: Collection[Index], ahead: Collection[Index] = ()) -> bool:
    """Whether a delta that could kill one of the sums stands inside the parenthesis."""
    return any(isinstance(inner, Delta) and collapse_of(inner, summed, ahead) is not None for inner in walk(base))
