"""Where tensors are zero: a bracket beside a gradient that has the same bracket says nothing more, and goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from indexcalc.algebra.build import product
from indexcalc.algebra.guards import guards_of
from indexcalc.algebra.renaming import rename_base
from indexcalc.algebra.terms import Access, Delta, Iverson, Term, own_indices
from indexcalc.calculus.steps import Rule, Section, Step, Used
from indexcalc.program import Equation
from indexcalc.rewrite.naming import extended
from indexcalc.rewrite.parts import is_total

Known = Mapping[str, tuple[Equation, tuple[Delta | Iverson, ...]]]
"""For gradients and parts that are zero somewhere: the equation, and the brackets that all of it has."""


def with_needed_brackets(sections: Sequence[Section]) -> tuple[Section, ...]:
    """The sections without brackets that stand beside a gradient, or a part, which is zero where they are."""
    known: dict[str, tuple[Equation, tuple[Delta | Iverson, ...]]] = {}
    done: list[Section] = []
    for section in sections:
        used: dict[str, None] = {}
        lhs, before = section.equation.lhs, section.equation.terms
        after = tuple(without_said(term, known, used) for term in before)
        steps = (Step(Rule.SUPPORT, lhs, before, after, Used(tuple(used))),) if used else ()
        done.append(extended(section, *steps))
        equation = done[-1].equation
        shared = support_of(equation, known)
        if shared:
            known[equation.name] = (equation, shared)
    return tuple(done)


def support_of(equation: Equation, known: Known) -> tuple[Delta | Iverson, ...]:
    """The brackets that all terms of an equation have, or what they read has: elsewhere it is zero."""
    every = [(*guards_of(term), *said_in(term, known)) for term in equation.terms]
    if not every:
        return ()
    return tuple(g for g in every[0] if set(own_indices(g)) <= set(equation.slots) and all(g in one for one in every))


def said_in(term: Term, known: Known) -> dict[Delta | Iverson, str]:
    """The brackets that entries of a term have, each with the tensor."""
    said: dict[Delta | Iverson, str] = {}
    for base, exponent in term.powers:
        if isinstance(base, Access) and base.tensor in known and exponent.is_positive:
            equation, guards = known[base.tensor]
            here = dict(zip(equation.slots, base.slots, strict=True))
            for guard in guards:
                renamed = rename_base(guard, here)
                assert isinstance(renamed, Delta | Iverson)
                said[renamed] = base.tensor
    return said


def without_said(term: Term, known: Known, used: dict[str, None]) -> Term:
    """The term without the brackets that an entry in it makes sure of; `used` collects the tensors."""
    if not is_total(term):
        return term
    said = said_in(term, known)
    gone = [base for base in term.bases if isinstance(base, Delta | Iverson) and base in said]
    if not gone:
        return term
    used.update(dict.fromkeys(said[base] for base in gone))
    return product(term.coeff, (power for power in term.powers if power[0] not in gone), term.summed)
