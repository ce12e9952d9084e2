"""Matching: where a product of factors occurs inside a term, up to the names of its indices.

A pattern is a product whose indices are variables: matching binds each to an index of the subject.
Two pattern indices may be bound to one index, except summed ones, which `find_products` checks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import sympy as sp

from indexcalc.algebra.ranges import in_range
from indexcalc.algebra.slots import Slot, difference, indices_of_slot, parts_of_slot, place, renamed_slot, times_scalar
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    MatrixFunction,
    Partial,
    Power,
    Term,
    Terms,
    occurring_indices,
)

MATCH_LIMIT = 5_000
"""The most pairs of factors compared for one pattern in one term."""

Budget = list[int]
"""How many pairs may still be compared, in its one entry; below zero the search is over."""

SHAPES = 20_000
"""How many shapes are remembered."""

Binding = dict[Index, Slot]


@dataclass(frozen=True, slots=True)
class Match:
    """The pattern occurs `count` times in the term: `binding` names its indices, `positions` its factors.

    `count` is negative where the reciprocal of the pattern occurs.
    """

    binding: Mapping[Index, Slot]
    positions: tuple[int, ...]
    count: int


def find_products(pattern: Sequence[Power], summed: Sequence[Index], subject: Term) -> Iterator[Match]:
    """Every way in which the product `pattern`, summed over `summed`, divides `subject`.

    For a pattern with sums, its summed indices are bound to distinct sums of the subject that occur
    in no other factor.
    """
    wanted = [Wanted(place, power[0], candidates_of(power, summed, subject)) for place, power in enumerate(pattern)]
    if not all(one.candidates for one in wanted):
        return
    sums = Sums(tuple(summed), frozenset(subject.summed))
    for binding, taken in assign(wanted, {}, {}, sums, [MATCH_LIMIT]):
        positions = tuple(taken[place] for place in range(len(pattern)))
        count = multiplicity(pattern, subject, positions, bool(summed))
        if count and (not summed or sums_fit(binding, summed, subject, positions)):
            yield Match(binding, positions, count)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A factor at a place of a pattern, and the factors of the subject that it may be, by their positions."""

    place: int
    base: Base
    candidates: Mapping[int, Base]


@dataclass(frozen=True, slots=True)
class Sums:
    """The summed indices of a pattern, and those of a subject that they may become."""

    wanted: tuple[Index, ...]
    there: frozenset[Index]

    def may_become(self, binding: Binding) -> bool:
        """Whether those that are bound became distinct sums of the subject."""
        images = [binding[index] for index in self.wanted if index in binding]
        return len(set(images)) == len(images) and self.there.issuperset(images)


def candidates_of(power: Power, summed: Sequence[Index], subject: Term) -> dict[int, Base]:
    """The factors of the subject that have the shape of a factor of a pattern, and an exponent that holds its.

    A factor that carries a sum of the pattern must be matched to its full exponent.
    """
    base, exponent = power
    whole = any(index in summed for index in occurring_indices(base))
    wanted = shape(base)
    return {
        position: candidate
        for position, (candidate, other) in enumerate(subject.powers)
        if wanted == shape(candidate) and (other == exponent if whole else divides(exponent, other))
    }


def assign(
    wanted: Sequence[Wanted], binding: Binding, taken: Mapping[int, int], sums: Sums, budget: Budget
) -> Iterator[tuple[Binding, Mapping[int, int]]]:
    """The factors that are wanted bound one by one to distinct ones of the subject; `taken` says which, by place."""
    if not wanted:
        yield binding, taken
        return
    first, rest = wanted[0], wanted[1:]
    for position, candidate in first.candidates.items():
        if position not in taken.values():
            for extended in match_base(first.base, candidate, binding, budget):
                if sums.may_become(extended):
                    yield from assign(rest, extended, {**taken, first.place: position}, sums, budget)


@lru_cache(maxsize=1_000)
def divides(exponent: sp.Expr, power: sp.Expr) -> bool:
    """Whether ``power / exponent`` is a number of magnitude one or more."""
    ratio = power / exponent
    return bool(ratio.is_Rational) and abs(ratio) >= 1


