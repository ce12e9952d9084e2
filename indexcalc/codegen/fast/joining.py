"""The statements of both passes as one list, in which a name stands for one value.

Each pass names the functions that it shares by itself, so the same name may stand for ``tanh(X[i,j])`` in
one pass and for ``tanh(X[j,i])`` in the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from indexcalc.algebra.terms import Access, Add, Base, Fn, Term, Terms
from indexcalc.codegen.fast.normal import unused
from indexcalc.codegen.statements import Statement


def both_passes(forward: Iterable[Statement], backward: Iterable[Statement], taken: set[str]) -> tuple[Statement, ...]:
    """The statements of both passes, in order; what the backward pass names like another value gets a name of its own.

    Args:
        forward: the statements of the forward pass.
        backward: the statements of the backward pass; they may compute again what the forward pass did.
        taken: the names in use; new ones join.
    """
    known = {statement.name: statement for statement in forward}
    others: dict[str, str] = {}
    for statement in backward:
        renamed = replace(statement, terms=with_tensors(statement.terms, others))
        earlier = known.get(statement.name)
        if earlier is None:
            known[statement.name] = renamed
        elif replace(earlier, note=renamed.note, may_overflow=renamed.may_overflow) != renamed:
            others[statement.name] = unused(statement.name, taken)
            known[others[statement.name]] = replace(renamed, name=others[statement.name])
    return tuple(known.values())


def with_tensors(terms: Terms, names: Mapping[str, str]) -> Terms:
    """The terms with other names for some tensors."""
    return tuple(
        Term(term.coeff, tuple((renamed_base(base, names), power) for base, power in term.powers), term.summed)
        for term in terms
    )


def renamed_base(base: Base, names: Mapping[str, str]) -> Base:
    """A factor with other names for some tensors."""
    match base:
        case Access(tensor, slots):
            return Access(names.get(tensor, tensor), slots)
        case Fn(name, arg, params):
            return Fn(name, with_tensors(arg, names), params)
        case Add(terms):
            return Add(with_tensors(terms, names))
    return base
