"""Sums subtracted entry by entry: ``sum(a) - sum(b)`` is added up as ``sum(a - b)``.

Linear terms are kept apart while they are derived, so the sum of a difference has become a difference of sums. Where
entries nearly agree, each of the two sums has lost the digits that make up their difference: the error of a sum grows
with what it adds up. Subtracted first, near entries lose nothing (Sterbenz, "Floating-point computation", 1974).

Only sums over what one factor holds anyway are joined, so that no array gets larger. A difference of matrix
products stays one, for its terms have no entries before they are added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import sympy as sp

from indexcalc.algebra.build import is_negative, power, product, scale
from indexcalc.algebra.match import shape
from indexcalc.algebra.terms import (
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    Power,
    Term,
    Terms,
    occurring_indices,
    tensors_of,
    walk,
    with_inner_terms,
)
from indexcalc.codegen.stable.exponents import ONE
from indexcalc.program import Equation

Axes = frozenset[Index]


@dataclass(frozen=True, slots=True)
class Summand:
    """A term as ``number * scale * outer * sum[indices](body)``.

    Attributes:
        place: its place among the terms.
        number: the number of its coefficient, with the sign.
        scale: what else the coefficient holds: extents and parameters.
        outer: the factors without a summed index.
        summed: the summed indices.
        body: the factors that have some.
    """

    place: int
    number: sp.Expr
    scale: sp.Expr
    outer: tuple[Power, ...]
    summed: tuple[Index, ...]
    body: tuple[Power, ...]

    @property
    def axes(self) -> Axes:
        """The indices of the array that is added up."""
        return frozenset(occurring_indices(Term(ONE, self.body)))

    @property
    def hosts(self) -> tuple[Axes, ...]:
        """The indices of each array that is there before anything is added up."""
        return tuple(axes_of(base) for base, _ in self.body if not isinstance(base, Delta | Iverson))


def near_first(terms: Terms) -> Terms:
    """A sum, at every depth, with entries of one tensor that are subtracted from each other in a bracket.

    ``x[h[n]] + r - x[t[n]]`` is ``r`` where both entries are one. Added to one of them first, ``r`` would be rounded to
    the digits that a sum of its size has.
    """
    inner = tuple(near_first_in(term) for term in terms)
    if len(inner) < 3:
        return inner
    found: list[Term] = []
    left = list(inner)
    while left:
        first = left.pop(0)
        other = next((term for term in left if are_near(first, term)), None)
        if other is not None:
            left.remove(other)
            first = Term(ONE, ((Add((first, other)), ONE),))
        found.append(first)
    return tuple(found)


def near_first_in(term: Term) -> Term:
    """The same for the sums inside of a term."""
    powers = tuple((with_inner_terms(base, near_first), exponent) for base, exponent in term.powers)
    return term if powers == term.powers else Term(term.coeff, powers, term.summed)


def are_near(one: Term, other: Term) -> bool:
    """Whether two terms are the same entries of the same tensors, of different signs, but for their indices."""
    if one.summed or other.summed or one.coeff + other.coeff != 0 or len(one.powers) != len(other.powers):
        return False
    kinds = [sorted(str((shape(base), exponent)) for base, exponent in term.powers) for term in (one, other)]
    return kinds[0] == kinds[1] and bool(tensors_of((one,)))


def with_joined_sums(equation: Equation) -> Equation:
    """The equation with sums that are subtracted from each other as one sum."""
    return replace(equation, terms=near_first(joined_sums(equation.terms)))


def joined_sums(terms: Terms) -> Terms:
    """A sum of terms, those over the same indices with different signs as one in the place of the first."""
    families: dict[tuple[Axes, sp.Expr, frozenset[Power]], list[Summand]] = {}
    for place, term in enumerate(terms):
        found = summand(place, term)
        if found is not None:
            families.setdefault((frozenset(term.summed), found.scale, frozenset(found.outer)), []).append(found)
    joined: dict[int, Term] = {}
    gone: set[int] = set()
    for family in families.values():
        while group := largest_group([one for one in family if one.place not in gone and one.place not in joined]):
            joined[group[0].place] = one_sum(group)
            gone.update(one.place for one in group[1:])
    return tuple(joined.get(place, term) for place, term in enumerate(terms) if place not in gone)


def summand(place: int, term: Term) -> Summand | None:
    """A term taken apart; None for one without a sum, for a product of matrices, and where a delta is the whole sum."""
    indices = frozenset(term.summed)
    body = tuple(power for power in term.powers if axes_of(power[0]) & indices)
    arrays = {axes_of(base) for base, exponent in body if is_factor(base, exponent)}
    if not indices or len(arrays) > 1 or any(isinstance(base, Delta) for base, _ in body):
        return None
    number, scale = term.coeff.as_coeff_Mul()
    outer = tuple(power for power in term.powers if power not in body)
    return Summand(place, number, scale, outer, term.summed, body)


def is_factor(base: Base, exponent: sp.Expr) -> bool:
    """Whether a factor is one of a contraction: neither a mask nor a divisor."""
    return not isinstance(base, Delta | Iverson) and not is_negative(exponent)


def axes_of(base: Base) -> Axes:
    """The indices of a factor."""
    return frozenset(occurring_indices(Term(ONE, ((base, ONE),))))


def largest_group(summands: Sequence[Summand]) -> tuple[Summand, ...]:
    """Most of those whose indices some factor among them has all of, if there are both signs; else nothing."""
    best: tuple[Summand, ...] = ()
    for host in dict.fromkeys(axes for one in summands for axes in one.hosts):
        group = tuple(one for one in summands if one.axes <= host)
        if len({is_negative(one.number) for one in group}) == 2 and len(group) > len(best):
            best = group
    return best


def one_sum(group: Sequence[Summand]) -> Term:
    """The summands as one sum, with what they have in common in front of it."""
    first = group[0]
    sizes = {abs(one.number) for one in group}
    size = sizes.pop() if len(sizes) == 1 else ONE
    masks = common_masks(group)
    parts = tuple(part for one in group for part in inner_terms(one, size, masks))
    inner = power(parts, ONE)
    powers = (*first.outer, *((mask, ONE) for mask in masks), *inner.powers)
    return product(size * first.scale * inner.coeff, powers, first.summed)


def inner_terms(one: Summand, size: sp.Expr, masks: Sequence[Base]) -> Terms:
    """What a summand adds to the sum inside, without the number and the masks in front."""
    body = [(base, exponent) for base, exponent in one.body if base not in masks]
    number = one.number / size
    if len(body) == 1 and isinstance(body[0][0], Add) and body[0][1] == 1:
        return scale(body[0][0].terms, number)
    return (product(number, body),)


def common_masks(group: Sequence[Summand]) -> tuple[Base, ...]:
    """The brackets that all summands have; none where one hides what may have no value, as an exponential may."""
    factors = [power for one in group for power in one.body]
    if any(is_negative(e) or any(isinstance(part, Add | Fn) for part in walk(base)) for base, e in factors):
        return ()
    first, *others = ([base for base, _ in one.body] for one in group)
    return tuple(base for base in first if isinstance(base, Iverson) and all(base in other for other in others))
