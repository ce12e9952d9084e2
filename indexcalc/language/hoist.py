"""Sums in non-linear places get names: ``exp(S)/sum_l exp(S_il)`` reads ``Z_i`` from an equation of its own.

Only the sum itself is named: what does not depend on its dummies stays outside, and a scale made of
their extents goes with it, so that a mean is named as a mean. Where several sums over the same indices
are added up, the whole has one name, and so one gradient. Equal formulas get one name, that of the
author if there is one; but where the gradient of the author's tensor is asked for, only what reads it
by name counts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import sympy as sp

from indexcalc.algebra.build import is_divisor, product
from indexcalc.algebra.canonical import components, term_key
from indexcalc.algebra.renaming import substitute_term
from indexcalc.algebra.slots import are_plain
from indexcalc.algebra.terms import (
    Access,
    Base,
    Delta,
    Index,
    Iverson,
    Power,
    Term,
    Terms,
    free_indices,
    occurring_indices,
    tensors_of,
    walk,
)
from indexcalc.errors import LimitError
from indexcalc.language.stems import ARGUMENT, DENOMINATOR, alone, mean_body, stem_of
from indexcalc.program import Equation

ONE = sp.S.One

Component = tuple[tuple[Power, ...], tuple[Index, ...]]
"""Factors, and the sums that they share."""


@dataclass
class SumNames:
    """The formulas that have a name, found by canonical form; grows while one program is lowered.

    Attributes:
        taken: the names that the author uses; each new name is added.
        order: for slots of a new name, the free indices of the equation at hand come in this order.
        owner: the tensor that the equation at hand defines.
        pending: the new equations since they were last taken.
        frozen: whether no new name may be given, as in a claim.
        asked: the tensors whose gradients are asked for by name.
        known: by identity the name, and the place of each of its slots among the free indices.
        generated: the names that were given here.
        means: the identity of what the tensors that hold a mean are the means of.
    """

    taken: set[str]
    order: tuple[Index, ...] = ()
    owner: str = ""
    pending: list[Equation] = field(default_factory=list)
    frozen: bool = False
    asked: frozenset[str] = frozenset()
    known: dict[str, tuple[str, tuple[int, ...]]] = field(default_factory=dict)
    generated: set[str] = field(default_factory=set)
    means: dict[str, str] = field(default_factory=dict)

    def learn(self, equation: Equation) -> None:
        """Remember what an equation holds, so that it is not named twice."""
        free = free_indices(equation.terms)
        if set(free) != set(equation.slots) or len(free) != len(equation.slots):
            return
        positions = tuple(free.index(slot) for slot in equation.slots)
        self.known.setdefault(identity_of(equation.terms), (equation.name, positions))
        body = mean_body(equation.terms)
        if body is not None:
            self.means.setdefault(equation.name, identity_of(body))

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

    def name(self, terms: Terms, place: str, stem: str = "") -> Access | None:
        """The entry that holds the terms, under a new name if need be; None if they may not get one.

        Args:
            terms: what gets a name.
            place: the name for the place where they stand, if they say nothing themselves.
            stem: the name that they get in any case.
        """
        found = self.find(terms)
        if found is not None or self.frozen:
            return found
        free = free_indices(terms)
        slots = tuple(index for index in self.order if index in free)
        slots += tuple(index for index in free if index not in slots)
        stem = stem or stem_of(terms, place, self.generated, self.is_mean_of)
        if self.owner and stem == ARGUMENT:
            stem = f"{self.owner}_arg"
        if self.owner and stem == DENOMINATOR and stem in self.taken and f"{stem}_{self.owner}" not in self.taken:
            stem = f"{DENOMINATOR}_{self.owner}"
        name = fresh_name(alone(stem) if stem in self.taken else stem, self.taken)
        self.taken.add(name)
        self.generated.add(name)
        equation = Equation(Access(name, slots), terms, hoisted=True)
        self.learn(equation)
        self.pending.append(equation)
        return equation.lhs

    def find(self, terms: Terms) -> Access | None:
        """The entry that holds the terms, if any does."""
        free = free_indices(terms)
        name, positions = self.known.get(identity_of(terms), ("", ()))
        return Access(name, tuple(free[position] for position in positions)) if name else None

    def is_mean_of(self, tensor: str, terms: Terms) -> bool:
        """Whether a tensor holds the mean of the terms over some of their indices."""
        return self.means.get(tensor) == identity_of(terms)


def fresh_name(stem: str, taken: Collection[str]) -> str:
    """Z, then Z2, Z3, ...: the first that is not taken."""
    number = 1
    name = stem
    while name in taken:
        number += 1
        name = f"{stem}{number}"
    return name


def identity_of(terms: Terms) -> str:
    """A key of a sum of terms up to dummies, the order of factors and the names of the free indices."""
    free = free_indices(terms)
    renaming = {index: Index(f"?{n}", index.extent) for n, index in enumerate(free)}
    extents = ",".join(str(index.extent) for index in free)
    return f"{extents}|{' + '.join(term_identity(substitute_term(term, renaming)) for term in terms)}"


def term_identity(term: Term) -> str:
    """A key of one term with its coefficient; as it is written where it is too symmetric for a canonical one."""
    try:
        return f"{term.coeff} * {term_key(term)}"
    except LimitError:
        return f"{term.coeff} * {term}"


def split_scale(coeff: sp.Expr, summed: tuple[Index, ...]) -> tuple[sp.Expr, sp.Expr]:
    """``(what stays outside, the scale that goes with the sum)``."""
    symbols = sorted({s for index in summed for s in index.extent.free_symbols}, key=str)
    outside, inside = coeff.as_independent(*symbols, as_Add=False) if symbols else (coeff, sp.S.One)
    return outside, inside


def hoist(terms: Terms, place: str, names: SumNames) -> Terms | None:
    """The same value without sums; None if a sum has no name and may not get one."""
    if is_one_quantity(terms):
        entry = names.name(terms, place)
        if entry is not None:
            return (Term(sp.S.One, ((entry, sp.S.One),)),)
    result = []
    for term in terms:
        named = hoist_term(term, place, names) if term.summed else term
        if named is None:
            return None
        result.append(named)
    return tuple(result)


def is_one_quantity(terms: Terms) -> bool:
    """Whether several sums over the same free indices are added up, as those of a recurrent cell are."""
    sums = [term for term in terms if term.summed]
    return len(sums) > 1 and all(set(free_indices(term)) == set(free_indices(terms)) for term in sums)


def hoist_term(term: Term, place: str, names: SumNames) -> Term | None:
    """One term with each of its connected sums replaced by a name, in place."""
    coeff = term.coeff
    powers: list[Power] = []
    guards = [
        (base, exponent)
        for base, exponent in term.powers
        if (isinstance(base, Iverson) or is_delta_of_expression(base)) and not occurs_summed(base, term)
    ]
    for factors, summed in with_conditions(components(term)):
        if not summed:
            powers.extend(factors)
            continue
        coeff, scale = split_scale(coeff, summed)
        # What a bracket hides must stay hidden in every part.
        own = guards if reads_under_expressions(factors) else []
        entry = names.name((product(scale, (*own, *factors), summed),), place)
        if entry is None:
            return None
        powers.append((entry, sp.S.One))
    return product(coeff, powers)


def is_delta_of_expression(base: Base) -> bool:
    """Whether a factor is a delta beside which brackets that follow from it are gone: one of an expression."""
    return isinstance(base, Delta) and not are_plain((base.left, base.right))


def reads_under_expressions(factors: Sequence[Power]) -> bool:
    """Whether an entry under an expression is among some factors, at any depth."""
    return any(isinstance(base, Access) and not base.is_plain for base in walk(Term(ONE, tuple(factors))))


def with_conditions(parts: Sequence[Component]) -> list[Component]:
    """Connected sums, those of deltas of expressions as one with those whose entries may need what the deltas say."""
    said = [part for part in parts if part[1] and any(is_delta_of_expression(base) for base, _ in part[0])]
    needy = [part for part in parts if part[1] and reads_under_expressions(part[0])]
    if not said or not needy:
        return list(parts)
    joined = [part for part in parts if part in said or part in needy]
    factors = tuple(power for part in joined for power in part[0])
    summed = tuple(index for part in joined for index in part[1])
    return [(factors, summed) if part == joined[0] else part for part in parts if part not in joined[1:]]


def occurs_summed(base: Base, term: Term) -> bool:
    """Whether a factor carries one of the term's own sums."""
    return any(index in term.summed for index in occurring_indices(base))


def hoist_broadcast(parts: Sequence[Terms], place: str, names: SumNames) -> tuple[Terms, ...]:
    """What is added up, with a name for each sum that is read broadcast: the mean in ``X[n,h] - mean[h](X[n,h])``."""
    free = set(free_indices(tuple(term for part in parts for term in part)))
    return tuple(with_named_sums(part, free, place, names) for part in parts)


def with_named_sums(part: Terms, free: set[Index], place: str, names: SumNames) -> Terms:
    """One part; its sums with fewer indices than `free` are one quantity if they have the same ones."""
    sums = tuple(term for term in part if term.summed and set(free_indices(term)) != free)
    if not sums:
        return part
    if len(sums) == 1 or len({frozenset(free_indices(term)) for term in sums}) > 1:
        return tuple((hoist_term(term, place, names) if term in sums else None) or term for term in part)
    outside, _ = split_scale(sums[0].coeff, sums[0].summed)
    outside = outside if is_divisor(outside) else sp.S.One
    entry = names.name(tuple(Term(term.coeff / outside, term.powers, term.summed) for term in sums), place)
    if entry is None:
        return part
    named = Term(outside, ((entry, sp.S.One),))
    return tuple(named if term is sums[0] else term for term in part if term not in sums[1:])
