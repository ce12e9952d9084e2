"""The formula over the lines of a statement, with entries at a step as the author writes them: ``h[b,t-1,n]``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import sympy as sp

from indexcalc.algebra.terms import Access, Base, Index, Term, Terms, with_inner_terms
from indexcalc.codegen.formula import formula
from indexcalc.codegen.operands import EntryAt
from indexcalc.codegen.statements import Kind, Statement


def shown(
    statement: Statement,
    entries: Mapping[str, EntryAt],
    layouts: Mapping[str, Sequence[int]],
    step: tuple[str, int] | None = None,
) -> str:
    """The formula of a statement.

    Args:
        statement: in normal form.
        entries: the arrays at a step, by their names.
        layouts: how many slots each axis of a stored array holds.
        step: what the present step is called, and which axis it is, where the statement is an array at that step.
    """
    if statement.kind is Kind.LAYER:
        return formula(replace(statement, kind=Kind.ASSIGN, terms=with_number(statement)), layouts)
    axes = statement.axes
    if step is not None:
        axes = (*axes[: step[1]], written(step[0]), *axes[step[1] :])
    text = formula(replace(statement, axes=axes, terms=with_places(statement.terms, entries)), layouts)
    # The number of a step stands under its own name in brackets.
    return text.replace("@", "")


def with_number(statement: Statement) -> Terms:
    """The term of a part of a stack, with the places of its members."""
    (term,) = statement.terms
    (access,) = term.bases
    assert isinstance(access, Access)
    first = int(statement.start)
    last = first + int(statement.over[1].extent) - 1 if len(statement.over) > 1 else first
    number = written(f"{first}" if last == first else f"{first}..{last}")
    slots = tuple(number if slot == statement.over[0] else slot for slot in access.slots)
    return (Term(term.coeff, ((Access(access.tensor, slots), sp.S.One),)),)


def with_places(terms: Terms, entries: Mapping[str, EntryAt]) -> Terms:
    """The terms with whole tensors for arrays at a step."""
    return tuple(Term(t.coeff, tuple((with_place(b, entries), e) for b, e in t.powers), t.summed) for t in terms)


def with_place(base: Base, entries: Mapping[str, EntryAt]) -> Base:
    """A factor with whole tensors for arrays at a step."""
    match base:
        case Access(tensor, slots) if tensor in entries:
            rest = iter(slots)
            parts = entries[tensor].parts
            return Access(entries[tensor].tensor, tuple(next(rest) if p == ":" else written(p) for p in parts))
    return with_inner_terms(base, lambda terms: with_places(terms, entries))


def written(text: str) -> Index:
    """An index that is printed as a text."""
    return Index(text.replace(" ", ""), sp.S.One)
