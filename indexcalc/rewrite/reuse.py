"""Reuse of what the forward pass computed: ``exp(S_ij) / Z_i`` is ``A_ij``, at any depth.

A tensor defined by a product (or by one sum-free sum) is recognised wherever its powers divide a
product: exponents do the bookkeeping, so ``exp(S)^2 Z^-2`` is ``A^2``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from indexcalc.algebra.build import power, product
from indexcalc.algebra.match import Match, find_products
from indexcalc.algebra.terms import Access, Add, Base, Fn, Power, Term, Terms, occurring_indices, tensors_of
from indexcalc.calculus.steps import Rule, Step, Subject, Used
from indexcalc.program import Program

REUSE_LIMIT = 200
"""The most replacements in one term."""


@dataclass(frozen=True, slots=True)
class Reusable:
    """The tensor entry `lhs` holds ``coeff * product(powers)``, which reads the tensors `reads`."""

    lhs: Access
    coeff: sp.Expr
    powers: tuple[Power, ...]
    reads: frozenset[str]


def reusable_tensors(program: Program) -> tuple[Reusable, ...]:
    """The tensors that are defined without sums and worth recognising, later ones first."""
    found: list[Reusable] = []
    for equation in reversed(program.equations):
        if not equation.terms or any(term.summed for term in equation.terms):
            continue
        body = power(equation.terms, sp.S.One)
        trivial = len(body.powers) == 1 and isinstance(body.powers[0][0], Access) and body.powers[0][1] == 1
        bound = set(equation.lhs.slots) <= set(occurring_indices(body))
        if body.powers and bound and not trivial:
            found.append(Reusable(equation.lhs, body.coeff, body.powers, frozenset(tensors_of(body))))
    return tuple(found)


def reuse(subject: Subject, terms: Terms, known: Sequence[Reusable]) -> tuple[Step, ...]:
    """One step that replaces expressions by the tensors that hold them; none if nothing is held."""
    used: dict[str, None] = {}
    after = tuple(reuse_in_term(term, known, used) for term in terms)
    if not used:
        return ()
    return (Step(Rule.REUSE, subject, terms, after, Used(tuple(used))),)


def reuse_in_term(term: Term, known: Sequence[Reusable], used: dict[str, None]) -> Term:
    """The term with every held product replaced, innermost first; `used` collects the names."""
    current = product(term.coeff, ((reuse_in_base(b, known, used), e) for b, e in term.powers), term.summed)
    for _ in range(REUSE_LIMIT):
        found = next(((held, match) for held in known for match in find_products(held.powers, (), current)), None)
        if found is None:
            break
        current = replace(current, *found)
        used[found[0].lhs.tensor] = None
    return current


def reuse_in_base(base: Base, known: Sequence[Reusable], used: dict[str, None]) -> Base:
    """The factor with held products replaced in the terms inside it."""
    if isinstance(base, Fn):
        return Fn(base.name, tuple(reuse_in_term(term, known, used) for term in base.arg), base.params)
    if isinstance(base, Add):
        return Add(tuple(reuse_in_term(term, known, used) for term in base.terms))
    return base


def replace(term: Term, held: Reusable, match: Match) -> Term:
    """The matched powers taken out, the tensor put in: its count of times, its coefficient undone."""
    taken = dict(zip(match.positions, (exponent for _, exponent in held.powers), strict=True))
    entry = Access(held.lhs.tensor, tuple(match.binding[slot] for slot in held.lhs.slots))
    first = min(match.positions)
    powers: list[Power] = []
    for position, (base, exponent) in enumerate(term.powers):
        if position == first:
            powers.append((entry, sp.Integer(match.count)))
        rest = exponent - match.count * taken[position] if position in taken else exponent
        if rest != 0:
            powers.append((base, rest))
    return product(term.coeff * held.coeff ** (-match.count), powers, term.summed)
