"""Steps beside what may have no value: ``step(u) exp(v)`` is ``where(u > 0, exp(v), 0)``.

Zero times what exceeds a format, or has no value, is no zero. So what a step hides is chosen, not multiplied.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import sympy as sp

from indexcalc.algebra.build import multiplied, product
from indexcalc.algebra.terms import Access, Add, Base, Fn, Power, Term, Terms, inner_terms, walk, with_inner_terms
from indexcalc.codegen.statements import Kind, Statement

ONE = sp.S.One


def with_gates(statements: Sequence[Statement], wild: set[str]) -> Iterator[Statement]:
    """The statements with what steps hide as choices.

    Args:
        statements: of one pass, in order.
        wild: the tensors that may exceed a format, as far as they are known; those of the pass join.
    """
    for statement in statements:
        if any(is_wild(base, wild) for term in statement.terms for base in term.bases):
            wild.add(statement.name)
        if statement.kind is not Kind.ASSIGN:
            yield statement
            continue
        terms = gated(statement.terms, wild)
        overflows = statement.may_overflow or any(map(hides_overflow, walk(terms)))
        yield replace(statement, terms=terms, may_overflow=overflows)


def hides_overflow(base: Base) -> bool:
    """Whether a factor is a choice of which one side may exceed a format where it is not chosen."""
    return isinstance(base, Fn) and base.name == "where" and holds_exponential(inner_terms(base))


def is_wild(base: Base, wild: Collection[str]) -> bool:
    """Whether a factor may exceed a format where what it reads is of ordinary size."""
    return (isinstance(base, Access) and base.tensor in wild) or holds_exponential(base)


def holds_exponential(expression: Base | Terms) -> bool:
    """Whether an exponential, or a power whose exponent is no number, stands in an expression, at any depth."""
    return any(isinstance(one, Fn) and one.name in ("exp", "pow") for one in walk(expression))


def gated(terms: Terms, wild: Collection[str]) -> Terms:
    """A sum, at every depth, with what steps hide as choices."""
    return tuple(gated_term(term, wild) for term in terms)


def gated_term(term: Term, wild: Collection[str]) -> Term:
    """A product with what its steps hide as a choice between that and zero."""
    powers = [(with_inner_terms(base, lambda terms: gated(terms, wild)), exponent) for base, exponent in term.powers]
    gates = {place: gate for place, power in enumerate(powers) if (gate := gate_of(power)) is not None}
    hidden = [place for place, power in enumerate(powers) if place not in gates and is_wild(power[0], wild)]
    if not gates or not hidden:
        return multiplied((Term(ONE, (power,)) for power in powers), term.coeff, term.summed)
    inner: Terms = (product(ONE, (powers[place] for place in hidden)),)
    for gap, above in gates.values():
        inner = (Term(ONE, ((Fn("where", (gap, inner, ()) if above else (gap, (), inner)), ONE),)),)
    rest = [power for place, power in enumerate(powers) if place not in gates and place not in hidden]
    return product(term.coeff * inner[0].coeff, (*rest, *inner[0].powers), term.summed)


def gate_of(power: Power) -> tuple[Terms, bool] | None:
    """The argument of a step, and whether the factor is the step or one less it; None for any other factor."""
    base, exponent = power
    if not (exponent.is_Integer and exponent.is_positive):
        return None
    if isinstance(base, Fn) and base.name == "step":
        return base.arg, True
    match base:
        case Add((Term(sp.S.One, ()), Term(sp.S.NegativeOne, ((Fn("step", (gap,)), sp.S.One),), ()))):
            return gap, False
    return None
