"""The cost of an equation in symbols: multiplications up to a constant factor, such as ``T^2 d``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sympy as sp

from indexcalc.algebra.canonical import components
from indexcalc.algebra.terms import Add, Delta, Index, Iverson, Power, Terms, occurring_indices
from indexcalc.cost.streams import degree, divides, extent_product
from indexcalc.program import Equation


def elimination_costs(factors: Sequence[frozenset[Index]], bound: Sequence[Index]) -> list[sp.Expr]:
    """The cost of each sum of a product, the cheapest sum first; then that of the product itself."""
    remaining, waiting, costs = list(factors), list(bound), []
    while waiting:
        touched = {index: joined_indices(remaining, index) for index in waiting}
        chosen = min(waiting, key=lambda index: degree(extent_product(touched[index])))
        costs.append(extent_product(touched[chosen]))
        remaining = [factor for factor in remaining if chosen not in factor]
        remaining.append(frozenset(touched[chosen]) - {chosen})
        waiting.remove(chosen)
    costs.append(extent_product(dict.fromkeys(index for factor in remaining for index in sorted_indices(factor))))
    return costs


def joined_indices(factors: Sequence[frozenset[Index]], index: Index) -> tuple[Index, ...]:
    """The indices of all factors that carry `index`."""
    return tuple(dict.fromkeys(other for factor in factors if index in factor for other in sorted_indices(factor)))


def sorted_indices(factor: frozenset[Index]) -> list[Index]:
    """The indices of a factor by name, for an order that is the same in every run."""
    return sorted(factor, key=lambda index: index.name)


def dominant(counts: Iterable[sp.Expr]) -> sp.Expr:
    """The sum of those products of extents that divide none of the others."""
    distinct = list(dict.fromkeys(strip_number(count) for count in counts))
    kept = [one for one in distinct if not any(one != other and divides(one, other) for other in distinct)]
    return sp.Add(*kept)


def strip_number(count: sp.Expr) -> sp.Expr:
    """A product of extents without its numeric factor."""
    return count.as_coeff_Mul()[1] if not count.is_Number else sp.S.One


def equation_cost(equation: Equation) -> sp.Expr:
    """Multiplications of an equation, up to a constant factor."""
    counts = [extent_product(equation.slots)]
    for term in equation.terms:
        for powers, bound in components(term):
            factors = [frozenset(occurring_indices(base)) for base, _ in powers if not isinstance(base, Delta)]
            counts.extend(elimination_costs(factors, bound))
            # What deltas place is met once for each value of the sum, though nothing is read.
            placed = [index for index in bound if not any(index in factor for factor in factors)]
            counts.append(extent_product(placed))
    return dominant(counts)


def is_contraction(terms: Terms) -> bool:
    """Whether a product of two factors or more is summed over; what deltas and brackets only place or hide is none."""
    return any(bound and factors(powers) > 1 for term in terms for powers, bound in components(term))


def factors(powers: Iterable[Power]) -> int:
    """How many factors there are, in a sum those of the term with most."""
    return sum(
        max(factors(term.powers) for term in base.terms) if isinstance(base, Add) else 1
        for base, _ in powers
        if not isinstance(base, Delta | Iverson)
    )
