"""The sides of a displayed equation: expressions, and expressions in a form that the algebra does not keep."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.terms import Access, Add, Partial, Term, Terms


@dataclass(frozen=True, slots=True)
class Inside:
    """The derivative of a whole sum, not yet taken: the operator in front, the sum in brackets.

    `tensor` is what the sum is equal to.
    """

    wrt: Access
    terms: Terms
    tensor: str = ""


@dataclass(frozen=True, slots=True)
class Spelled:
    """Terms in which every gradient is printed as a derivative of the loss, whatever its name."""

    terms: Terms


@dataclass(frozen=True, slots=True)
class Split:
    """Terms of which each is printed with a sum sign of its own."""

    terms: Terms


@dataclass(frozen=True, slots=True)
class Quotient:
    """Sum-free terms over a common denominator, as the quotient rule writes them."""

    above: Terms
    below: Terms


@dataclass(frozen=True, slots=True)
class Nested:
    """A sum within a sum: the factors of `outer` before the whole of `inner`, which has sums of its own."""

    outer: Term
    inner: Term


Side = Terms | Inside | Spelled | Split | Quotient | Nested


def side_terms(side: Side) -> Terms:
    """A side as an algebra object of the same value."""
    match side:
        case Inside(wrt=wrt, terms=terms):
            return tuple(
                product(term.coeff, ((Partial(Add((Term(sp.S.One, term.powers), *())), wrt), sp.S.One),), term.summed)
                for term in terms
            )
        case Spelled(terms) | Split(terms):
            return terms
        case Nested(outer, inner):
            summed = (*outer.summed, *inner.summed)
            return (product(outer.coeff * inner.coeff, (*outer.powers, *inner.powers), summed),)
        case Quotient(above, below):
            return (divided(above, below),)
        case _:
            return side


def divided(above: Terms, below: Terms) -> Term:
    """``above / below`` as one term."""
    (bottom,) = below
    inverse = product(1 / bottom.coeff, ((base, -exp) for base, exp in bottom.powers))
    if len(above) == 1:
        return product(above[0].coeff * inverse.coeff, above[0].powers + inverse.powers)
    return product(inverse.coeff, ((Add(above), sp.S.One), *inverse.powers))
