"""Symmetries of tensors: ``D_ij = D_ji``, assumed or found.

A tensor is symmetric if its equation stays the same when slots change places, given the symmetries of
what it reads. Nothing else is tried: a symmetry that holds for a deeper reason is not found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product

import sympy as sp

from indexcalc.algebra.build import expand, expand_term
from indexcalc.algebra.build import product as multiply
from indexcalc.algebra.canonical import collect, term_key
from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.slots import Slot, indices_of_slot
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Index,
    Iverson,
    MatrixFunction,
    Partial,
    Term,
    Terms,
    walk,
    with_inner_terms,
)
from indexcalc.calculus.steps import Proof, Rule, Step, Used
from indexcalc.errors import LimitError
from indexcalc.program import Equation, Identity, Program
from indexcalc.rewrite.pins import pin

SLOT_LIMIT = 4
"""The most slots of one extent of which every order is tried; of more slots, pairs change places."""
GROUP_LIMIT = 24
"""The most orders of slots that are kept for one tensor."""
VARIANT_LIMIT = 64
"""The most spellings of one term that are compared."""
TERM_LIMIT = 40
"""The most terms of an equation whose symmetry is looked for, multiplied out."""

Order = tuple[int, ...]
"""The slot that each slot of the other entry is read with: (1, 0) exchanges two slots."""


@dataclass(frozen=True)
class Symmetries:
    """The orders of slots in which each tensor has the same value, without the order that it is declared with.

    Attributes:
        orders: by tensor; closed under composition as far as `GROUP_LIMIT` allows.
        entries: the declared entry of each symmetric tensor, in which an identity is stated.
    """

    orders: Mapping[str, tuple[Order, ...]]
    entries: Mapping[str, Access]

    def __bool__(self) -> bool:
        return bool(self.orders)

    def identity(self, tensor: str, order: Order) -> Identity:
        """``D_ij = D_ji``."""
        entry = self.entries[tensor]
        return Identity(single(entry), single(reordered(entry, order)))

    def extended(self, entry: Access, orders: Iterable[Order]) -> Symmetries:
        """With those of one more tensor."""
        found = closed(tuple(dict.fromkeys((*self.orders.get(entry.tensor, ()), *orders))), len(entry.slots))
        if not found:
            return self
        return Symmetries({**self.orders, entry.tensor: found}, {**self.entries, entry.tensor: entry})

    def key(self, term: Term) -> str:
        """A key that terms share if they are equal up to dummies, order of factors, coefficient and symmetries.

        Raises:
            LimitError: if the term is too symmetric to compare.
        """
        return min(term_key(variant) for variant in self.variants(term))

    def variants(self, term: Term) -> Iterator[Term]:
        """The spellings of a term that the symmetries give, itself first, `VARIANT_LIMIT` at most."""
        accesses = tuple(dict.fromkeys(a for a in walk(term) if isinstance(a, Access) and a.tensor in self.orders))
        choices = [(entry, *(reordered(entry, order) for order in self.orders[entry.tensor])) for entry in accesses]
        for number, chosen in enumerate(product(*choices)):
            if number == VARIANT_LIMIT:
                return
            yield with_accesses(term, dict(zip(accesses, chosen, strict=True)))

    def same(self, left: Terms, right: Terms) -> bool:
        """Whether two sums are equal up to symmetries, once multiplied out.

        Raises:
            LimitError: if there are too many terms, or one is too symmetric to compare.
        """
        difference = (*left, *(Term(-t.coeff, t.powers, t.summed) for t in right))
        if not collect(difference, self.key):
            return True
        terms = expand(difference)
        if len(terms) > 2 * TERM_LIMIT:
            raise LimitError(f"more than {TERM_LIMIT} terms to compare")
        return not collect(tuple(pin(term, ()) for term in terms), self.key)


NONE = Symmetries({}, {})


def single(entry: Access) -> Terms:
    """One entry as an expression."""
    return (Term(sp.S.One, ((entry, sp.S.One),)),)


def reordered(entry: Access, order: Order) -> Access:
    """The entry with its slots in another order."""
    return Access(entry.tensor, tuple(entry.slots[position] for position in order))


def closed(orders: Sequence[Order], size: int) -> tuple[Order, ...]:
    """All compositions of orders of slots, without the declared one."""
    plain = tuple(range(size))
    known = [order for order in orders if order != plain]
    for first in known:  # grows while it is read
        for second in tuple(known):
            both = tuple(first[position] for position in second)
            if both not in known and both != plain and len(known) < GROUP_LIMIT:
                known.append(both)
    return tuple(sorted(known))


def assumed_order(identity: Identity) -> tuple[Access, Order] | None:
    """The tensor and the order of slots of an assumption ``A_ij = A_ji``; None for one that says something else."""
    sides = (identity.left, identity.right)
    if any(len(side) != 1 or side[0].summed or side[0].coeff != 1 or len(side[0].powers) != 1 for side in sides):
        return None
    (left, one), (right, other) = (side[0].powers[0] for side in sides)
    if not isinstance(left, Access) or not isinstance(right, Access) or one != 1 or other != 1:
        return None
    distinct = len(set(left.slots)) == len(left.slots)
    if left.tensor != right.tensor or not distinct or set(left.slots) != set(right.slots):
        return None
    return left, tuple(left.slots.index(slot) for slot in right.slots)


def find_symmetries(program: Program) -> Symmetries:
    """The symmetries of a program: those assumed, then those of its equations, in order."""
    known = NONE
    for identity in program.assumptions:
        found = assumed_order(identity)
        if found is not None and found[0].tensor in program.tensors:
            known = known.extended(program.tensors[found[0].tensor].entry, (found[1],))
    for equation in program.equations:
        known = known.extended(equation.lhs, orders_of(equation, known))
    return known


def orders_of(equation: Equation, known: Symmetries) -> tuple[Order, ...]:
    """The orders of its slots under which an equation's right side stays the same."""
    slots = equation.slots
    if len(slots) < 2 or not equation.terms or len(equation.terms) > TERM_LIMIT:
        return ()
    places = places_of(equation, known)
    orders = [order for order in candidate_orders(slots) if places is None or exchange(places, slots, order) == places]
    return tuple(order for order in orders if is_kept(equation, order, known))


