"""Equations in a form that stays finite: forms put in where exponentials cancel, logarithms of products as sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import sympy as sp

from indexcalc.algebra.build import is_divisor, lone, lone_entry, power, product, scale
from indexcalc.algebra.ranges import reads_inside
from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Iverson,
    Power,
    Term,
    Terms,
    occurring_indices,
    tensors_of,
    with_inner_terms,
)
from indexcalc.codegen.stable.bounds import Bounds, are_divided, bound_of
from indexcalc.codegen.stable.carriers import TERM_LIMIT, Carriers, opened
from indexcalc.codegen.stable.exponents import (
    ONE,
    argument_of,
    exponents_of,
    is_exponential,
    is_negative,
    is_open,
)
from indexcalc.codegen.stable.gaps import together
from indexcalc.codegen.stable.logistic import factor_logarithm, holds_sigmoid, logarithm, with_sigmoids
from indexcalc.codegen.stable.pairs import paired
from indexcalc.program import Equation
from indexcalc.rewrite.reuse import Held, Reusable, reuse_in_term

Mask = Delta | Iverson
NOTHING = Held(())
SIGNS = ("step", "reach", "sign")
"""The functions that depend on the sign of their argument alone."""


@dataclass(frozen=True)
class Rewriting:
    """What the equations of a pass may use.

    Attributes:
        carriers: the forms of the tensors.
        definitions: the forward equations.
        held: the products that tensors hold which are there, to be read instead.
        own: the equations of the pass.
    """

    carriers: Carriers
    definitions: Mapping[str, Equation]
    held: Held = NOTHING
    own: Mapping[str, Equation] = field(default_factory=dict)

    def terms(self, terms: Terms) -> Terms:
        """A sum, its terms in stable form at every depth; what forms show to be zero is gone."""
        return tuple(part for term in terms for part in self.term(term) if part.coeff != 0)

    @cached_property
    def done(self) -> dict[Term, Terms]:
        """The terms in stable form, as far as they were asked for: the same brackets and functions stand in many."""
        return {}

    def term(self, term: Term) -> Terms:
        """One term: rewritten where exponentials cancel, or else as it was written, its functions in stable form."""
        if term not in self.done:
            self.done[term] = self.stable(term)
        return self.done[term]

    def stable(self, term: Term) -> Terms:
        """What `term` gives."""
        term = with_sigmoids(with_factors_inside(self.with_quotients(term)))
        found = self.cancelled(term)
        if found is not None:
            return tuple(
                part for whole in found for part in self.inside(with_steps(self.finished(whole), self.carriers.bounds))
            )
        return self.inside(with_steps(term, self.carriers.bounds))

    def with_quotients(self, term: Term) -> Term:
        """The term with what a gradient is in its place, if that divides by a sigmoid that it is multiplied with.

        ``dp * p`` with ``dp = a + b / p`` is ``(a + b / p) * p``: ``p`` vanishes, and then ``dp`` has no value.
        """
        beside = {base for base, exponent in term.powers if exponent.is_positive and self.may_vanish(base)}
        for place, (base, exponent) in enumerate(term.powers if beside else ()):
            equation = self.own.get(base.tensor) if isinstance(base, Access) and exponent == 1 else None
            if equation is None or not isinstance(base, Access) or not reads_inside(base.slots, equation.slots):
                continue
            body = substitute(equation.terms, dict(zip(equation.slots, base.slots, strict=True)))
            inner = opened(body)
            if any(part.summed for part in inner) or len(inner) > TERM_LIMIT:
                continue
            if any(is_negative(size) and factor in beside for part in inner for factor, size in part.powers):
                whole = power(inner, ONE)
                powers = (*term.powers[:place], *whole.powers, *term.powers[place + 1 :])
                return self.with_quotients(product(term.coeff * whole.coeff, powers, term.summed))
        return term

    def may_vanish(self, base: Base) -> bool:
        """Whether a factor is a sigmoid, by a name or one less that, which is zero where its argument is large."""
        if isinstance(base, Add):
            return len(base.terms) == 2 and any(self.may_vanish(inner) for part in base.terms for inner in part.bases)
        if isinstance(base, Access) and base.tensor in self.carriers.forms:
            return any(map(holds_sigmoid, self.carriers.forms[base.tensor].terms))
        return isinstance(base, Fn) and base.name == "sigmoid"

    def finished(self, term: Term) -> Term:
        """Exponentials taken apart put together: in what tensors hold, over their bounds, and the rest as one."""
        plain = paired(term, self.carriers.bounds)
        folded = paired(reuse_in_term(term, self.held, {}), self.carriers.bounds)
        # What a tensor holds may be a part of what a bound bounds.
        best = folded if self.unbounded(folded) <= self.unbounded(plain) else plain
        return together(best, self.carriers.bounds)

    def unbounded(self, term: Term) -> int:
        """How many exponentials are left; one over a bound counts, where all that it bounds may be hidden."""
        alone = [base.arg for base in term.bases if is_exponential(base) and not is_open((base, ONE))]
        entries = (lone_entry(scale(arg, -ONE)) for arg in alone)
        bounds = (self.carriers.bounds.get(entry.tensor) for entry in entries if entry is not None)
        return len(exponents_of(term.powers)) + sum(bound is not None and bound.limited for bound in bounds)

    def cancelled(self, term: Term) -> Terms | None:
        """The term with forms put in, if exponentials cancel by it: fewer are left unbounded than its factors have."""
        alone = [
            self.left_open(self.carriers.unfolded(Term(ONE, (factor,))))
            for factor in term.powers
            if not isinstance(factor[0], Mask)
        ]
        wild = [isinstance(base, Access) and self.carriers.is_wild_tensor(base.tensor) for base, _ in term.powers]
        before = max(sum(1 for left in alone if left), sum(wild))
        if before == 0:
            return None
        found = [self.carriers.unfolded(term, everything=everything) for everything in (False, True)]
        left = [self.left_open(terms) for terms in found]
        totals = [(len(one), self.count_open(terms)) for one, terms in zip(left, found, strict=True)]
        best = 1 if totals[1] < totals[0] else 0
        if not left[best]:
            return found[best]
        if before > 1 and (len(left[best]) < sum(map(len, alone)) or self.merges(left[best])):
            return found[best]
        divided = all(is_negative(exponent) for _, exponent in left[best])
        return found[best] if divided and any(self.is_steep(*power) for power in term.powers) else None

    def is_steep(self, base: Base, exponent: sp.Expr) -> bool:
        """Whether a factor divides by more than a wild tensor itself: ``Z^2`` overflows where ``Z`` does not."""
        wild = isinstance(base, Access) and self.carriers.is_wild_tensor(base.tensor)
        return wild and is_negative(exponent) and exponent != -1

    def merges(self, left: Sequence[Power]) -> bool:
        """Whether exponentials that are left should be one, for they may cancel in it.

        They do where something is divided by the exponential of a bound; if not, a bound is of no use, and those of the
        author are joined where the result is no larger than one of them.
        """
        below = [power for power in left if is_negative(power[1])]
        if are_divided(below, self.carriers.bounds):
            return len(left) > 1
        carried = [power for power in left if (entry := bound_of(power[0])) is not None and self.is_bound(entry)]
        if carried and not are_divided(left, self.carriers.bounds):
            return False
        axes = [frozenset(occurring_indices(base)) for base, _ in left]
        return len(left) > 1 and frozenset().union(*axes) in axes

    def is_bound(self, entry: Access) -> bool:
        """Whether an entry is one of a maximum that was found here."""
        return entry.tensor in self.carriers.bounds and not self.carriers.bounds[entry.tensor].given

    def left_open(self, terms: Terms) -> tuple[Power, ...]:
        """The exponentials that no bound bounds, of the term with most of them."""
        left = [exponents_of(paired(term, self.carriers.bounds).powers) for term in terms]
        return max(left, key=len, default=())

    def count_open(self, terms: Terms) -> int:
        """How many exponentials of all terms no bound bounds."""
        return sum(len(exponents_of(paired(term, self.carriers.bounds).powers)) for term in terms)

    def factor(self, base: Base) -> Base:
        """A factor that is not put together with others."""
        alone = Term(ONE, ((base, ONE),))
        found = self.inside(alone)
        return base if found == (alone,) else lone(found) or Add(found)

    def inside(self, term: Term) -> Terms:
        """The term with its functions and sums in stable form."""
        powers: list[Power] = []
        coeff = term.coeff
        for base, exponent in term.powers:
            stable = self.logarithm(base)
            if stable is not None:
                # The sign of a sum goes in front of it: log(1/Z) is -(m + log Zs).
                factor = power(stable, exponent)
                coeff = coeff * factor.coeff
                powers += factor.powers
            elif isinstance(base, Fn) and self.carriers.is_compared(base):
                powers.append((base, exponent))
            elif isinstance(base, Fn) and base.name in SIGNS and (sign := self.signed(base)) is not None:
                powers += power(self.terms((sign,)), exponent).powers
            elif isinstance(base, Fn) and is_exponential(base) and is_negative(exponent):
                # One over an exponential that overflows is zero, and so is the exponential of what is negative.
                powers.append((Fn(base.name, (self.terms(scale(base.arg, exponent)),)), ONE))
            elif isinstance(base, Fn):
                powers.append((with_inner_terms(base, self.terms), exponent))
            elif isinstance(base, Add):
                factor = power(self.terms(base.terms), exponent)
                coeff = coeff * factor.coeff
                powers += factor.powers
            else:
                powers.append((base, exponent))
        alone = len(term.powers) == 1 and not isinstance(term.powers[0][0], Add)
        if alone and len(powers) == 1 and isinstance(powers[0][0], Add) and powers[0][1] == 1 and not term.summed:
            return scale(powers[0][0].terms, coeff)
        return (product(coeff, powers, term.summed),)

    def signed(self, base: Fn) -> Term | None:
        """A sign without what is positive in its argument, which may underflow; None if nothing is."""
        if len(base.arg) != 1 or not base.arg[0].coeff.is_positive:
            return None
        (argument,) = base.arg
        unsure = [factor for factor in argument.powers if not self.carriers.is_positive(factor[0])]
        if len(unsure) == len(argument.powers):
            return None
        return Term(ONE, ((Fn(base.name, ((product(ONE, unsure),),)), ONE),) if unsure else ())

    def logarithm(self, base: Base) -> Terms | None:
        """A logarithm of exponentials, sums of them, or sigmoids as a sum; None for any other factor."""
        if not (isinstance(base, Fn) and base.name == "log"):
            return None
        if len(base.arg) == 1 and base.arg[0].coeff.is_positive:
            found = self.carriers.unfolded(base.arg[0], everything=True)
            if len(found) == 1 and exponents_of(found[0].powers):
                return self.logarithm_of(found[0])
        return logarithm(base.arg, self.definitions)

    def logarithm_of(self, term: Term) -> Terms:
        """``log(c * exp(a)^k * u^n) = k a + n log(u) + log(c)``; factors that may be negative stay in one logarithm."""
        term = paired(term, self.carriers.bounds)
        closed = [power for power in term.powers if is_exponential(power[0]) and not is_open(power)]
        # An exponent less its bound is small, and stays together: added to the logarithm of a sum it would be rounded.
        parts = [product(exponent, ((Add(base.arg), ONE),)) for base, exponent in closed if isinstance(base, Fn)]
        parts.extend(argument_of(exponents_of(term.powers)))
        parts = list(self.terms(tuple(parts)))
        unsure: list[Power] = []
        rest = [power for power in term.powers if not is_open(power) and power not in closed]
        for base, exponent in rest:
            smooth = factor_logarithm(base, exponent)
            if smooth is not None:
                parts.extend(smooth)
            elif self.carriers.is_positive(base) or (len(rest) == 1 and exponent.is_odd):
                parts.append(Term(exponent, ((Fn("log", ((Term(ONE, ((base, ONE),)),),)), ONE),)))
            else:
                unsure.append((base, exponent))
        if unsure:
            parts.append(Term(ONE, ((Fn("log", ((Term(ONE, tuple(unsure)),),)), ONE),)))
        if term.coeff != 1:
            parts.append(Term(sp.log(term.coeff)))
        return tuple(parts)


def with_factors_inside(term: Term) -> Term:
    """The term with factors inside of the brackets that divide by them: ``u * (a + b / u)`` is ``u * a + b``.

    What divides may vanish, and zero times infinity is no number. Exponentials cancel by their exponents.
    """
    for place, (base, exponent) in enumerate(term.powers):
        if isinstance(base, Add) and exponent == 1:
            every = (power for inner in base.terms for power in inner.powers)
            below = {part for part, size in every if is_negative(size) and not is_exponential(part)}
            moved = [(factor, size) for factor, size in term.powers if factor in below and size.is_positive]
            if moved:
                inner = power(
                    tuple(product(part.coeff, (*part.powers, *moved), part.summed) for part in base.terms), ONE
                )
                rest = (*term.powers[:place], *inner.powers, *term.powers[place + 1 :])
                left = [factor for factor in rest if factor not in moved]
                return with_factors_inside(product(term.coeff * inner.coeff, left, term.summed))
    return term


def with_steps(term: Term, bounds: Bounds) -> Term:
    """The term with exponents that count only where its steps do: what a step of zero multiplies may be infinite.

    A step is zero or one, so ``step(u) * exp(x)`` is ``step(u) * exp(step(u) * x)``. What is over a bound is finite.
    """
    steps = [base for base in term.bases if isinstance(base, Fn) and base.name == "step"]
    if not steps:
        return term
    powers = [(stepped(base, steps, bounds), exponent) for base, exponent in term.powers]
    return product(term.coeff, powers, term.summed)


def stepped(base: Base, steps: Sequence[Base], bounds: Bounds) -> Base:
    """A factor beside steps, its exponentials with those of them that stand for each of its entries."""
    if isinstance(base, Add):
        terms = tuple(
            product(
                term.coeff, [(stepped(inner, steps, bounds), exponent) for inner, exponent in term.powers], term.summed
            )
            for term in base.terms
        )
        return Add(terms)
    if not is_exponential(base) or any(is_bound(part, bounds) for part in base.arg):
        return base
    axes = set(occurring_indices(base))
    own = [(step, ONE) for step in steps if set(occurring_indices(step)) <= axes]
    if not own:
        return base
    return Fn("exp", (tuple(product(part.coeff, (*own, *part.powers), part.summed) for part in base.arg),))


def is_bound(part: Term, bounds: Bounds) -> bool:
    """Whether a part of an exponent takes off a bound."""
    entry = lone_entry(scale((part,), -ONE))
    return entry is not None and entry.tensor in bounds


def held_product(name: str, carriers: Carriers) -> Reusable | None:
    """What a tensor holds, if it is one product whose exponentials are bounded."""
    form = carriers.forms.get(name)
    if form is None or form.wild or len(form.terms) != 1:
        return None
    (term,) = form.terms
    if not set(form.slots) <= set(occurring_indices(term)) or not is_divisor(term.coeff) or len(term.powers) < 2:
        return None
    return Reusable(Access(name, form.slots), term.coeff, term.powers, frozenset(tensors_of(term)))
