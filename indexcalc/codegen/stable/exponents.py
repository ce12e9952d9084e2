"""Exponentials in a product: taken apart into single exponents, so that they cancel, and put together again.

``exp(a + c*b - log(u))`` is ``exp(a) * exp(b)^c / u``. In this form a product of exponentials is a table of
exponents, and the algebra of powers cancels them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeGuard

import sympy as sp

from indexcalc.algebra.build import multiplied, power, product, scale
from indexcalc.algebra.terms import Access, Add, Base, Fn, Power, Term, Terms

ONE = sp.S.One


def is_exponential(base: Base) -> TypeGuard[Fn]:
    """Whether a factor is the exponential function of something."""
    return isinstance(base, Fn) and base.name == "exp"


def exponential(entry: Access) -> Fn:
    """``exp(entry)``."""
    return Fn("exp", ((Term(ONE, ((entry, ONE),)),),))


def apart(term: Term) -> Term:
    """The term with every exponential as a product of exponentials of single products; those of logarithms are gone."""
    if all(is_apart(base) for base in term.bases):
        return term
    return multiplied((part for power in term.powers for part in parts_of(power)), term.coeff, term.summed)


def is_apart(base: Base) -> bool:
    """Whether a factor stays as it is when exponentials are taken apart."""
    if not is_exponential(base):
        return True
    return is_open((base, ONE)) and logarithm_in(base.arg[0]) is None


def parts_of(power: Power) -> Iterator[Term]:
    """What a factor is, taken apart."""
    base, exponent = power
    if isinstance(base, Fn) and base.name == "exp":
        yield from (split(part, exponent) for part in base.arg)
    else:
        yield Term(ONE, (power,))


def split(part: Term, exponent: sp.Expr) -> Term:
    """``exp(part)**exponent``: ``exp(c*x)`` is ``exp(x)**c``, and ``exp(c*log(u))`` is ``u**c``."""
    inner = logarithm_in(part)
    if inner is not None:
        return power(inner.arg, part.coeff * exponent)
    return Term(ONE, ((Fn("exp", ((Term(ONE, part.powers),),)), part.coeff * exponent),))


def logarithm_in(part: Term) -> Fn | None:
    """The logarithm that a term is a multiple of."""
    inner = part.powers[0][0] if len(part.powers) == 1 and part.powers[0][1] == 1 else None
    return inner if isinstance(inner, Fn) and inner.name == "log" else None


def raised(term: Term, exponent: sp.Expr, is_positive: Callable[[Base], bool]) -> Term:
    """A product to a power; what is positive leaves a root: ``(exp(m) * u)^(3/2)`` is ``exp(m)^(3/2) * u^(3/2)``."""
    if exponent.is_integer:
        return power((term,), exponent)
    positive = [factor for factor in term.powers if is_positive(factor[0])]
    unsure = [factor for factor in term.powers if factor not in positive]
    coeff, sign = (term.coeff, ONE) if term.coeff.is_positive else (ONE, term.coeff)
    outside = product(coeff**exponent, ((base, own * exponent) for base, own in positive))
    return multiplied((outside, power((product(sign, unsure),), exponent)))


def is_open(power: Power) -> bool:
    """Whether a factor is an exponential taken apart, of something that varies."""
    base = power[0]
    if not (isinstance(base, Fn) and base.name == "exp" and len(base.arg) == 1):
        return False
    return base.arg[0].coeff == 1 and bool(base.arg[0].powers)


def exponents_of(powers: Iterable[Power]) -> tuple[Power, ...]:
    """The factors that are exponentials taken apart."""
    return tuple(power for power in powers if is_open(power))


def argument_of(powers: Iterable[Power]) -> Terms:
    """The exponent of a product of exponentials taken apart, as one sum.

    Of several, each is added up with what is taken off it first: both may be huge, and their difference is not.
    """
    found: list[Terms] = []
    above = True
    for base, exponent in powers:
        assert isinstance(base, Fn)
        part = scale(base.arg, exponent)
        if found and above and is_negative(exponent):
            found[-1] = (*found[-1], *part)
        else:
            found.append(part)
        above = not is_negative(exponent)
    if len(found) == 1:
        return found[0]
    return tuple(term for part in found for term in (part if len(part) == 1 else (Term(ONE, ((Add(part), ONE),)),)))


def is_negative(exponent: sp.Expr) -> bool:
    """Whether a factor with this exponent divides."""
    return bool(exponent.could_extract_minus_sign())


def has_exponentials(terms: Terms) -> bool:
    """Whether an exponential stands in some product of the sum, or of a sum inside it."""
    return any(
        is_exponential(base) or (isinstance(base, Add) and has_exponentials(base.terms))
        for term in terms
        for base in term.bases
    )
