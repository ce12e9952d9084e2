"""Common factors taken out: ``A D - A r = A (D - r)``."""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from indexcalc.algebra.build import is_negative, power, product, scale
from indexcalc.algebra.canonical import collect
from indexcalc.algebra.scalars import number_and_rest, ratio
from indexcalc.algebra.terms import Access, Add, Base, Index, Power, Term, Terms

PART = 2
"""The fewest terms of a longer sum that are joined."""


def factor(terms: Terms, symbolic: bool = False) -> Terms:
    """Terms that share their sums and a factor are joined into one term with an `Add` inside.

    A group is joined only if each of its sums is needed by the common factors or by every part, so
    that the value is kept: the rest of each term must not need a sum that another lacks.

    Args:
        terms: a sum.
        symbolic: whether ``b**a`` is a factor of ``b**(a + 1)`` too. Only a last form is written so: ahead of
            others, it would hide what cancels in the rest.
    """
    groups: dict[frozenset[Index], list[Term]] = {}
    for term in terms:
        groups.setdefault(frozenset(term.summed), []).append(term)
    return tuple(part for group in groups.values() for part in factor_group(tuple(group), symbolic))


def factor_group(terms: Terms, symbolic: bool) -> Terms:
    """Terms with the same sums, joined if they have a factor in common."""
    if len(terms) < 2:
        return terms
    original, terms = terms, positive_first(terms)
    common = common_powers(terms, symbolic)
    coeff = common_coefficient(terms)
    if common and symbolic and coeff in (1, -1):
        coeff *= common_symbols(terms)
    apart = of_one_size(original)
    if not common and len(apart) > 1 and scalings(group[0] for group in apart) < 1 + scalings(terms, coeff):
        return tuple(part for group in apart for part in factor_group(group, symbolic))
    if not common and coeff in (1, -1):
        return original
    rests = collect(flattened(tuple(divide(term, common, coeff) for term in terms)))
    if not rests:
        return ()
    if is_negative(coeff) and any(is_negative(rest.coeff) for rest in rests):
        coeff, rests = -coeff, positive_first(scale(rests, -sp.S.One))
    inner = power(rests, sp.S.One)
    joined = product(coeff * inner.coeff, common + inner.powers, terms[0].summed)
    if frozenset(joined.summed) != frozenset(terms[0].summed):
        return original
    return (joined,)


def factor_in_parts(terms: Terms, symbolic: bool = False) -> Terms:
    """``r a - r b + c = r (a - b) + c``: terms that share their sums and an entry of a tensor are joined.

    The entry that most terms are multiplied by comes first, of several the first in the order of the terms. A term that
    is the entry alone stays by itself, since to join ``u`` and ``u a`` saves no multiplication, and so do terms that
    share only a bracket or a delta, which say where a term counts. All terms together are left to `factor`; those that
    are left at the end may be one part.
    """
    done: Terms = ()
    rest, most = terms, len(terms) - 1
    while (found := joined_part(rest, symbolic, most)) is not None:
        done, rest = (*done, *found[0]), found[1]
        most = len(rest)
    return (*done, *rest)


def joined_part(terms: Terms, symbolic: bool, most: int) -> tuple[Terms, Terms] | None:
    """The terms of one part joined to one, and the others; None if no part of at most so many terms is."""
    shared: dict[tuple[Base, frozenset[Index]], list[Term]] = {}
    for term in terms:
        for base, _ in term.powers:
            if isinstance(base, Access) and len(term.powers) > 1:
                shared.setdefault((base, frozenset(term.summed)), []).append(term)
    for members in sorted(shared.values(), key=len, reverse=True):
        if not PART <= len(members) <= most:
            continue
        joined = factor_group(tuple(members), symbolic)
        if len(joined) == 1:
            return joined, tuple(term for term in terms if term not in members)
    return None


