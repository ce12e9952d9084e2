"""How large a program may be: what is beyond is refused at once, with the bound, instead of tried for minutes.

Long programs are fine, for the work grows with their length. These bounds are about single equations,
whose derivatives, orders of contraction and formulas grow faster than they do.
"""

from __future__ import annotations

from collections.abc import Iterable

from indexcalc.algebra.canonical import components
from indexcalc.algebra.terms import Base, Term, Terms, occurring_indices, parts_of, tensors_of
from indexcalc.errors import LimitError
from indexcalc.program import Equation, Program

INDEX_LIMIT = 24
"""The most indices of one equation, free and summed."""

FACTOR_LIMIT = 40
"""The most factors of one product."""

ARRAY_LIMIT = 10
"""The most indices of one factor: an array with more axes holds too many entries at any sizes that tell them apart."""

TERM_LIMIT = 500
"""The most terms of one sum."""

CONNECTED_LIMIT = 20
"""The most factors of a product that sums connect: their order of contraction is searched."""

DERIVATIVE_LIMIT = 40_000
"""The most terms that the derivatives of one equation by all that it reads have, one by one."""

PART = "give a part of it a name by an equation"


def check_bounds(program: Program) -> None:
    """Return if no equation is too large to be derived, explained, coded and checked in a few seconds.

    Raises:
        LimitError: that names the equation, what was found, and the bound.
    """
    for equation in program.equations:
        check_equation(equation)


def check_equation(equation: Equation) -> None:
    """Reject an equation with too many indices, factors or terms."""
    where = f"the equation of {equation.name} has"
    indices = {*equation.slots, *occurring_indices(equation.terms)}
    if len(indices) > INDEX_LIMIT:
        raise LimitError(f"{where} {len(indices)} indices; the bound is {INDEX_LIMIT}; {PART}")
    widest = max((len(term.powers) for term in nested(equation.terms)), default=0)
    if widest > FACTOR_LIMIT:
        raise LimitError(f"{where} a product of {widest} factors; the bound is {FACTOR_LIMIT}; {PART}")
    axes = max((len(occurring_indices(base)) for term in equation.terms for base in term.bases), default=0)
    if axes > ARRAY_LIMIT:
        raise LimitError(
            f"{where} a factor with {axes} indices; the bound is {ARRAY_LIMIT}; sum over some of them first"
        )
    longest = max([len(equation.terms), *(longest_sum(base) for term in equation.terms for base in term.bases)])
    if longest > TERM_LIMIT:
        raise LimitError(f"{where} a sum of {longest} terms; the bound is {TERM_LIMIT}; {PART}")
    connected = max((len(body) for term in equation.terms for body, sums in components(term) if sums), default=0)
    if connected > CONNECTED_LIMIT:
        raise LimitError(
            f"{where} a sum over a product of {connected} connected factors; the bound is {CONNECTED_LIMIT}; {PART}"
        )
    derived = sum(derivative_terms(term) for term in equation.terms)
    if derived > DERIVATIVE_LIMIT:
        raise LimitError(
            f"{where} derivatives of {derived} terms, by the tensors that it reads; the bound is "
            f"{DERIVATIVE_LIMIT}; {PART}"
        )


def derivative_terms(term: Term) -> int:
    """The most terms that the derivatives of a term have at every depth: itself once for each tensor that it reads."""
    return sum(1 for _ in nested((term,))) * len(tensors_of((term,)))


def longest_sum(base: Base) -> int:
    """The most terms of a sum inside a factor, at any depth."""
    inside = [part for part in parts_of(base) if isinstance(part, Term)]
    return max([len(inside), *(longest_sum(inner) for part in inside for inner in part.bases)])


def nested(terms: Terms) -> Iterable[Term]:
    """The terms at every depth."""
    level = list(terms)
    while level:
        yield from level
        level = [inner for term in level for base in term.bases for inner in parts_of(base) if isinstance(inner, Term)]
