"""Contraction of deltas: ``sum_i delta_ij f_i = f_j``, one sum at a time."""

from __future__ import annotations

from collections.abc import Collection

from indexcalc.algebra.build import expand_term, is_expandable, product
from indexcalc.algebra.renaming import rename_powers
from indexcalc.algebra.terms import Add, Delta, Index, Term, Terms, walk
from indexcalc.calculus.steps import Collapse, Rule, Step, Subject
from indexcalc.errors import LimitError


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
    """Every sum that a delta kills is done, each in a step of its own that all terms share.

    A parenthesis that hides such a delta, as in ``A_ac (delta_cj - A_aj)``, is split when nothing else is left;
    other parentheses beside it, such as a difference of points, stay as they are.
    """
    steps: list[Step] = []
    while True:
        while (found := next_collapse(terms)) is not None:
            after = tuple(part for term in terms if (part := collapse_term(term, found)).coeff != 0)
            steps.append(Step(Rule.COLLAPSE, subject, terms, after, found))
            terms = after
        after = tuple(part for term in terms for part in (split(term) if hides_delta(term) else (term,)))
        if after == terms:
            return tuple(steps)
        steps.append(Step(Rule.EXPAND, subject, terms, after))
        terms = after


def split(term: Term) -> Terms:
    """The parentheses that hide deltas multiplied out; a high power of a sum, which gives too many terms, stays."""
    try:
        return expand_term(term, lambda base: holds_delta(base, term.summed))
    except LimitError:
        return (term,)


def hides_delta(term: Term) -> bool:
    """Whether a delta that could kill a sum of the term stands inside a sum that can be multiplied out."""
    return any(
        isinstance(base, Add) and is_expandable(base, exponent) and holds_delta(base, term.summed)
        for base, exponent in term.powers
    )


def holds_delta(base: Add, summed: Collection[Index]) -> bool:
    """Whether a delta that could kill one of the sums stands inside the parenthesis."""
    return any(isinstance(inner, Delta) and (inner.left in summed or inner.right in summed) for inner in walk(base))
