"""Sums of several terms recognised inside larger sums: ``2 u / Z^2 + e / Z^2 = D / Z`` for ``D = 2 u / Z + e / Z``.

A definition of one term is found by matching alone; of several, all have to be there with one common cofactor.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import sympy as sp

from indexcalc.algebra.build import is_divisor
from indexcalc.algebra.canonical import collect
from indexcalc.algebra.match import find_products
from indexcalc.algebra.terms import Term, Terms, free_indices, tensors_of
from indexcalc.calculus.steps import Rule
from indexcalc.program import Equation, Identity
from indexcalc.rewrite.rules import RULE_CACHE, SumRule, apply_match

MATCHES = 20
"""The most places in which a definition is tried."""
TERM_LIMIT = 12
"""The most terms of a definition that is looked for."""


@lru_cache(maxsize=RULE_CACHE)
def lead_rule(equation: Equation) -> SumRule | None:
    """The first term of a definition that names all of its slots, as a rule to its name; None if there is none.

    The rule alone is not an identity: the other terms have to be taken away.
    """
    if len(equation.terms) > TERM_LIMIT:
        return None
    for term in equation.terms:
        bound = set(equation.slots) <= set(free_indices(term))
        if term.powers and bound and is_divisor(term.coeff):
            here = (Term(1 / term.coeff, ((equation.lhs, sp.S.One),)),)
            identity = Identity(equation.terms, here)
            reads = frozenset(tensors_of(equation.terms))
            return SumRule(Rule.FOLD, term.powers, term.summed, here, identity, equation.name, reads)
    return None


def gathered(terms: Terms, equation: Equation) -> Terms | None:
    """The sum with the name of the equation's tensor in the place of all its terms, once; None if it is not there."""
    rule = lead_rule(equation)
    if rule is None or len(terms) < len(equation.terms) or not rule.reads <= frozenset(tensors_of(terms)):
        return None
    tried = 0
    for number, term in enumerate(terms):
        if len(rule.summed) > len(term.summed) or len(rule.powers) > len(term.powers):
            continue
        for match in find_products(rule.powers, rule.summed, term):
            tried += 1
            if tried > MATCHES:
                return None
            if match.count < 1:
                continue
            (named,) = apply_match(term, rule, match)
            rest = without(terms, number, apply_match(term, unfolding(rule, equation), match))
            if rest is not None:
                return (*rest[0], named, *rest[1])
    return None


def unfolding(rule: SumRule, equation: Equation) -> SumRule:
    """The rule with the whole definition for its value: beside a power of the name, the name may be gone."""
    (here,) = rule.value
    return replace(rule, value=tuple(Term(t.coeff * here.coeff, t.powers, t.summed) for t in equation.terms))


def without(terms: Terms, number: int, taken: Terms) -> tuple[Terms, Terms] | None:
    """The terms ahead of the one at `number`, and those from it on, without those `taken`; None if one is not there."""
    before, after = list(terms[:number]), list(terms[number:])
    for part in taken:
        for side in (after, before):
            place = next((n for n, term in enumerate(side) if cancels(term, part)), None)
            if place is not None:
                del side[place]
                break
        else:
            return None
    return tuple(before), tuple(after)


def cancels(term: Term, part: Term) -> bool:
    """Whether two terms are equal."""
    if len(term.powers) != len(part.powers) or len(term.summed) != len(part.summed):
        return False
    return not collect((term, Term(-part.coeff, part.powers, part.summed)))
