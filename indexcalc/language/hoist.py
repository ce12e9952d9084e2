"""Sums in non-linear places get names: ``exp(S)/sum_l exp(S_il)`` reads ``Z_i`` from an equation of its own.

Only the sum itself is named: what does not depend on its dummies stays outside, and a scale made of
their extents goes with it, so that a mean is named as a mean. Equal sums get one name.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.canonical import components, term_key
from indexcalc.algebra.renaming import substitute_term
from indexcalc.algebra.terms import Access, Index, Power, Term, Terms, free_indices, tensors_of
from indexcalc.errors import LimitError
from indexcalc.program import Equation

DENOMINATOR = "Z"
"""The name of a sum in a denominator or a logarithm; a number follows from the second on."""

ARGUMENT = "u"
"""The name of a sum in any other non-linear place."""


@dataclass
class SumNames:
    """The sums that have a name, found by canonical form; grows while one program is lowered.

    Attributes:
        taken: the names that the author uses; each new name is added.
        order: for slots of a new name, the free indices of the equation at hand come in this order.
        pending: the new equations since they were last taken.
        frozen: whether no new name may be given, as in a claim.
    """

    taken: set[str]
    order: tuple[Index, ...] = ()
    pending: list[Equation] = field(default_factory=list)
    frozen: bool = False
    known: dict[str, tuple[str, tuple[int, ...]]] = field(default_factory=dict)

    def learn(self, equation: Equation) -> None:
        """Remember an equation that is nothing but one sum, so that the sum is not named twice."""
        if len(equation.terms) != 1:
            return
        (term,) = equation.terms
        if not term.summed or len(components(term)) != 1 or split_scale(term.coeff, term.summed)[0] != 1:
            return
        free = free_indices(term)
        if set(free) == set(equation.lhs.slots):
            positions = tuple(free.index(slot) for slot in equation.lhs.slots)
            self.known.setdefault(sum_identity(term), (equation.name, positions))

    def without_unread(self, equations: tuple[Equation, ...]) -> tuple[Equation, ...]:
        """The equations without the named sums that none reads, since what they stood in cancelled."""
        read: set[str] = set()
        kept: list[Equation] = []
        for equation in reversed(equations):
            if not equation.hoisted or equation.name in read:
                kept.append(equation)
                read.update(tensors_of(equation.terms))
        gone = {equation.name for equation in equations} - {equation.name for equation in kept}
        self.known = {identity: found for identity, found in self.known.items() if found[0] not in gone}
        return tuple(reversed(kept))

    def take(self) -> tuple[Equation, ...]:
        """The new equations, which go before the equation at hand."""
        taken, self.pending = tuple(self.pending), []
        return taken

    def name(self, term: Term, stem: str) -> Access | None:
        """The entry that holds this sum; None if it has no name yet and may not get one."""
        free = free_indices(term)
        identity = sum_identity(term)
        if identity not in self.known:
            if self.frozen:
                return None
            slots = tuple(index for index in self.order if index in free)
            slots += tuple(index for index in free if index not in slots)
            name = fresh_name(stem, self.taken)
            self.taken.add(name)
            self.known[identity] = (name, tuple(free.index(slot) for slot in slots))
            self.pending.append(Equation(Access(name, slots), (term,), hoisted=True))
        name, positions = self.known[identity]
        return Access(name, tuple(free[position] for position in positions))

    def whole(self, terms: Terms, stem: str) -> Access | None:
        """The entry that holds all of the terms, whatever they are; None if no new name may be given."""
        identity = f"whole|{terms}"
        free = free_indices(terms)
        if identity not in self.known:
            if self.frozen:
                return None
            name = fresh_name(stem, self.taken)
            self.taken.add(name)
            slots = tuple(index for index in self.order if index in free)
            slots += tuple(index for index in free if index not in slots)
            self.known[identity] = (name, tuple(free.index(slot) for slot in slots))
            self.pending.append(Equation(Access(name, slots), terms, hoisted=True))
        name, positions = self.known[identity]
        return Access(name, tuple(free[position] for position in positions))


def fresh_name(stem: str, taken: Collection[str]) -> str:
    """Z, then Z2, Z3, ...: the first that is not taken."""
    number = 1
    name = stem
    while name in taken:
        number += 1
        name = f"{stem}{number}"
    return name


def sum_identity(term: Term) -> str:
    """A key of a sum up to dummies and up to the names of its free indices."""
    free = free_indices(term)
    renamed = substitute_term(term, {index: Index(f"?{n}", index.extent) for n, index in enumerate(free)})
    extents = ",".join(str(index.extent) for index in free)
    try:
        return f"{term.coeff}|{extents}|{term_key(renamed)}"
    except LimitError:
        return f"{term.coeff}|{extents}|{renamed}"


def split_scale(coeff: sp.Expr, summed: tuple[Index, ...]) -> tuple[sp.Expr, sp.Expr]:
    """``(what stays outside, the scale that goes with the sum)``."""
    symbols = sorted({s for index in summed for s in index.extent.free_symbols}, key=str)
    outside, inside = coeff.as_independent(*symbols, as_Add=False) if symbols else (coeff, sp.S.One)
    return outside, inside


def hoist(terms: Terms, stem: str, names: SumNames) -> Terms | None:
    """The same value without sums; None if a sum has no name and may not get one."""
    result = []
    for term in terms:
        named = hoist_term(term, stem, names) if term.summed else term
        if named is None:
            return None
        result.append(named)
    return tuple(result)


def hoist_term(term: Term, stem: str, names: SumNames) -> Term | None:
    """One term with each of its connected sums replaced by a name, in place."""
    coeff = term.coeff
    powers: list[Power] = []
    for factors, summed in components(term):
        if not summed:
            powers.extend(factors)
            continue
        coeff, scale = split_scale(coeff, summed)
        entry = names.name(product(scale, factors, summed), stem)
        if entry is None:
            return None
        powers.append((entry, sp.S.One))
    return product(coeff, powers)
