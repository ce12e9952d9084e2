"""Sums of exponentials without an index to sum over, ``exp(a) + exp(b)``, under names while the passes are rewritten.

Such a sum has a bound like any other. Where it stands below the line or in a logarithm it gets a name, and so a form;
what still reads the name afterwards, for nothing cancelled, gets the sum back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import sympy as sp

from indexcalc.algebra.build import multiplied, power, product
from indexcalc.algebra.renaming import rename_body, substitute
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Fn,
    Index,
    Term,
    Terms,
    free_indices,
    tensors_of,
    with_inner_terms,
)
from indexcalc.codegen.names import unused
from indexcalc.codegen.stable.exponents import ONE, is_exponential, is_negative
from indexcalc.codegen.stable.logistic import logarithm, one_plus_exp
from indexcalc.program import Equation

STEM = "Z"
"""What the names begin with, as those of sums that the reader names."""


@dataclass
class SumNames:
    """The sums that have a name; grows while equations are read.

    Attributes:
        definitions: the equations of both passes.
        exponential: the tensors that hold exponentials.
        taken: the names in use; new ones join.
        names: of the sums, by the sum with its indices numbered.
        sums: the definitions of the names.
        pending: those that no pass holds yet.
    """

    definitions: Mapping[str, Equation]
    exponential: frozenset[str]
    taken: set[str]
    names: dict[Terms, str] = field(default_factory=dict)
    sums: dict[str, Equation] = field(default_factory=dict)
    pending: list[Equation] = field(default_factory=list)

    def named(self, equations: Sequence[Equation]) -> list[Equation]:
        """The equations that read names, each after the definitions of new ones."""
        found: list[Equation] = []
        for equation in equations:
            terms = self.terms(equation.terms)
            found += [*self.pending, replace(equation, terms=terms)]
            self.pending.clear()
        return found

    def terms(self, terms: Terms) -> Terms:
        """A sum with names at every depth."""
        return tuple(
            product(term.coeff, [(self.base(base, exponent), exponent) for base, exponent in term.powers], term.summed)
            for term in terms
        )

    def base(self, base: Base, exponent: sp.Expr) -> Base:
        """A factor, or the name that stands for it."""
        if isinstance(base, Add):
            inner = self.terms(base.terms)
            divides = is_negative(exponent) and one_plus_exp(base) is None
            return self.name(inner) if divides and self.holds_exponentials(inner) else Add(inner)
        if not isinstance(base, Fn):
            return base
        if base.name != "log":
            return with_inner_terms(base, self.terms)
        arg = self.terms(base.arg)
        if len(arg) > 1 and self.holds_exponentials(arg) and not self.is_logistic(base.arg):
            arg = (Term(ONE, ((self.name(arg), ONE),)),)
        elif len(arg) == 1 and not self.is_logistic(base.arg):
            (term,) = arg
            arg = (product(term.coeff, [(self.summed(inner), e) for inner, e in term.powers], term.summed),)
        return Fn(base.name, (arg,))

    def summed(self, base: Base) -> Base:
        """A factor, or the name of the sum of exponentials that it is."""
        is_sum = isinstance(base, Add) and self.holds_exponentials(base.terms)
        return self.name(base.terms) if isinstance(base, Add) and is_sum else base

    def is_logistic(self, arg: Terms) -> bool:
        """Whether the logarithm of a sum has a stable form of its own."""
        return logarithm(arg, self.definitions) is not None

    def holds_exponentials(self, terms: Terms) -> bool:
        """Whether an exponential, or a tensor that holds some, is a factor of some term."""
        return any(
            is_exponential(b) or (isinstance(b, Access) and b.tensor in self.exponential)
            for t in terms
            for b in t.bases
        )

    def name(self, terms: Terms) -> Access:
        """The entry that stands for a sum."""
        axes = free_indices(terms)
        general = rename_body(terms, {axis: Index(f"#{number}", axis.extent) for number, axis in enumerate(axes)})
        if general not in self.names:
            self.names[general] = unused(STEM, self.taken)
            equation = Equation(Access(self.names[general], axes), terms, hoisted=True)
            self.sums[equation.name] = equation
            self.pending.append(equation)
        return Access(self.names[general], axes)

    def restored(self, terms: Terms) -> Terms:
        """A sum without the names."""
        return tuple(self.restored_term(term) for term in terms)

    def restored_factor(self, base: Base) -> Base:
        """One factor without the names."""
        if not set(tensors_of(base)) & set(self.sums):
            return base
        return Add((self.restored_base(base, ONE),))

    def restored_term(self, term: Term) -> Term:
        """One term without the names."""
        factors = (self.restored_base(base, exponent) for base, exponent in term.powers)
        return multiplied(factors, term.coeff, term.summed)

    def restored_base(self, base: Base, exponent: sp.Expr) -> Term:
        """One power without the names."""
        if isinstance(base, Access) and base.tensor in self.sums:
            equation = self.sums[base.tensor]
            return power(
                self.restored(substitute(equation.terms, dict(zip(equation.slots, base.slots, strict=True)))),
                exponent,
            )
        if isinstance(base, Fn):
            return Term(ONE, ((with_inner_terms(base, self.restored), exponent),))
        return power(self.restored(base.terms), exponent) if isinstance(base, Add) else Term(ONE, ((base, exponent),))


def exponential_tensors(equations: Sequence[Equation]) -> frozenset[str]:
    """The tensors that have exponentials among the factors of a term, or tensors that have."""
    found: set[str] = set()
    for equation in equations:
        bases = [base for term in equation.terms for base in term.bases]
        if any(is_exponential(base) or (isinstance(base, Access) and base.tensor in found) for base in bases):
            found.add(equation.name)
    return frozenset(found)
