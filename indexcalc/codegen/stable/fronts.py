"""What stands in front of a sum of exponentials: those that all of its terms have, whatever is summed over."""

from __future__ import annotations

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.terms import Base, Power, Term, Terms, occurring_indices
from indexcalc.codegen.stable.bounds import Bounds
from indexcalc.codegen.stable.exponents import exponents_of
from indexcalc.codegen.stable.pairs import paired, pairs


def in_front(terms: Terms, bounds: Bounds) -> tuple[Terms, tuple[Power, ...]]:
    """The terms without the exponentials that all of them have and that are not summed over, and these.

    That of a bound stays with what it bounds, as often as it does: the difference of the two is small, where each may
    be large.
    """
    shared = [power for power in exponents_of(terms[0].powers) if all(is_outside(power, term) for term in terms)]
    if not shared:
        return terms, ()
    left = [dict(paired(term, bounds, ones=False).powers) for term in terms]
    outside: list[Power] = []
    for base, exponent in shared:
        met = any(is_met(base, term, bounds) for term in terms)
        rest = {powers.get(base, sp.S.Zero) for powers in left} if met else {exponent}
        outside.extend((base, count) for count in rest if len(rest) == 1 and count != 0)
    divisor = [(base, -exponent) for base, exponent in outside]
    return tuple(product(term.coeff, (*term.powers, *divisor), term.summed) for term in terms), tuple(outside)


def is_outside(power: Power, term: Term) -> bool:
    """Whether a factor of a term is the same for all that it sums over."""
    return power in term.powers and not set(term.summed) & set(occurring_indices(power[0]))


def is_met(base: Base, term: Term, bounds: Bounds) -> bool:
    """Whether a factor is the exponential of a bound of other exponentials of the term."""
    return next(pairs(term, bounds, of=base), None) is not None
