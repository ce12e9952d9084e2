"""The tensors that a program divides by or takes the logarithm of, and those that are positive for sure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from indexcalc.algebra.terms import Access, Add, Fn, Power, Term, Terms, inner_terms, tensors_of
from indexcalc.codegen.stable.exponents import is_negative
from indexcalc.program import Equation


def divided_tensors(equations: Iterable[Equation], definitions: Mapping[str, Equation]) -> frozenset[str]:
    """The tensors that something is divided by or whose logarithm is taken, and their parts.

    Those are the factors of a product, and what a constant is added to: ``1 / (Z + 1)`` divides by Z.
    """
    found: set[str] = set()
    for equation in equations:
        for name in divisors(equation.terms):
            found.add(name)
    pending = sorted(found)
    while pending:
        definition = definitions.get(pending.pop())
        varied = [] if definition is None else [term for term in definition.terms if tensors_of((term,))]
        if len(varied) != 1 or varied[0].summed:
            continue
        for base in varied[0].bases:
            if isinstance(base, Access) and base.tensor not in found:
                found.add(base.tensor)
                pending.append(base.tensor)
    return frozenset(found)


def divisors(terms: Terms) -> Iterator[str]:
    """The tensors below the line, and those in products that a logarithm is taken of, at every depth."""
    for base, exponent in every_power(terms):
        if isinstance(base, Access) and is_negative(exponent):
            yield base.tensor
        if isinstance(base, Fn) and base.name == "log" and len(base.arg) == 1:
            yield from (inner.tensor for inner in base.arg[0].bases if isinstance(inner, Access))


def every_power(terms: Terms) -> Iterator[Power]:
    """Every factor with its exponent, at every depth."""
    for term in terms:
        for base, exponent in term.powers:
            yield base, exponent
            yield from every_power(inner_terms(base))


def positive_tensors(equations: Iterable[Equation], given: Collection[str] = ()) -> frozenset[str]:
    """The tensors that are never zero or negative: products, quotients and sums of what is positive."""
    found = set(given)

    def is_positive(term: Term) -> bool:
        return bool(term.coeff.is_positive) and all(
            (isinstance(base, Fn) and base.name in ("exp", "sigmoid", "softplus"))
            or (isinstance(base, Access) and base.tensor in found)
            or (isinstance(base, Add) and all(map(is_positive, base.terms)))
            for base in term.bases
        )

    for equation in equations:
        if equation.terms and all(map(is_positive, equation.terms)):
            found.add(equation.name)
    return frozenset(found)
