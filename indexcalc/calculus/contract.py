"""Contraction of deltas: ``sum_i delta_ij f_i = f_j``, one sum at a time."""

from __future__ import annotations

from indexcalc.algebra.build import product
from indexcalc.algebra.renaming import rename_powers
from indexcalc.algebra.terms import Delta, Term, Terms
from indexcalc.calculus.steps import Collapse, Rule, Step, Subject


def next_collapse(terms: Terms) -> Collapse | None:
    """The first delta, in reading order, that can kill a sum; None if every delta joins free indices."""
    for term in terms:
        for base in term.bases:
            if isinstance(base, Delta):
                if base.left in term.summed:
                    return Collapse(base, base.left, base.right)
                if base.right in term.summed:
                    return Collapse(base, base.right, base.left)
    return None


def collapse_term(term: Term, collapse: Collapse) -> Term:
    """The sum over `killed` done: the delta goes, and the survivor takes the place of `killed`."""
    if collapse.delta not in term.bases or collapse.killed not in term.summed:
        return term
    rest = [power for power in term.powers if power[0] != collapse.delta]
    summed = [index for index in term.summed if index != collapse.killed]
    return product(term.coeff, rename_powers(rest, {collapse.killed: collapse.survivor}), summed)


def contract(subject: Subject, terms: Terms) -> tuple[Step, ...]:
    """Every sum that a delta kills is done, each in a step of its own that all terms share."""
    steps: list[Step] = []
    while (found := next_collapse(terms)) is not None:
        after = tuple(collapse_term(term, found) for term in terms)
        steps.append(Step(Rule.COLLAPSE, subject, terms, after, found))
        terms = after
    return tuple(steps)
