"""Clamped values beside the indicator of where they are not clamped: ``min(x, k) step(k - x) = x step(k - x)``.

The derivative of a clamp is an indicator. Where it multiplies the clamp or its argument, one of two
identities may make it vanish: the clamp is its argument where the indicator is one, and its bound elsewhere,
``min(x, k) s = min(x, k) - k + k s``. For ``|x|`` and its sign these are ``|x| sign(x) = x`` and ``x sign(x) = |x|``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeGuard

import sympy as sp

from indexcalc.algebra.build import expand, lone, power, product
from indexcalc.algebra.canonical import collect
from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.terms import Access, Base, Fn, Term, Terms, walk
from indexcalc.calculus.pointwise import derivatives_of
from indexcalc.calculus.steps import Cited, Rule, Step, Subject
from indexcalc.errors import LimitError
from indexcalc.program import Equation, Identity

INDICATORS = frozenset({"step", "reach", "sign"})
CLAMPS = frozenset({"min", "max", "relu", "abs"})
ROUNDS = 6
"""The most identities applied one after another."""
TERM_LIMIT = 48
"""The most terms, multiplied out, of an expression that is looked at."""


@dataclass(frozen=True)
class Clamp:
    """A value ``min(x, k)``, under its name or written out, with the indicator of where it is `x`.

    Attributes:
        value: the factor that holds the clamped value.
        argument: `x`.
        bound: `k`; nothing for a part of `x` such as ``relu(x)``.
        indicator: the derivative of the value by `x`.
    """

    value: Base
    argument: Terms
    bound: Terms
    indicator: Base

    @property
    def is_magnitude(self) -> bool:
        """Whether this is ``|x|``, whose indicator is a sign."""
        return isinstance(self.indicator, Fn) and self.indicator.name == "sign"

    def as_argument(self, exponent: sp.Expr) -> Terms:
        """``value**e s`` as the argument where the indicator is one."""
        inner = power(self.argument, exponent)
        if self.is_magnitude:
            rest = power(((Term(sp.S.One, ((self.value, sp.S.One),))),), exponent - 1)
            inner = power(self.argument, sp.S.One)
            return expand((product(inner.coeff * rest.coeff, (*inner.powers, *rest.powers)),))
        return expand((product(inner.coeff, (*inner.powers, (self.indicator, sp.S.One))),))

    def as_value(self, exponent: sp.Expr) -> Terms:
        """``value**e s`` or ``x**e s`` with the indicator beside the bound only."""
        value = Term(sp.S.One, ((self.value, exponent),))
        if self.is_magnitude or not self.bound:
            return (value,)
        bound = power(self.bound, exponent)
        beside = product(bound.coeff, (*bound.powers, (self.indicator, sp.S.One)))
        return (value, Term(-bound.coeff, bound.powers), beside)


def clamps_in(terms: Terms, definitions: Mapping[str, Equation]) -> tuple[Clamp, ...]:
    """The clamped values that an expression reads or whose indicators it has, named ones first."""
    present = tuple(dict.fromkeys(walk(terms)))
    named = [found for base in present if isinstance(base, Access) and (found := of_entry(base, definitions))]
    written = [found for base in present if is_clamp(base) and (found := clamp_of(base, base))]
    return tuple(dict.fromkeys((*named, *written)))


def of_entry(entry: Access, definitions: Mapping[str, Equation]) -> Clamp | None:
    """The clamp that a tensor's entry holds; None for another tensor."""
    equation = definitions.get(entry.tensor)
    if equation is None or not is_clamp(lone(equation.terms)) or not equation.holds_at(entry):
        return None
    base = lone(substitute(equation.terms, dict(zip(equation.slots, entry.slots, strict=True))))
    return clamp_of(entry, base) if is_clamp(base) else None


def is_clamp(base: Base | None) -> TypeGuard[Fn]:
    """Whether a factor is a clamped value that is written out."""
    return isinstance(base, Fn) and base.name in CLAMPS


def clamp_of(value: Base, written: Fn) -> Clamp | None:
    """The clamp that a function of the table is; None for the larger of two that are equal everywhere."""
    argument, *bounds = written.args
    indicator = lone(derivatives_of(written)[0])
    return None if indicator is None else Clamp(value, argument, bounds[0] if bounds else (), indicator)


