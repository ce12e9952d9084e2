"""Logistic functions and their logarithms without overflow: ``log(sigmoid(x))`` is ``-softplus(-x)``.

Found by structure, however the sigmoid is written: ``1 / (1 + exp(-x))``, ``exp(x) / (1 + exp(x))``,
one minus either, and tensors that are defined so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import sympy as sp

from indexcalc.algebra.build import lone_entry, multiplied, power, product, scale
from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.terms import Access, Add, Base, Delta, Fn, Iverson, Power, Term, Terms
from indexcalc.codegen.stable.exponents import apart, is_exponential
from indexcalc.program import Equation

ONE = sp.S.One
DEPTH = 8
"""How many definitions deep a logarithm is looked into."""


def one_plus_exp(base: Base) -> Terms | None:
    """The u of a factor ``1 + exp(u)``."""
    if not (isinstance(base, Add) and len(base.terms) == 2 and Term(ONE) in base.terms):
        return None
    # On a diagonal both may be one.
    other = next((term for term in base.terms if term != Term(ONE)), None)
    if other is None or other.coeff != 1 or len(other.powers) != 1:
        return None
    ((fn, exponent),) = other.powers
    return fn.arg if isinstance(fn, Fn) and fn.name == "exp" and exponent == 1 else None


def with_sigmoids(term: Term) -> Term:
    """The term with ``1 / (1 + exp(u))`` as ``sigmoid(-u)``, and ``exp(u)`` times that as ``sigmoid(u)``."""
    return turned(with_quotients(term))


def turned(term: Term) -> Term:
    """The term with ``exp(-u)`` times ``sigmoid(u)`` as ``sigmoid(-u)``, as often as both stand there."""
    if not any(is_exponential(base) for base in term.bases):
        return term
    for base, exponent in term.powers:
        argument = logistic(base)
        if argument is None or not (exponent.is_Integer and exponent.is_positive):
            continue
        whole = apart(term)
        there, below = dict(whole.powers), scale(argument, -ONE)
        wanted = apart(Term(ONE, ((Fn("exp", (below,)), ONE),)))
        counts = [times(there.get(factor, sp.S.Zero), power) for factor, power in wanted.powers]
        count = min([exponent, *counts]) if counts else sp.S.Zero  # exp(0) is no factor
        if count > 0:
            gone = [(factor, -power * count) for factor, power in wanted.powers]
            change = [(base, -count), (Fn("sigmoid", (below,)), count)]
            return turned(product(whole.coeff / wanted.coeff**count, [*whole.powers, *gone, *change], whole.summed))
    return term


def times(there: sp.Expr, wanted: sp.Expr) -> sp.Integer:
    """How often a factor to one power holds the factor to another power of the same sign."""
    ratio = there / wanted
    return sp.Integer(max(0, int(sp.floor(ratio)))) if ratio.is_Rational else sp.S.Zero


def with_quotients(term: Term) -> Term:
    """The term with sigmoids for quotients with ``1 + exp(u)`` below."""
    for base, exponent in term.powers:
        argument = one_plus_exp(base)
        if argument is None or not (exponent.is_Integer and exponent.is_negative):
            continue
        above = dict(term.powers).get(Fn("exp", (argument,)), sp.S.Zero)
        count = min(-exponent, above) if above.is_Integer and above.is_positive else -exponent
        change: list[Power] = [(base, count)]
        if above.is_Integer and above.is_positive:
            change += [(Fn("exp", (argument,)), -count), (Fn("sigmoid", (argument,)), count)]
        else:
            change.append((Fn("sigmoid", (scale(argument, -ONE),)), count))
        return with_quotients(product(term.coeff, [*term.powers, *change], term.summed))
    return term


def logarithm(arg: Terms, definitions: Mapping[str, Equation]) -> Terms | None:
    """``log(arg)`` as softplus functions and plain terms; None if some factor is neither logistic nor exponential."""
    for _ in range(DEPTH):
        found = [factor_logarithm(base, exponent) for base, exponent in single(arg).powers]
        if found and all(part is not None for part in found) and single(arg).coeff.is_positive:
            parts = tuple(term for part in found for term in part or ())
            coeff = single(arg).coeff
            return (*parts, *((Term(sp.log(coeff)),) if coeff != 1 else ()))
        unfolded = unfold(arg, definitions)
        if unfolded == arg:
            return None
        arg = unfolded
    return None


def single(arg: Terms) -> Term:
    """The terms as one product; a sum is one factor of it."""
    if any(term.summed for term in arg) or not arg:
        return Term(sp.S.Zero)
    return with_sigmoids(power(arg, ONE))


def factor_logarithm(base: Base, exponent: sp.Expr) -> Terms | None:
    """``exponent * log(base)`` for a sigmoid, one minus a sigmoid, ``1 + exp(u)`` or ``exp(u)``."""
    if isinstance(base, Fn) and base.name == "exp":
        return scale(base.arg, exponent)
    argument = logistic(base)
    if argument is None and isinstance(base, Add) and len(base.terms) == 2 and Term(ONE) in base.terms:
        argument = complement(next((term for term in base.terms if term != Term(ONE)), None))
    if argument is not None:
        return (product(-exponent, [(Fn("softplus", (scale(argument, -ONE),)), ONE)]),)
    inner = one_plus_exp(base)
    return None if inner is None else (product(exponent, [(Fn("softplus", (inner,)), ONE)]),)


def complement(other: Term | None) -> Terms | None:
    """The x of ``1 + other`` where that is ``1 - sigmoid(-x)``; on a diagonal both terms may be one."""
    if other is None:
        return None
    rest = with_sigmoids(Term(-other.coeff, other.powers))
    if rest.coeff != 1 or len(rest.powers) != 1 or rest.powers[0][1] != 1:
        return None
    argument = logistic(rest.powers[0][0])
    return None if argument is None else scale(argument, -ONE)


def written_out(equations: Sequence[Equation], definitions: Mapping[str, Equation]) -> list[Equation]:
    """The equations with ``E / (1 + E)`` for a factor ``1 - p`` where ``p`` is defined as ``1 / (1 + E)``.

    Where p rounds to 1, nothing is left of ``1 - p``; the author's own ``sigmoid`` is taken at its word.
    """
    return [replace(equation, terms=quotients(equation.terms, definitions)) for equation in equations]


def quotients(terms: Terms, definitions: Mapping[str, Equation]) -> Terms:
    """A sum with such factors at every depth of its brackets."""
    return tuple(
        multiplied((quotient(base, exponent, definitions) for base, exponent in term.powers), term.coeff, term.summed)
        for term in terms
    )


def quotient(base: Base, exponent: sp.Expr, definitions: Mapping[str, Equation]) -> Term:
    """A factor, or what it is a quotient of."""
    if not isinstance(base, Add):
        return Term(ONE, ((base, exponent),))
    rest = next((term for term in base.terms if term.powers), None)
    entry = lone_entry((Term(ONE, rest.powers),)) if rest is not None and not rest.summed else None
    found = complement_of(entry, definitions) if entry is not None and len(base.terms) == 2 else None
    if rest is None or found is None or Term(ONE) not in base.terms or Term(rest.coeff) != Term(-found[0]):
        return power(quotients(base.terms, definitions), exponent)
    return power((found[1],), exponent)


def complement_of(entry: Access, definitions: Mapping[str, Equation]) -> tuple[sp.Expr, Term] | None:
    """The k of ``1 - k p`` for an entry of ``p = a / (c + E)``, and what that is: ``E / (c + E)`` where k is c/a."""
    equation = definitions.get(entry.tensor)
    if equation is None or len(equation.terms) != 1 or len(equation.terms[0].powers) != 1:
        return None
    (term,) = substitute(equation.terms, dict(zip(equation.slots, entry.slots, strict=True)))
    ((base, exponent),) = term.powers
    if exponent != -1 or term.summed or not isinstance(base, Add) or len(base.terms) != 2:
        return None
    constant, varied = sorted(base.terms, key=lambda part: bool(part.powers))
    if constant.powers or not any(is_exponential(factor) for factor in varied.bases):
        return None
    return constant.coeff / term.coeff, product(varied.coeff, [*varied.powers, (base, -ONE)])


def holds_sigmoid(term: Term) -> bool:
    """Whether a sigmoid is a factor of the term."""
    return any(logistic(base) is not None for base in term.bases)


def logistic(base: Base) -> Terms | None:
    """The x of ``sigmoid(x)``."""
    return base.arg if isinstance(base, Fn) and base.name == "sigmoid" else None


def unfold(terms: Terms, definitions: Mapping[str, Equation]) -> Terms:
    """The terms with every tensor that has a sum-free definition replaced by it, one level deep."""
    return tuple(unfold_term(term, definitions) for term in terms)


def unfold_term(term: Term, definitions: Mapping[str, Equation]) -> Term:
    """One term, its factors unfolded."""
    powers: list[Power] = []
    coeff = term.coeff
    for base, exponent in term.powers:
        if isinstance(base, Add):
            factor = power(unfold(base.terms, definitions), exponent)
        elif isinstance(base, Access) and is_plain(base, definitions):
            equation = definitions[base.tensor]
            inner = substitute(equation.terms, dict(zip(equation.slots, base.slots, strict=True)))
            factor = power(inner, exponent)
        else:
            factor = Term(ONE, ((base, exponent),))
        coeff = coeff * factor.coeff
        powers += factor.powers
    return product(coeff, powers, term.summed)


def is_plain(entry: Access, definitions: Mapping[str, Equation]) -> bool:
    """Whether a tensor is defined without sums, deltas and brackets."""
    equation = definitions.get(entry.tensor)
    if equation is None or not equation.terms:
        return False
    return not any(term.summed or any(isinstance(b, Delta | Iverson) for b in term.bases) for term in equation.terms)
