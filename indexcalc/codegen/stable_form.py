"""What code does to stay finite and to keep digits, for the note to tell."""

from __future__ import annotations

from collections.abc import Mapping

from indexcalc.algebra.canonical import same
from indexcalc.algebra.renaming import rename_base, substitute
from indexcalc.algebra.terms import Access
from indexcalc.calculus.steps import Derivation
from indexcalc.codegen.outline import stable_of
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.program import Equation, Largest, StableForm


def stable_form(derivation: Derivation) -> StableForm:
    """The tensors that have another formula in the code, and the maxima that it subtracts in exponents.

    A sum that only the reader gave a name to is left out: the code may hold a multiple of it under that name.
    """
    passes, program = stable_of(derivation), derivation.problem.program
    statements = (*passes.forward, *passes.backward)
    told = {equation.name: equation for equation in (*program.equations, *derivation.backward.equations)}
    changed = [s.name for s in statements if s.name in told and has_another_form(s, told[s.name])]
    hidden = {s.name: s for s in statements if s.kind is Kind.HIDDEN}
    maxima = [s for s in statements if s.kind is Kind.MAXIMUM and s.name not in told]
    return StableForm(tuple(dict.fromkeys(changed)), tuple(largest_of(maximum, hidden) for maximum in maxima))


def has_another_form(statement: Statement, equation: Equation) -> bool:
    """Whether a statement computes what an author or the note named by another formula."""
    if equation.hoisted or statement.kind is not Kind.ASSIGN:
        return False
    renaming = dict(zip(statement.axes, equation.slots, strict=True))
    return not same(substitute(statement.terms, renaming), equation.terms)


def largest_of(maximum: Statement, hidden: Mapping[str, Statement]) -> Largest:
    """A maximum, over exponents by their own name where masks hide some of them."""
    match maximum.terms:
        case [term] if len(term.powers) == 1 and isinstance(entry := term.bases[0], Access) and entry.tensor in hidden:
            found = hidden[entry.tensor]
            renaming = dict(zip(found.axes, entry.slots, strict=True))
            guards = tuple(rename_base(guard, renaming) for guard in found.guards)
            return Largest(substitute(found.terms, renaming), maximum.over, guards)
    return Largest(maximum.terms, maximum.over)
