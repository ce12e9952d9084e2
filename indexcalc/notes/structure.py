"""What the terms of a derivative in parts are: a diagonal, a matrix of rank one, a Kronecker product."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import sympy as sp

from indexcalc.algebra.terms import Access, Delta, Index, Term, Terms, own_indices
from indexcalc.calculus.steps import Order


def common_deltas(terms: Terms) -> tuple[Delta, ...]:
    """The deltas that are factors of every term, in the order of the first."""
    if not terms:
        return ()
    first, *rest = terms
    return tuple(base for base in first.bases if isinstance(base, Delta) and all(base in term.bases for term in rest))


def kinds_of(term: Term, entry: Access, rows: int, common: Sequence[Delta]) -> str:
    """What a term is within a block that the deltas of all terms leave: a word of the table of sentences."""
    own = [base for base in term.bases if isinstance(base, Delta) and base not in common]
    factors = [base for base in term.bases if isinstance(base, Access)]
    if not (all(base.is_plain for base in factors) and all(delta.is_plain for delta in (*common, *own))):
        return "product"
    shared = {index for delta in common for index in own_indices(delta)}
    first = [slot for slot in entry.indices[:rows] if slot not in shared]
    last = [slot for slot in entry.indices[rows:] if slot not in shared]
    if len(own) == len(first) == len(last):
        return "diagonal"
    sides = [sides_of(base.indices, first, last) for base in factors]
    if not own and sorted(sides) == ["columns", "rows"]:
        return "rank"
    if not own and len(factors) == 1 and first and last:
        return "full" if set(first) | set(last) <= set(factors[0].indices) else "constant"
    joined = {index for delta in own for index in own_indices(delta)}
    if own and len(factors) == 1 and set(first) | set(last) <= {*factors[0].indices, *joined}:
        return "block"
    pairs = [*map(own_indices, own), *(base.indices for base in factors)]
    if is_kronecker(pairs, first, last, shared):
        return "kronecker"
    return "product"


def sides_of(slots: Sequence[Index], rows: Sequence[Index], columns: Sequence[Index]) -> str:
    """Whether an array has indices of the rows alone, of the columns alone, of both, or of neither."""
    has_rows, has_columns = any(slot in rows for slot in slots), any(slot in columns for slot in slots)
    if has_rows and has_columns:
        return "both"
    return "rows" if has_rows else "columns" if has_columns else "none"


def is_kronecker(
    pairs: Sequence[Sequence[Index]], rows: Sequence[Index], columns: Sequence[Index], shared: Collection[Index]
) -> bool:
    """Whether every factor but scalars has an index of the rows and one of the columns, none of them shared."""
    own = [[index for index in pair if index not in shared] for pair in pairs]
    own = [pair for pair in own if pair]
    every = [index for pair in own for index in pair]
    each = all(sides_of(pair, rows, columns) == "both" for pair in own)
    return len(own) > 1 and each and len(set(every)) == len(every)


def entries_in(slots: Sequence[Index]) -> sp.Expr:
    """How many entries an array over these slots has."""
    return sp.Mul(*(slot.extent for slot in slots))


def stored_entries(order: Order) -> sp.Expr:
    """How many numbers the arrays of a derivative hold."""
    read: dict[str, Sequence[Index]] = {}
    for term in order.equation.terms:
        for base in term.bases:
            if isinstance(base, Access):
                known = order.program.tensors.get(base.tensor)
                read.setdefault(base.tensor, base.indices if known is None else known.slots)
    return sp.Add(*(entries_in(slots) for slots in read.values()))
