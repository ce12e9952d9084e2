"""What a tensor of exponentials is: its form, and a sum of them as a shifted sum times the exponential of a bound."""

from __future__ import annotations

from dataclasses import dataclass

from indexcalc.algebra.terms import Access, Index, Power, Term, Terms
from indexcalc.codegen.stable.exponents import ONE, exponential
from indexcalc.program import Equation


@dataclass(frozen=True, slots=True)
class Form:
    """What a tensor is, without sums and with its exponentials apart.

    Attributes:
        slots: of the tensor.
        terms: its value.
        wild: whether its exponentials are not all bounded, so that it may overflow where a quotient of it does not.
    """

    slots: tuple[Index, ...]
    terms: Terms
    wild: bool


@dataclass(frozen=True, slots=True)
class Shifted:
    """A sum as ``shifted sum * exp(bound) * outside``.

    Attributes:
        equation: the definition of the shifted sum.
        bound: the entry of the bound of what is summed; None if no exponential is.
        outside: the exponentials that are the same for all that is summed over.
    """

    equation: Equation
    bound: Access | None
    outside: tuple[Power, ...]

    @property
    def name(self) -> str:
        """The shifted sum."""
        return self.equation.name

    @property
    def value(self) -> Term:
        """The sum itself."""
        above = () if self.bound is None else ((exponential(self.bound), ONE),)
        return Term(ONE, (*above, *self.outside, (self.equation.lhs, ONE)))
