"""Exponentials that are left in a product as one, with the gaps between exponents and their bounds in brackets."""

from __future__ import annotations

from collections.abc import Sequence

from indexcalc.algebra.build import product
from indexcalc.algebra.match import Binding
from indexcalc.algebra.terms import Add, Fn, Power, Term, Terms, free_indices
from indexcalc.codegen.stable.bounds import Bounds, bound_of, matched
from indexcalc.codegen.stable.exponents import ONE, argument_of, exponents_of, is_negative


def together(term: Term, bounds: Bounds) -> Term:
    """The term with the exponentials that are left apart as one, in the place of the first."""
    left = exponents_of(term.powers)
    if not left:
        return term
    place = term.powers.index(left[0])
    joined = (Fn("exp", (argument_by_gaps(left, bounds),)), ONE)
    rest = [power for power in term.powers if power not in left]
    before = sum(1 for power in term.powers[:place] if power not in left)
    return product(term.coeff, (*rest[:before], joined, *rest[before:]), term.summed)


def argument_by_gaps(exponents: Sequence[Power], bounds: Bounds) -> Terms:
    """The exponent of a product of exponentials; a largest exponent and the logarithm of its sum are a bracket.

    Both may be huge, and their difference is not: what else is added to one of them first would be rounded off.
    """
    left, gaps = list(exponents), []
    for below in exponents:
        above = next((one for one in left if below in left and is_gap(one, below, bounds)), None)
        if above is not None:
            left = [one for one in left if one not in (above, below)]
            gaps.append(Term(ONE, ((Add(argument_of((above, below))), ONE),)))
    return argument_of(exponents) if not left and len(gaps) == 1 else (*gaps, *argument_of(left))


def is_gap(above: Power, below: Power, bounds: Bounds) -> bool:
    """Whether one factor is the exponential of a largest exponent, and divided by a bound of it as often."""
    large, small = bound_of(below[0]), bound_of(above[0])
    if above[1] + below[1] != 0 or not is_negative(below[1]) or large is None or small is None:
        return False
    if large.tensor not in bounds or small.tensor not in bounds:
        return False
    bound, inner = bounds[large.tensor], bounds[small.tensor]
    start: Binding = dict(zip(bound.slots, large.slots, strict=True))
    taken = {index.name for index in free_indices((Term(ONE, (above, below)),))}
    for part in inner.parts:
        own = part.renamed(dict(zip(inner.slots, small.slots, strict=True)), taken).exponents
        for outer in (*bound.parts, *bound.implied):
            if own and len(own) == len(outer.exponents) and any(matched(outer.exponents, own, start, ONE)):
                return True
    return False