Block = frozenset[Index]
"""Slots that deltas make equal."""

Places = Mapping[frozenset[Block], frozenset[tuple[Block, str, int]]]
"""For each way in which deltas join slots, where those that are joined stand: tensors, each with one of its slots."""


def places_of(equation: Equation, known: Symmetries) -> Places | None:
    """Where the slots of the left side stand on the right, of slots that are alike by symmetry in the first.

    Equal sums have equal places, unless terms cancel once they are multiplied out; that is quickly seen, and most
    equations are not symmetric. None where brackets, or deltas with other indices, have a say in what is equal.
    """
    found: dict[frozenset[Block], set[tuple[Block, str, int]]] = {}
    try:
        terms = [part for term in equation.terms for part in expand_term(term, holds_delta, TERM_LIMIT)]
    except LimitError:
        return None
    for term in terms:
        blocks: dict[Slot, Block] = {slot: frozenset((slot,)) for slot in equation.slots}
        deltas = [base for base in term.bases if isinstance(base, Delta)]
        for delta in deltas:
            if delta.left not in blocks or delta.right not in blocks:
                return None
            joined = blocks[delta.left] | blocks[delta.right]
            blocks.update(dict.fromkeys(joined, joined))
        places = found.setdefault(frozenset(blocks.values()), set())
        for base in dict.fromkeys(walk(term)):
            if isinstance(base, Iverson | Partial) or (isinstance(base, Delta) and base not in deltas):
                return None
            if isinstance(base, Access | MatrixFunction):
                orders = known.orders.get(base.tensor, ())
                if isinstance(base, MatrixFunction) and base.slots != base.of_slots:
                    orders = ()  # The row and the column of a factor are no slots of the matrix.
                places.update(
                    (blocks[index], base.tensor, min((number, *(o[number] for o in orders))))
                    for number, slot in enumerate(base.slots)
                    for index in indices_of_slot(slot)
                    if index in blocks
                )
    return {joined: frozenset(places) for joined, places in found.items()}


def holds_delta(base: Add) -> bool:
    """Whether a delta stands in a sum in parentheses."""
    return any(isinstance(inner, Delta) for inner in walk(base))


def exchange(places: Places, slots: Sequence[Index], order: Order) -> Places:
    """Where slots stand once they are in another order."""
    new = {slot: slots[position] for slot, position in zip(slots, order, strict=True)}

    def moved(block: Block) -> Block:
        return frozenset(new[slot] for slot in block)

    return {
        frozenset(map(moved, joined)): frozenset((moved(block), tensor, number) for block, tensor, number in stands)
        for joined, stands in places.items()
    }


def candidate_orders(slots: Sequence[Index]) -> Iterator[Order]:
    """The orders in which every slot keeps its extent: all if there are few slots, else exchanges of two."""
    plain = tuple(range(len(slots)))
    if len(slots) <= SLOT_LIMIT:
        every: Iterable[Order] = permutations(plain)
    else:
        every = (exchanged(plain, a, b) for a in plain for b in plain[a + 1 :])
    for order in every:
        if order != plain and all(slots[a].extent == slots[b].extent for a, b in zip(plain, order, strict=True)):
            yield order


def exchanged(order: Order, one: int, other: int) -> Order:
    """The order with two positions exchanged."""
    swap = {one: other, other: one}
    return tuple(swap.get(position, position) for position in order)


def is_kept(equation: Equation, order: Order, known: Symmetries) -> bool:
    """Whether the right side is the same with the slots in another order."""
    slots = equation.slots
    other = substitute(equation.terms, {slot: slots[position] for slot, position in zip(slots, order, strict=True)})
    try:
        return known.same(equation.terms, other)
    except LimitError:
        return False


def with_accesses(term: Term, by: Mapping[Access, Access]) -> Term:
    """The term with entries replaced at every depth."""
    return multiply(term.coeff, ((replaced(base, by), exponent) for base, exponent in term.powers), term.summed)


def replaced(base: Base, by: Mapping[Access, Access]) -> Base:
    """One factor with entries replaced."""
    if isinstance(base, Access):
        return by.get(base, base)
    return with_inner_terms(base, lambda terms: tuple(with_accesses(term, by) for term in terms))


def symmetry_proof(equation: Equation, identity: Identity) -> Proof:
    """The proof of ``D_ij = D_ji``: the right side of the equation is the same for both."""
    name = Used((equation.name,))
    return Proof(
        identity,
        (
            Step(Rule.UNFOLD, identity, identity.left, equation.terms, name),
            Step(Rule.FOLD, identity, equation.terms, identity.right, name),
        ),
    )
