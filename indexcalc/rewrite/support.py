"""Where tensors are zero: a bracket beside a gradient that has the same bracket says nothing more, and goes."""

from __future__ import annotations

from collections.abc import Sequence

from indexcalc.algebra.build import product
from indexcalc.algebra.guards import guards_of
from indexcalc.algebra.renaming import rename_base
from indexcalc.algebra.terms import Access, Base, Delta, Iverson, Term
from indexcalc.calculus.steps import Rule, Section, Step, Used
from indexcalc.program import Equation
from indexcalc.rewrite.naming import extended


def with_needed_brackets(sections: Sequence[Section]) -> tuple[Section, ...]:
    """The sections without brackets that stand beside a gradient, or a part, which is zero where they are."""
    known: dict[str, tuple[Equation, tuple[Delta | Iverson, ...]]] = {}
    done = []
    for section in sections:
        used: dict[str, None] = {}
        lhs, before = section.equation.lhs, section.equation.terms
        after = tuple(without_said(term, known, used) for term in before)
        if used:
            section = extended(section, Step(Rule.SUPPORT, lhs, before, after, Used(tuple(used))))
        shared = support_of(section.equation)
        if shared:
            known[section.equation.name] = (section.equation, shared)
        done.append(section)
    return tuple(done)


def support_of(equation: Equation) -> tuple[Delta | Iverson, ...]:
    """The brackets that all terms of an equation have: elsewhere it is zero."""
    every = [guards_of(term) for term in equation.terms]
    return tuple(guard for guard in every[0] if all(guard in guards for guards in every)) if every else ()


def without_said(
    term: Term, known: dict[str, tuple[Equation, tuple[Delta | Iverson, ...]]], used: dict[str, None]
) -> Term:
    """The term without the brackets that an entry in it makes sure of; `used` collects the tensors."""
    said: dict[Base, str] = {}
    for base, exponent in term.powers:
        if isinstance(base, Access) and base.tensor in known and exponent.is_positive:
            equation, guards = known[base.tensor]
            here = dict(zip(equation.slots, base.slots, strict=True))
            said.update((rename_base(guard, here), base.tensor) for guard in guards)
    gone = [base for base in term.bases if isinstance(base, Delta | Iverson) and base in said]
    if not gone:
        return term
    used.update(dict.fromkeys(said[base] for base in gone))
    return product(term.coeff, (power for power in term.powers if power[0] not in gone), term.summed)
