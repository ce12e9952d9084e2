"""Steps beside what may have no value: ``step(u) exp(v)`` is ``where(u > 0, exp(v), 0)``.

Zero times what exceeds a format, or has no value, is no zero. So what a step hides is chosen, not multiplied.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import sympy as sp

from indexcalc.algebra.build import multiplied, product, scale
from indexcalc.algebra.terms import (
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    Power,
    Term,
    Terms,
    free_indices,
    inner_terms,
    tensors_of,
    walk,
    with_inner_terms,
)
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
    if isinstance(base, Delta | Iverson) or (isinstance(base, Fn) and base.name in ("step", "reach", "sign")):
        return False
    return holds_exponential(base) or any(name in wild for name in tensors_of(base))


def holds_exponential(expression: Base | Terms) -> bool:
    """Whether an exponential, or a power whose exponent is no number, stands in an expression, at any depth."""
    return any(isinstance(one, Fn) and one.name in ("exp", "pow") for one in walk(expression))


def gated(terms: Terms, wild: Collection[str]) -> Terms:
    """A sum, at every depth, with what steps hide as choices."""
    return tuple(gated_term(term, wild) for term in terms)


def gated_term(term: Term, wild: Collection[str]) -> Term:
    """A product with what its steps hide as a choice between that and zero.

    A step hides what varies along its own indices alone: with another one the choice would have more entries than the
    factors, and what is summed over it is hidden by the step as a whole.
    """
    powers = [(with_inner_terms(base, lambda terms: gated(terms, wild)), exponent) for base, exponent in term.powers]
    for gap, above, place in [(*gate, n) for n, power in enumerate(powers) if (gate := gate_of(power)) is not None]:
        own = frozenset(free_indices(gap))
        hidden = [n for n, (base, _) in enumerate(powers) if n != place and hides(own, base, wild)]
        if hidden and tensors_of(gap):
            inner: Terms = (product(ONE, (powers[n] for n in hidden)),)
            chosen = Fn("where", (gap, inner, ()) if above else (gap, (), inner))
            powers = [power for n, power in enumerate(powers) if n != place and n not in hidden] + [(chosen, ONE)]
            return gated_term(product(term.coeff, powers, term.summed), wild)
    return multiplied((Term(ONE, (power,)) for power in powers), term.coeff, term.summed)


def hides(own: frozenset[Index], base: Base, wild: Collection[str]) -> bool:
    """Whether a step of these indices hides a factor that may exceed a format."""
    return is_wild(base, wild) and own.issuperset(free_indices((Term(ONE, ((base, ONE),)),)))


def gate_of(power: Power) -> tuple[Terms, bool] | None:
    """Of ``step(u)``: u, and that the rest counts above zero; of ``reach(-u)``, ``1 - step(u)``: not above."""
    base, exponent = power
    if not (exponent.is_Integer and exponent.is_positive):
        return None
    match base:
        case Fn("step", (gap,)):
            return gap, True
        case Fn("reach", (gap,)):
            return scale(gap, -ONE), False
        case Add((Term(sp.S.One, ()), Term(sp.S.NegativeOne, ((Fn("step", (gap,)), sp.S.One),), ()))):
            return gap, False
    return None