def unclamped(subject: Subject, terms: Terms, definitions: Mapping[str, Equation]) -> tuple[Step, ...]:
    """Steps to a form with fewer indicators; none if neither identity leads to one."""
    present = frozenset(walk(terms))
    if not any(isinstance(base, Fn) and base.name in INDICATORS for base in present):
        return ()
    # Multiplying out is dear, and brings no factor that was nowhere before.
    if not any(
        clamp.indicator in present and present.intersection(candidates(clamp))
        for clamp in clamps_in(terms, definitions)
    ):
        return ()
    try:
        start = collect(expand(terms, TERM_LIMIT))
        if not indicators(start):
            return ()
        tried = [applied(subject, start, definitions, way) for way in (to_arguments, to_values)]
    except LimitError:
        return ()
    steps = min(tried, key=lambda found: indicators(found[-1].after) if found else indicators(start))
    if not steps or indicators(steps[-1].after) >= indicators(start):
        return ()
    return (*((Step(Rule.EXPAND, subject, terms, start),) if start != terms else ()), *steps)


def indicators(terms: Terms) -> int:
    """How many indicators stand as factors."""
    return sum(isinstance(base, Fn) and base.name in INDICATORS for term in terms for base in term.bases)


Way = Callable[[Term, Clamp], tuple[Terms, Identity] | None]


def applied(subject: Subject, terms: Terms, definitions: Mapping[str, Equation], way: Way) -> tuple[Step, ...]:
    """Steps that apply one identity to all terms, for each clamp, until nothing changes."""
    steps: list[Step] = []
    for _ in range(ROUNDS):
        before = terms
        for clamp in clamps_in(terms, definitions):
            changed = [way(term, clamp) for term in terms]
            identity = next((found[1] for found in changed if found is not None), None)
            if identity is None:
                continue
            parts = zip(terms, changed, strict=True)
            after = collect(tuple(t for term, found in parts for t in ((term,) if found is None else found[0])))
            if len(after) > TERM_LIMIT:
                return ()
            steps.append(Step(Rule.LEMMA, subject, terms, after, Cited(identity)))
            terms = after
        if terms == before:
            break
    return tuple(steps)


def to_arguments(term: Term, clamp: Clamp) -> tuple[Terms, Identity] | None:
    """The clamped value as its argument, beside its indicator."""
    exponent = dict(term.powers).get(clamp.value)
    if exponent is None or not (exponent.is_Integer and exponent > 0) or clamp.indicator not in term.bases:
        return None
    return rewritten(term, clamp, clamp.value, exponent, clamp.as_argument(exponent))


def to_values(term: Term, clamp: Clamp) -> tuple[Terms, Identity] | None:
    """The clamped value or its argument without its indicator, which stays beside the bound only."""
    if clamp.indicator not in term.bases:
        return None
    for base in candidates(clamp):
        exponent = dict(term.powers).get(base)
        if exponent is not None and exponent.is_Integer and exponent > 0 and not (clamp.is_magnitude and exponent > 1):
            if clamp.is_magnitude and base == clamp.value:
                continue
            return rewritten(term, clamp, base, exponent, clamp.as_value(exponent))
    return None


def candidates(clamp: Clamp) -> Iterator[Base]:
    """The factors that are the clamped value where the indicator is one."""
    yield clamp.value
    if len(clamp.argument) == 1 and clamp.argument[0].coeff == 1 and len(clamp.argument[0].powers) == 1:
        base, exponent = clamp.argument[0].powers[0]
        if exponent == 1:
            yield base


def rewritten(term: Term, clamp: Clamp, base: Base, exponent: sp.Expr, by: Terms) -> tuple[Terms, Identity]:
    """The term with ``base**exponent indicator`` replaced, and the identity that says so."""
    taken = {base: exponent, clamp.indicator: sp.S.One}
    rest = [(b, e) for b, e in term.powers if b not in taken]
    extra = dict(term.powers)[clamp.indicator] - 1
    rest += [(clamp.indicator, extra)] if extra != 0 else []
    parts = tuple(product(term.coeff * part.coeff, (*rest, *part.powers), term.summed) for part in by)
    here = (product(1, ((base, exponent), (clamp.indicator, sp.S.One))),)
    return parts, Identity(here, by)
