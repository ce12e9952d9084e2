"""Differences written one way round: ``-(x_m - x_n)`` for a free n is ``x_n - x_m``.

Then ``d_nm (x_n - x_m) - d_nm (x_m - x_n)`` are like terms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.canonical import serialise_product
from indexcalc.algebra.renaming import rename_powers
from indexcalc.algebra.terms import Add, Base, Index, Power, Term, Terms, occurring_indices


def with_ordered_differences(terms: Terms, slots: Sequence[Index]) -> Terms:
    """Every difference of two entries of one kind, to an odd power, with the entry of the earlier index first.

    Args:
        terms: a sum.
        slots: the indices that come first, in order; other free indices come next, dummies last.
    """
    return tuple(in_order(term, slots) for term in terms)


def in_order(term: Term, slots: Sequence[Index]) -> Term:
    """One term with its differences in order; the signs go into the coefficient."""
    if not any(isinstance(base, Add) and len(base.terms) == 2 for base in term.bases):
        return term
    rank = ranks(term, slots)
    sign: sp.Expr = sp.S.One
    powers: list[Power] = []
    for base, exponent in term.powers:
        if isinstance(base, Add) and exponent.is_odd and is_backward(base, rank):
            sign = -sign
            powers.append((turned(base), exponent))
        else:
            powers.append((base, exponent))
    if tuple(powers) == term.powers:
        return term
    return product(sign * term.coeff, powers, term.summed)


def ranks(term: Term, slots: Sequence[Index]) -> Mapping[Index, int]:
    """The free indices of a term in order, `slots` first; all dummies after them have one rank."""
    bound = frozenset(term.summed)
    free = dict.fromkeys((*slots, *(index for index in occurring_indices(term) if index not in bound)))
    order = {index: number for number, index in enumerate(free)}
    return {**order, **dict.fromkeys(term.summed, len(order))}


def is_backward(base: Add, rank: Mapping[Index, int]) -> bool:
    """Whether a sum is ``f(b) - f(a)`` with an index `a` that comes before `b`."""
    if len(base.terms) != 2:
        return False
    first, second = base.terms
    own = [index for index in occurring_indices(first) if index not in occurring_indices(second)]
    other = [index for index in occurring_indices(second) if index not in occurring_indices(first)]
    if len(own) != 1 or len(other) != 1 or own[0].extent != other[0].extent or first.coeff != -second.coeff:
        return False
    if rank[other[0]] >= rank[own[0]]:
        return False
    renamed = rename_powers(first.powers, {own[0]: other[0]})
    return serialise_product(renamed, {}) == serialise_product(second.powers, {})


def turned(base: Add) -> Base:
    """The sum with the other sign, its terms in the other order."""
    return Add(tuple(Term(-term.coeff, term.powers) for term in reversed(base.terms)))