def flattened(terms: Terms) -> Terms:
    """Terms that are a multiple of a sum as the terms of this sum: ``2 h + (a - b)`` is ``2 h + a - b``.

    Where terms cancel then, as in ``(a - p) - (a - q)``, they are left out.
    """
    parts: list[Term] = []
    for term in terms:
        base, exponent = term.powers[0] if len(term.powers) == 1 else (None, sp.S.Zero)
        if isinstance(base, Add) and exponent == 1:
            parts.extend(Term(term.coeff * part.coeff, part.powers) for part in base.terms)
        else:
            parts.append(term)
    if len(parts) == len(terms):
        return terms
    combined = collect(tuple(parts))
    return positive_first(combined) if combined else terms


def of_one_size(terms: Terms) -> list[Terms]:
    """The terms in groups whose coefficients differ by a sign at most."""
    groups: dict[sp.Expr, list[Term]] = {}
    for term in terms:
        groups.setdefault(-term.coeff if is_negative(term.coeff) else term.coeff, []).append(term)
    return [tuple(group) for group in groups.values()]


def scalings(terms: Iterable[Term], coeff: sp.Expr = sp.S.One) -> int:
    """How many of the terms have a coefficient once `coeff` is taken out."""
    return sum(ratio(term.coeff, coeff) not in (1, -1) for term in terms)


def positive_first(terms: Terms) -> Terms:
    """The terms with the first positive one moved to the front: ``p - y`` rather than ``-(y - p)``."""
    position = next((n for n, term in enumerate(terms) if not is_negative(term.coeff)), 0)
    if position == 0:
        return terms
    return (terms[position], *terms[:position], *terms[position + 1 :])


def common_powers(terms: Terms, symbolic: bool = False) -> tuple[Power, ...]:
    """The powers that divide every term, in the order of the first."""
    common: list[Power] = []
    for base, exponent in terms[0].powers:
        shared: sp.Expr | None = exponent
        for term in terms[1:]:
            shared = shared_exponent(shared, dict(term.powers).get(base), symbolic)
        if shared is not None:
            common.append((base, shared))
    return tuple(common)


def shared_exponent(one: sp.Expr | None, other: sp.Expr | None, symbolic: bool = False) -> sp.Expr | None:
    """The exponent nearer to zero if both have the same sign, or the lesser of ``a`` and ``a + 1``; else None."""
    if one is None or other is None:
        return None
    if one == other:
        return one
    if symbolic and not one.is_number and (one - other).is_Integer:
        return one if one - other < 0 else other
    if not (one.is_number and other.is_number) or (one > 0) != (other > 0):
        return None
    return one if abs(one) <= abs(other) else other


def common_coefficient(terms: Terms) -> sp.Expr:
    """The coefficient of the first term, if all others are rational multiples of it, else its sign."""
    first = terms[0].coeff
    ratios = [ratio(term.coeff, first) for term in terms]
    if all(one.is_Rational for one in ratios):
        if all(ratio.is_Integer for ratio in ratios):
            return first
        scale = sp.ilcm(*(ratio.q for ratio in ratios))
        return first / scale
    return -sp.S.One if is_negative(first) else sp.S.One


def common_symbols(terms: Terms) -> sp.Expr:
    """What divides the coefficients of all terms, numbers left aside: ``1/N`` of ``g/N`` and ``-2/N``."""
    first, *others = (sp.Mul.make_args(number_and_rest(term.coeff)[1]) for term in terms)
    common = sp.S.One
    for base, exponent in (factor.as_base_exp() for factor in first):
        shared: sp.Expr | None = exponent
        for other in others:
            shared = shared_exponent(shared, dict(factor.as_base_exp() for factor in other).get(base))
        if shared is not None and not base.is_number:
            common *= base**shared
    return common


def divide(term: Term, common: tuple[Power, ...], coeff: sp.Expr) -> Term:
    """The sum-free rest of a term after the common factors are taken out."""
    exponents: dict[Base, sp.Expr] = dict(term.powers)
    for base, exponent in common:
        exponents[base] -= exponent
    return product(ratio(term.coeff, coeff), exponents.items())