def multiplicity(pattern: Sequence[Power], subject: Term, positions: Sequence[int], summed: bool) -> int:
    """How often the matched factors hold the pattern, once at most if it is summed; zero if they do not."""
    pairs = zip(pattern, positions, strict=True)
    ratios = [subject.powers[position][1] / exponent for (_, exponent), position in pairs]
    if all(ratio >= 1 for ratio in ratios):
        return 1 if summed else int(min(sp.floor(ratio) for ratio in ratios))
    if all(ratio <= -1 for ratio in ratios) and not summed:
        return -int(min(sp.floor(-ratio) for ratio in ratios))
    return 0


def sums_fit(binding: Binding, summed: Sequence[Index], subject: Term, positions: Sequence[int]) -> bool:
    """Whether the pattern's sums became distinct sums of the subject that no other factor uses."""
    images = [binding.get(index) for index in summed]
    if any(image not in subject.summed for image in images):
        return False
    others = [value for key, value in binding.items() if key not in summed]
    rest = tuple(power for n, power in enumerate(subject.powers) if n not in positions)
    outside = frozenset(occurring_indices(Term(sp.S.One, rest))).union(*map(indices_of_slot, others))
    return not any(image in outside for image in images)


def match_base(pattern: Base, subject: Base, binding: Binding, budget: Budget | None = None) -> Iterator[Binding]:
    """Every extension of `binding` under which the pattern factor equals the subject factor."""
    budget = [MATCH_LIMIT] if budget is None else budget
    budget[0] -= 1
    if budget[0] < 0 or shape(pattern) != shape(subject):
        return
    match pattern, subject:
        case Access() | MatrixFunction(), Access() | MatrixFunction():
            # Of one shape, so both are entries or both are not.
            if pattern.tensor == subject.tensor:
                yield from match_indices(pattern.slots, subject.slots, binding)
        case Delta(left, right), Delta(other_left, other_right):
            yield from match_indices((left, right), (other_left, other_right), binding)
            yield from match_indices((left, right), (other_right, other_left), binding)
        case Iverson(left, relation, right), Iverson(other_left, other_relation, other_right):
            if relation == other_relation:
                yield from match_indices((left, right), (other_left, other_right), binding)
        case Fn(name, args), Fn(other_name, other_args):
            if name == other_name and len(args) == len(other_args):
                yield from match_arguments(args, other_args, binding, budget)
        case Add(terms), Add(other_terms):
            yield from match_sum(terms, other_terms, binding, budget)
        case Partial(), Partial():
            if pattern == subject:
                yield binding


def match_arguments(
    pattern: Sequence[Terms], subject: Sequence[Terms], binding: Binding, budget: Budget
) -> Iterator[Binding]:
    """Each argument of a function, in order, bound to the argument in its place."""
    if not pattern:
        yield binding
        return
    for extended in match_sum(pattern[0], subject[0], binding, budget):
        yield from match_arguments(pattern[1:], subject[1:], extended, budget)


def match_indices(pattern: Sequence[Slot], subject: Sequence[Slot], binding: Binding) -> Iterator[Binding]:
    """The extension that binds the indices slot by slot, if extents agree and no binding is broken.

    A variable may be bound to an expression that lies in its range; what the caller has bound is taken as it is.
    Expressions of the pattern come last: they bind a variable that they have left over, if its coefficient is 1 or -1.
    """
    extended = dict(binding)
    if len(pattern) != len(subject):
        return
    composed: list[tuple[Slot, Slot]] = []
    for variable, slot in zip(pattern, subject, strict=True):
        if isinstance(variable, Index) and isinstance(slot, Index):
            if variable.extent != slot.extent or extended.setdefault(variable, slot) != slot:
                return
        elif not isinstance(variable, Index):
            composed.append((variable, slot))
        elif variable in extended:
            if extended[variable] != slot:
                return
        elif not in_range(slot, variable.extent):
            return
        else:
            extended[variable] = slot
    for expression, slot in composed:
        left = [index for index in indices_of_slot(expression) if index not in extended]
        if left and not solved(expression, slot, left, extended):
            return
        if renamed_slot(expression, extended) != slot:
            return
    yield extended


