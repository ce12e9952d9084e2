"""Uses of a sum of exponentials rewritten into the shifted form: quotients and logarithms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import sympy as sp

from indexcalc.algebra.build import power, product, scale
from indexcalc.algebra.match import match_base
from indexcalc.algebra.renaming import rename_base, substitute
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Fn,
    Power,
    Term,
    Terms,
)
from indexcalc.codegen.exponentials import ONE, ExpSum, Mask, as_exponential
from indexcalc.codegen.logistic import logarithm, with_sigmoids
from indexcalc.program import Equation, Program


def rewritten(equation: Equation, sums: tuple[ExpSum, ...], program: Program) -> Equation:
    """The equation with every stable use of a sum of exponentials in its shifted form."""
    return replace(equation, terms=rewrite_terms(equation.terms, sums, program))


def rewrite_terms(terms: Terms, sums: tuple[ExpSum, ...], program: Program) -> Terms:
    """Every term rewritten, at every depth."""
    return tuple(part for term in terms for part in rewrite_term(term, sums, program))


def rewrite_term(term: Term, sums: tuple[ExpSum, ...], program: Program) -> Terms:
    """Quotients first, then logarithms and whatever is nested inside the factors."""
    term = with_sigmoids(term)
    for found in sums:
        term = shift_quotients(term, found, program)
    powers: list[Power] = []
    coeff = term.coeff
    for base, exponent in term.powers:
        stable = stable_logarithm(base, sums, program)
        if stable is not None:
            # The sign of a sum goes in front of it: log(1/Z) is -(m + log Zs).
            factor = power(stable, exponent)
            coeff = coeff * factor.coeff
            powers += factor.powers
        elif isinstance(base, Fn):
            powers.append((Fn(base.name, rewrite_terms(base.arg, sums, program), base.params), exponent))
        elif isinstance(base, Add):
            powers.append((Add(rewrite_terms(base.terms, sums, program)), exponent))
        else:
            powers.append((base, exponent))
    if len(powers) == 1 and isinstance(powers[0][0], Add) and powers[0][1] == 1 and not term.summed:
        return scale(powers[0][0].terms, coeff)
    return (product(coeff, powers, term.summed),)


def shift_quotients(term: Term, found: ExpSum, program: Program) -> Term:
    """Every ``exp(argument) / Z`` of the term in its shifted form."""
    for position, (divisor, exponent) in enumerate(term.powers):
        if not (isinstance(divisor, Access) and divisor.tensor == found.equation.name):
            continue
        if not (exponent.is_Integer and exponent.is_negative):
            continue
        for number, (base, above) in enumerate(term.powers):
            if number == position or not (above.is_Integer and above.is_positive):
                continue
            numerator = shifted_numerator(base, divisor, found, term, program)
            if numerator is None:
                continue
            count = min(above, -exponent)
            change = [(base, -count), (divisor, count), *((b, count) for b in numerator)]
            change.append((Access(found.shifted, divisor.slots), -count))
            drop = set(numerator_masks(base, divisor, found, program) or ())
            powers = [p for p in term.powers if p[0] not in drop]
            return shift_quotients(product(term.coeff, [*powers, *change], term.summed), found, program)
    return term


def numerator_masks(base: Base, divisor: Access, found: ExpSum, program: Program) -> tuple[Mask, ...] | None:
    """The masks of the sum under the names that they have at this numerator; None if it is not one."""
    exponential = as_exponential(base, program)
    if exponential is None:
        return None
    start = dict(zip(found.slots, divisor.slots, strict=True))
    binding = next(match_base(found.exponential.fn, exponential.fn, start), None)
    if binding is None or any(axis not in binding for axis in found.exponential.axes):
        return None
    renamed = (rename_base(mask, binding) for mask in found.exponential.masks)
    return tuple(mask for mask in renamed if isinstance(mask, Mask))


def shifted_numerator(
    base: Base, divisor: Access, found: ExpSum, term: Term, program: Program
) -> tuple[Base, ...] | None:
    """What stands for the exponential `base` in the shifted form; None if it is no numerator of this sum."""
    exponential = as_exponential(base, program)
    if exponential is None:
        return None
    start = dict(zip(found.slots, divisor.slots, strict=True))
    binding = next(match_base(found.exponential.fn, exponential.fn, start), None)
    if binding is None:
        return None
    masks = numerator_masks(base, divisor, found, program)
    present = {*term.bases, *exponential.masks}
    if masks is not None and all(mask in present for mask in masks):
        extra = tuple(mask for mask in exponential.masks if mask not in masks)
        return (Access(found.numerator, tuple(binding[axis] for axis in found.exponential.axes)), *extra)
    shifted = (*exponential.fn.arg, Term(-ONE, ((Access(found.largest, divisor.slots), ONE),)))
    return (Fn("exp", shifted), *exponential.masks)


def stable_logarithm(base: Base, sums: tuple[ExpSum, ...], program: Program) -> Terms | None:
    """A logarithm of exponentials, sums of them, or sigmoids, in a form that stays finite."""
    if not (isinstance(base, Fn) and base.name == "log"):
        return None
    shifted = shifted_logarithm(base, sums, program)
    return shifted if shifted is not None else logarithm(base.arg, program)


def shifted_logarithm(base: Base, sums: tuple[ExpSum, ...], program: Program) -> Terms | None:
    """``log(c * exp(a)^k * Z^n)`` as ``k a + n (m + log Zs) + log c``, also through named quotients."""
    if not (isinstance(base, Fn) and base.name == "log" and len(base.arg) == 1):
        return None
    by_name = {found.equation.name: found for found in sums}
    term = unfolded(base.arg[0], by_name, program)
    if not term.coeff.is_positive or not any(isinstance(b, Access) and b.tensor in by_name for b, _ in term.powers):
        return None
    parts: list[Term] = []
    for factor, exponent in term.powers:
        if isinstance(factor, Fn) and factor.name == "exp":
            parts += [product(exponent * part.coeff, part.powers) for part in factor.arg]
        elif isinstance(factor, Access) and factor.tensor in by_name:
            found = by_name[factor.tensor]
            shifted = Term(ONE, ((Access(found.shifted, factor.slots), ONE),))
            parts.append(Term(exponent, ((Access(found.largest, factor.slots), ONE),)))
            parts.append(Term(exponent, ((Fn("log", (shifted,)), ONE),)))
        else:
            return None
    return (*parts, *((Term(sp.log(term.coeff)),) if term.coeff != 1 else ()))


def unfolded(term: Term, sums: Mapping[str, ExpSum], program: Program) -> Term:
    """The term with every tensor that is a product of exponentials and sums of them replaced by that product."""
    powers: list[Power] = []
    coeff = term.coeff
    for base, exponent in term.powers:
        equation = program.definitions.get(base.tensor) if isinstance(base, Access) else None
        if equation is None or not isinstance(base, Access) or base.tensor in sums or not is_product(equation):
            powers.append((base, exponent))
            continue
        (inner,) = substitute(equation.terms, dict(zip(equation.lhs.slots, base.slots, strict=True)))
        inner = unfolded(inner, sums, program)
        coeff = coeff * inner.coeff**exponent
        powers += [(b, e * exponent) for b, e in inner.powers]
    return product(coeff, powers, term.summed)


def is_product(equation: Equation) -> bool:
    """Whether a definition is one term without sums, deltas or brackets, and positive in front."""
    if len(equation.terms) != 1 or equation.terms[0].summed:
        return False
    (term,) = equation.terms
    return bool(term.coeff.is_positive) and not any(isinstance(base, Mask) for base in term.bases)
