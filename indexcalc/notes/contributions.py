"""What the terms of a result are: rows that are added up with weights, inner products, distances from a mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy as sp

from indexcalc.algebra.build import product
from indexcalc.algebra.canonical import same
from indexcalc.algebra.renaming import substitute
from indexcalc.algebra.terms import Access, Add, Base, Delta, Index, Iverson, Term, Terms, own_indices, walk
from indexcalc.calculus.steps import Derivation, Section
from indexcalc.errors import LimitError
from indexcalc.notes.blocks import Span, Spans, Symbol
from indexcalc.notes.meanings import called, tensor_phrase
from indexcalc.notes.parts import start_of
from indexcalc.notes.prose import listed, say


def everywhere(terms: Terms, indices: Sequence[Index]) -> bool:
    """Whether all values of some summed indices count: no bracket, delta or place leaves any of them out."""
    for term in terms:
        for base in term.bases:
            for inner in walk(base):
                partial = isinstance(inner, Iverson | Delta) or (isinstance(inner, Access) and not inner.is_plain)
                if partial and set(indices) & set(own_indices(inner)):
                    return False
    return True


def products_of_rows(target: Access, terms: Terms) -> Iterator[Spans]:
    """What a sum of products of two matrices is: a sum of rows with weights, or inner products of rows."""
    if len(terms) != 1 or len(terms[0].summed) != 1 or len(target.slots) != 2 or target.slots[0] == target.slots[1]:
        return
    (summed,), (row, column) = terms[0].summed, target.slots
    bases = [base for base, exponent in terms[0].powers if exponent == 1 and isinstance(base, Access)]
    if len(terms[0].powers) != 2 or len(bases) != 2 or summed in target.slots:
        return
    for one, other in (bases, bases[::-1]):
        if one.slots == (summed, column) and set(other.slots) == {summed, row} and len(other.slots) == 2:
            weight = (Term(terms[0].coeff, ((other, sp.S.One),)),)
            yield say("read.rows", row=row, vectors=Symbol(one.tensor), summed=summed, weight=weight)
        if one.slots == (row, summed) and other.slots == (column, summed) and terms[0].coeff == 1:
            first, second = Symbol(one.tensor), Symbol(other.tensor)
            yield say("read.inner", row=row, first=first, other=column, second=second)


def distance_from_mean(derivation: Derivation, section: Section) -> list[Spans]:
    """That a result is weights times what an entry differs from its mean by; nothing where terms are too long."""
    try:
        return list(distances(derivation, section))
    except LimitError:
        return []


def distances(derivation: Derivation, section: Section) -> Iterator[Spans]:
    """That a result is weights times what an entry differs from its own mean by, with these weights or with equal ones.

    Held against the equation of the part, and an identity of the forward pass that says that weights add up to one.
    """
    parts = {other.equation.name: other for other in derivation.sections if other.target is None}
    told: set[str] = set()
    for term in section.equation.terms if len(section.equation.terms) == 1 else ():
        sums = [base for base, exponent in term.powers if isinstance(base, Add) and exponent == 1]
        weights = [base for base, exponent in term.powers if isinstance(base, Access) and exponent == 1]
        for entry, part in (pair for base in sums for pair in differences(base)):
            over = tuple(slot for slot in entry.indices if slot not in part.slots)
            if part.tensor not in parts or not over or not set(part.slots) <= set(entry.slots):
                continue
            definition = parts[part.tensor]
            names = dict(zip(definition.equation.slots, part.slots, strict=True))
            meant = substitute(start_of(definition), names)
            spans: dict[str, Span | list[Span]] = {"part": part, "entry": entry, "indices": listed(over)}
            count = sp.Mul(*(index.extent for index in over))
            if same(meant, (product(1 / count, ((entry, sp.S.One),), over),)):
                told.add(part.tensor)
                yield say("read.mean", **spans)
            for weight in weights:
                weighted = (product(sp.S.One, ((entry, sp.S.One), (weight, sp.S.One)), over),)
                if same(meant, weighted) and adds_up_to_one(derivation, weight, over):
                    told.add(part.tensor)
                    words = called(tensor_phrase(derivation.problem.program, weight.tensor))
                    yield say("read.mean.weighted", **spans, weight=weight, called=words)
    read = dict.fromkeys(base for base in walk(section.equation.terms) if isinstance(base, Access) and base.is_plain)
    for base in read:
        if base.tensor in parts and base.tensor not in told and base.slots:
            names = dict(zip(parts[base.tensor].equation.slots, base.slots, strict=True))
            meant = substitute(start_of(parts[base.tensor]), names)
            if len(meant) == 1 and is_mean(meant[0]) and everywhere(meant, meant[0].summed):
                inner = (Term(sp.S.One, meant[0].powers),)
                yield say("read.mean.of", part=base, inner=inner, indices=listed(meant[0].summed))


def is_mean(term: Term) -> bool:
    """Whether a term is the mean of its factors over the indices that it sums over."""
    return bool(term.summed and term.powers) and term.coeff * sp.Mul(*(index.extent for index in term.summed)) == 1


def differences(base: Add) -> Iterator[tuple[Access, Access]]:
    """Two entries of which the first less the second is a sum, up to its sign."""
    if len(base.terms) != 2 or any(term.summed or len(term.powers) != 1 for term in base.terms):
        return
    entries: list[Base] = [term.bases[0] for term in base.terms]
    signs = [term.coeff for term in base.terms]
    one, other = entries
    if not (isinstance(one, Access) and isinstance(other, Access) and one.is_plain and other.is_plain):
        return
    if {term.powers[0][1] for term in base.terms} == {sp.S.One} and set(signs) == {sp.S.One, sp.S.NegativeOne}:
        yield from ((one, other), (other, one))


def adds_up_to_one(derivation: Derivation, weight: Access, over: Sequence[Index]) -> bool:
    """Whether the forward pass has the identity that the entries of a tensor add up to one over some of its slots."""
    claim = (product(sp.S.One, ((weight, sp.S.One),), tuple(over)),)
    for proof in derivation.lemmas:
        left, right = proof.identity.left, proof.identity.right
        if same(right, (product(sp.S.One, ()),)) and len(left) == 1 and left[0].powers:
            base = left[0].bases[0]
            if isinstance(base, Access) and base.tensor == weight.tensor and base.is_plain:
                names = dict(zip(base.slots, weight.slots, strict=True))
                free = {old: new for old, new in names.items() if isinstance(old, Index) and old not in left[0].summed}
                if same(substitute(left, free), claim):
                    return True
    return False


def freed_by(section: Section) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a named part is computed from in the end, and what it is not computed from any more."""
    read = names_in(section.equation.terms)
    before = names_in(start_of(section))
    return read, tuple(name for name in before if name not in read)


def inner_product(terms: Terms) -> tuple[Access, ...]:
    """The two entries under the same indices of which a sum of products is made; empty for anything else."""
    if len(terms) != 1 or terms[0].coeff != 1 or len(terms[0].powers) != 2 or not terms[0].summed:
        return ()
    found = tuple(base for base, exponent in terms[0].powers if isinstance(base, Access) and exponent == 1)
    return found if len(found) == 2 and found[0].is_plain and found[0].slots == found[1].slots else ()


def names_in(terms: Terms) -> tuple[str, ...]:
    """The tensors of which entries are read, in order."""
    return tuple(dict.fromkeys(base.tensor for base in walk(terms) if isinstance(base, Access)))
