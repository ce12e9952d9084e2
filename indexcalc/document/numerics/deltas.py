"""Deltas in sums of terms: sums that they kill are done, and of free indices that they join one name stays."""

from __future__ import annotations

import sympy as sp

from indexcalc.algebra.build import expand, product
from indexcalc.algebra.renaming import substitute_term
from indexcalc.algebra.slots import plain_slots
from indexcalc.algebra.terms import Delta, Term, Terms, free_indices
from indexcalc.calculus.contract import collapse_term, hides_delta, next_collapse


def contracted(terms: Terms) -> Terms:
    """Every sum that a delta kills done; products multiplied out where they hide such a delta."""
    while True:
        while (found := next_collapse(terms)) is not None:
            terms = tuple(collapse_term(term, found) for term in terms)
        after = tuple(part for term in terms for part in (expand((term,)) if hides_delta(term) else (term,)))
        if after == terms:
            return tuple(joined(term) for term in terms)
        terms = after


def joined(term: Term) -> Term:
    """``delta_ij f_i`` as ``delta_ij f_j``: of two free indices that a delta joins, one name stands elsewhere."""
    for base, _ in term.powers:
        if isinstance(base, Delta) and base.is_plain:
            keep, drop = sorted(plain_slots((base.left, base.right)), key=lambda index: index.name)
            rest = Term(term.coeff, tuple(power for power in term.powers if power[0] != base), term.summed)
            if drop in free_indices(rest):
                changed = substitute_term(rest, {drop: keep})
                return joined(product(changed.coeff, (*changed.powers, (base, sp.S.One)), changed.summed))
    return term