def may_stand_for(variable: Index, slot: Slot) -> bool:
    """Whether a variable may be bound to what a slot holds: an index of its extent, or what lies in its range."""
    if isinstance(slot, Index):
        return bool(variable.extent == slot.extent)
    return in_range(slot, variable.extent)


def solved(expression: Slot, slot: Slot, left: Sequence[Index], binding: Binding) -> bool:
    """Whether ``expression = slot`` binds the one variable that is left over; it is put into `binding`."""
    coefficients = dict(parts_of_slot(expression))
    if len(left) != 1 or coefficients.get(left[0]) not in (1, -1):
        return False
    (variable,) = left
    rest = renamed_slot(expression, {**binding, variable: place(0)})
    value = times_scalar(difference(slot, rest), coefficients[variable])
    if any(variable in indices_of_slot(atom) for atom in coefficients if atom != variable):
        return False
    if not may_stand_for(variable, value):
        return False
    binding[variable] = value
    return True


def match_sum(pattern: Terms, subject: Terms, binding: Binding, budget: Budget) -> Iterator[Binding]:
    """Sum-free sums matched term by term, in any order."""
    if len(pattern) == len(subject):
        yield from match_terms(rarest_first(pattern), subject, binding, budget)


def match_terms(pattern: Terms, subject: Terms, binding: Binding, budget: Budget) -> Iterator[Binding]:
    """Each term of the pattern, in order, bound to a term of its shape."""
    if not pattern:
        yield binding
        return
    first, rest = pattern[0], pattern[1:]
    for position, term in enumerate(subject):
        # Shapes may agree by chance: -1 and -2 have one hash.
        alike = shape_of_term(term) == shape_of_term(first) and term.coeff == first.coeff
        if alike and len(term.powers) == len(first.powers):
            for extended in match_factors(rarest_factors(first.powers), term.powers, binding, budget):
                yield from match_terms(rest, subject[:position] + subject[position + 1 :], extended, budget)


def match_factors(
    pattern: tuple[Power, ...], subject: tuple[Power, ...], binding: Binding, budget: Budget
) -> Iterator[Binding]:
    """Each factor of the pattern, in order, bound to one of its shape and exponent."""
    if not pattern:
        yield binding
        return
    base, exponent = pattern[0]
    for position, (candidate, power) in enumerate(subject):
        if power == exponent:
            for extended in match_base(base, candidate, binding, budget):
                yield from match_factors(pattern[1:], subject[:position] + subject[position + 1 :], extended, budget)


@lru_cache(maxsize=SHAPES)
def rarest_first(terms: Terms) -> Terms:
    """The terms in the order in which a search binds most at first: those that share their shape with fewest others."""
    counts = Counter(map(shape_of_term, terms))
    return tuple(sorted(terms, key=lambda term: counts[shape_of_term(term)]))


@lru_cache(maxsize=SHAPES)
def rarest_factors(powers: tuple[Power, ...]) -> tuple[Power, ...]:
    """The factors of a product in that order."""
    counts = Counter((shape(base), exponent) for base, exponent in powers)
    return tuple(sorted(powers, key=lambda power: counts[shape(power[0]), power[1]]))


@lru_cache(maxsize=SHAPES)
def shape(base: Base) -> int:
    """A number for what is left of a factor without its indices: factors that match have one, and others may."""
    match base:
        case Access(name, slots):
            return hash((Access, name, len(slots)))
        case MatrixFunction(name, slots):
            return hash((MatrixFunction, base.word, name, len(slots)))
        case Iverson(_, relation, _):
            return hash((Iverson, relation))
        case Fn(name, args):
            return hash((Fn, name, tuple(map(shape_of_sum, args))))
        case Add(terms):
            return hash((Add, shape_of_sum(terms)))
    return hash(type(base))


def shape_of_sum(terms: Terms) -> frozenset[tuple[int, int]]:
    """How often each shape occurs among terms."""
    return frozenset(Counter(map(shape_of_term, terms)).items())


@lru_cache(maxsize=SHAPES)
def shape_of_term(term: Term) -> int:
    """The shape of a product: its coefficient, and how often each shape occurs with each exponent."""
    counts = Counter((shape(base), exponent) for base, exponent in term.powers)
    return hash((term.coeff, frozenset(counts.items())))
