"""Where code departs from the formulas of a note, for the note to tell."""

from __future__ import annotations

from collections.abc import Mapping

from indexcalc.algebra.canonical import surely_same
from indexcalc.algebra.renaming import rename_base, substitute
from indexcalc.algebra.terms import Access, tensors_of
from indexcalc.calculus.steps import Derivation
from indexcalc.codegen.outline import stable_of
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.program import Equation, Largest, OtherFormulas


def other_formulas(derivation: Derivation) -> OtherFormulas:
    """The tensors that have another formula in the code, and the maxima that it subtracts in exponents.

    Left out are sums that only the reader gave a name to, and those of which code holds a multiple under their name;
    and maxima of what no note speaks of.
    """
    passes, problem = stable_of(derivation), derivation.problem
    statements = (*passes.forward, *passes.backward)
    told = {equation.name: equation for equation in (*problem.program.equations, *derivation.backward.equations)}
    changed = [
        s.name
        for s in statements
        if s.name in told and s.name not in passes.multiples and has_another_formula(s, told[s.name])
    ]
    hidden = {s.name: s for s in statements if s.kind is Kind.HIDDEN}
    # Of the largest of several maxima, each is a part only.
    parts = {name for s in statements if s.kind is Kind.LARGEST for name in s.reads}
    maxima = [s for s in statements if s.kind is Kind.MAXIMUM and s.name not in told and s.name not in parts]
    known = {*told, *problem.program.tensors, *(given.name for given in problem.handed)} - passes.multiples
    largest = [found for found in (largest_of(maximum, hidden) for maximum in maxima) if reads_of(found) <= known]
    return OtherFormulas(tuple(dict.fromkeys(changed)), tuple(dict.fromkeys(largest)))


def has_another_formula(statement: Statement, equation: Equation) -> bool:
    """Whether a statement computes what an author or the note named by another formula."""
    if equation.hoisted or statement.kind is not Kind.ASSIGN:
        return False
    renaming = dict(zip(statement.axes, equation.slots, strict=True))
    return not surely_same(substitute(statement.terms, renaming), equation.terms)


def largest_of(maximum: Statement, hidden: Mapping[str, Statement]) -> Largest:
    """A maximum, over exponents by their own name where masks hide some of them."""
    match maximum.terms:
        case [term] if len(term.powers) == 1 and isinstance(entry := term.bases[0], Access) and entry.tensor in hidden:
            found = hidden[entry.tensor]
            renaming = dict(zip(found.axes, entry.slots, strict=True))
            guards = tuple(rename_base(guard, renaming) for guard in found.guards)
            return Largest(substitute(found.terms, renaming), maximum.over, guards)
    return Largest(maximum.terms, maximum.over, maximum.guards)


def reads_of(largest: Largest) -> set[str]:
    """The tensors that a maximum is taken of."""
    return {*tensors_of(largest.terms), *(name for guard in largest.guards for name in tensors_of(guard))}
