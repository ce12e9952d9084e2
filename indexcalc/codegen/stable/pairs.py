"""Exponentials over bounds in a product: what divides by the exponential of a bound, beside what it bounds."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import product as product_of

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.match import Binding, match_base
from indexcalc.algebra.renaming import rename_base, rename_body
from indexcalc.algebra.terms import Add, Base, Fn, Index, Slot, Term, free_indices
from indexcalc.codegen.stable.bounds import Bound, Bounds, Mask, Part, bound_of, holds, matched
from indexcalc.codegen.stable.exponents import ONE, exponents_of, is_negative, is_open

COUNT_LIMIT = 8
"""The most times that a bound which divides more often is tried with what it bounds."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A bound met in a product: `times` the exponentials of one of its parts over as many of its own."""

    bound: Bound
    part: Part
    binding: Mapping[Index, Slot]
    times: sp.Expr
    factor: Base


def paired(term: Term, bounds: Bounds, *, ones: bool = True) -> Term:
    """The term with every exponential over its bound as one exponential of a difference.

    Args:
        term: its exponentials apart.
        bounds: those that are known.
        ones: whether a bound that is never negative bounds what has no exponential.
    """
    key = (term, ones)
    if key not in bounds.met:
        left = term
        while (found := next(pairs(left, bounds, ones=ones), None)) is not None:
            left = with_difference(left, found)
        bounds.met[key] = left
    return bounds.met[key]


def pairs(term: Term, bounds: Bounds, *, ones: bool = True, of: Base | None = None) -> Iterator[Pair]:
    """The bounds that divide exponentials that they bound; those that rest on others first.

    Args:
        term: its exponentials apart.
        bounds: those that are known.
        ones: whether a bound that is never negative bounds what has no exponential.
        of: the one factor whose pairs are asked for; all by default.
    """
    below = [(bound_of(base), base, -e) for base, e in term.powers if is_open((base, e)) and is_negative(e)]
    known = [(entry, base, times) for entry, base, times in below if entry is not None and entry.tensor in bounds]
    for entry, base, times in sorted(known, key=lambda found: -bounds[found[0].tensor].depth):
        if of is not None and base != of:
            continue
        bound = bounds[entry.tensor]
        start: Binding = dict(zip(bound.slots, entry.slots, strict=True))
        above = [power for power in exponents_of(term.powers) if power[0] != base]
        alone = all(is_negative(exponent) for _, exponent in above)
        parts = [part for part in (*bound.parts, *bound.implied) if part.exponents or (alone and ones)]
        # The most first: a mask goes with the pair, and hides all of what is raised to a power.
        counts = dict.fromkeys((times, *fewer(times)))
        # Two guards may be alike, and so may two parts: first the ways in which all guards stand in the term. Where
        # none of them does, what they hide is not below the bound.
        elsewhere: list[Pair] = []
        for part, count in product_of(parts, counts):
            for binding in matched(part.exponents, above, start, count):
                for whole in guarded(part, term, binding):
                    pair = Pair(bound, part, whole, count, base)
                    if holds(term, part.guards_under(whole)):
                        yield pair
                    else:
                        elsewhere.append(pair)
        yield from elsewhere
        # A term without exponentials is bounded by what counts as 1, also where its own guards are others.
        for part, count in product_of(parts if ones else (), counts):
            if not part.exponents:
                yield Pair(bound, part, start, count, base)


def fewer(times: sp.Expr) -> Iterator[sp.Expr]:
    """How often a bound that divides so many times may divide less often; the most first."""
    if times.is_Integer:
        yield from map(sp.Integer, range(min(int(times) - 1, COUNT_LIMIT), 0, -1))


def guarded(part: Part, term: Term, binding: Binding) -> Iterator[Binding]:
    """Every way in which what a part is taken over is known: an index may stand in its guards alone."""
    if all(index in binding for index in part.over):
        yield binding
        return
    above = [base for base, exponent in term.powers if not is_negative(exponent)]
    for guard in part.guards:
        if any(index not in binding for index in free_indices((Term(ONE, ((guard, ONE),)),))):
            for candidate in above:
                for extended in match_base(guard, candidate, binding):
                    yield from guarded(part, term, extended)
            return


def with_difference(term: Term, pair: Pair) -> Term:
    """The exponentials of a pair as ``exp(argument - bound)``; masks that hide in the argument are gone."""
    part, binding = pair.part, pair.binding
    entry = rename_base(pair.bound.entry, binding)
    guards = part.guards_under(binding)
    hides = bool(part.hidden) and holds(term, guards)
    argument = rename_body(part.compared if hides else part.argument, binding)
    if len(argument) > 1:
        # Added up before the bound is taken off, as it was for the bound: the largest difference is then exactly zero.
        argument = (Term(ONE, ((Add(argument), ONE),)),)
    closed = Fn("exp", ((*argument, Term(-ONE, ((entry, ONE),))),))
    gone = [(rename_base(base, binding), -exponent * pair.times) for base, exponent in part.exponents]
    masks = {guard for guard in guards if isinstance(guard, Mask)} if hides else set()
    used = {pair.factor, *(base for base, _ in gone)}
    first = next(n for n, (base, _) in enumerate(term.powers) if base in used)
    kept = [power for power in term.powers if power[0] not in masks]
    place = first - sum(1 for power in term.powers[:first] if power[0] in masks)
    powers = (*kept[:place], (closed, pair.times), *kept[place:], *gone, (pair.factor, pair.times))
    return product(term.coeff, powers, term.summed)


def is_tight(term: Term, bounds: Bounds, weights: Collection[Base]) -> bool:
    """Whether the largest exponential of a sum is exactly 1: its own sums are those that its bound was taken over.

    A product of two has a largest one of its own: the largest of each may stand at different places. So has one with
    weights, where the largest may be hidden, unless the bound is that of what they leave.

    Args:
        term: the sum, its exponentials apart.
        bounds: those that are known.
        weights: its factors that vary with what is summed over and may be zero.
    """
    found = next(pairs(term, bounds), None)
    if found is None or len(found.bound.parts) > 1 or exponents_of(with_difference(term, found).powers):
        return False
    if any(index not in found.binding for index in found.part.over):
        return False  # an index may stand in a guard alone, which the term does not have
    guards = found.part.guards_under(found.binding)
    own = {found.binding[index] for index in found.part.over}
    # On a diagonal alone the largest of all may be far away.
    whole = len(own) == len(found.part.over) and found.part in found.bound.parts
    return whole and all(index in term.summed for index in own) and set(weights) <= {*guards}
