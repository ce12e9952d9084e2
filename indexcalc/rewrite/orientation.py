"""Entries of symmetric tensors brought to one order of slots: ``D_ji`` is read as ``D_ij``."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from indexcalc.algebra.terms import Access, Base, Index, Term, Terms, free_indices, own_indices, tensors_of, walk
from indexcalc.calculus.steps import Cited, Rule, Step, Subject, ThroughConsumer
from indexcalc.program import Identity
from indexcalc.rewrite.symmetry import Order, Symmetries, reordered, single, with_accesses


def oriented(subject: Subject, terms: Terms, known: Symmetries) -> tuple[Step, ...]:
    """Steps that bring the slots of symmetric tensors to one order, one step for each identity that is used."""
    steps: list[Step] = []
    slots = slots_of(subject)
    present = frozenset(tensors_of(terms))
    for tensor in (name for name in known.orders if name in present):
        for order in known.orders[tensor]:
            after = tuple(ordered_term(term, tensor, order, slots, known) for term in terms)
            if after != terms:
                steps.append(Step(Rule.LEMMA, subject, terms, after, Cited(known.identity(tensor, order))))
                terms = after
    return tuple(steps)


def ordered_term(term: Term, tensor: str, order: Order, slots: Sequence[Index], known: Symmetries) -> Term:
    """The term with the entries of a tensor in the first order of slots, where this order of slots leads there."""
    accesses = tuple(dict.fromkeys(a for a in walk(term) if isinstance(a, Access) and a.tensor == tensor))
    if not accesses:
        return term
    rank = ranks(term, slots, known)
    by: dict[Access, Access] = {}
    for entry in accesses:
        if not entry.is_plain:
            continue
        images = (entry, *(reordered(entry, other) for other in known.orders[tensor]))
        best = min(images, key=lambda image: [rank[index] for index in image.indices])
        if best != entry and best == reordered(entry, order):
            by[entry] = best
    return with_accesses(term, by) if by else term


def with_first_orders(term: Term, known: Symmetries) -> Term:
    """The term with all entries of symmetric tensors in the first order of their slots."""
    for tensor, orders in known.orders.items():
        for order in orders:
            term = ordered_term(term, tensor, order, (), known)
    return term


def ranks(term: Term, slots: Sequence[Index], known: Symmetries) -> dict[Index, int]:
    """The order of indices in a term: the subject's slots, other free indices, then dummies.

    Dummies come in the order in which factors without a symmetry read them: they have an order of their own.
    """
    rigid = [a for a in walk(term) if isinstance(a, Access) and a.tensor not in known.orders]
    places = dict.fromkeys(index for entry in rigid for index in own_indices(entry))
    every = dict.fromkeys(index for base in walk(term) for index in indices_on(base))
    bound = frozenset(term.summed)
    free = [index for index in every if index not in bound]
    dummies = [index for index in (*places, *every) if index in bound]
    return {index: n for n, index in enumerate(dict.fromkeys((*(s for s in slots if s in every), *free, *dummies)))}


def indices_on(base: Base) -> tuple[Index, ...]:
    """The indices of an entry; those of other factors come with the entries that share them."""
    return own_indices(base) if isinstance(base, Access) else ()


def slots_of(subject: Subject) -> tuple[Index, ...]:
    """The free indices that a subject brings, in order."""
    if isinstance(subject, ThroughConsumer):
        return subject.gradient.indices
    if isinstance(subject, Identity):
        return free_indices(subject.left)
    return free_indices(single(subject) if isinstance(subject, Access) else (Term(sp.S.One, ((subject, sp.S.One),)),))
