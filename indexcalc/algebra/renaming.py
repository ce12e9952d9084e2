"""Renaming of indices: substitution that never captures, and names that are free to use.

Capture is possible in one place only, where a term's own sums meet the names that come in;
`rename_apart` is the one function that prevents it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from string import ascii_lowercase

from indexcalc.algebra.build import power, product, replace_power
from indexcalc.algebra.slots import (
    Lookup,
    Slot,
    indices_of_slot,
    renamed_slot,
    with_lookup_as,
    with_lookups_named,
)
from indexcalc.algebra.terms import (
    Access,
    Add,
    Base,
    Delta,
    Fn,
    Index,
    Iverson,
    MatrixFunction,
    Partial,
    Power,
    Term,
    Terms,
    index_names,
    occurring_indices,
    with_inner_terms,
)

Renaming = Mapping[Index, Slot]
"""What stands for indices: other indices, or expressions. Sums are renamed to indices alone."""


LETTERS = "".join(letter for letter in ascii_lowercase if letter not in "eo")
"""What dummies are called: not as the base of exponentials is, nor like a zero."""


def fresh_names(avoid: Collection[str]) -> Iterator[str]:
    """Names for dummies: a, b, c, ..., then a1, b1, ..., without those in `avoid`."""
    taken = frozenset(avoid)
    round_number = 0
    while True:
        for letter in LETTERS:
            name = f"{letter}{round_number}" if round_number else letter
            if name not in taken:
                yield name
        round_number += 1


def fresh_indices(like: Iterable[Index], avoid: Collection[str]) -> tuple[Index, ...]:
    """One new index for each of `like`, of the same extent, with names not in `avoid`."""
    names = fresh_names(avoid)
    return tuple(Index(next(names), index.extent) for index in like)


def rename_base(base: Base, renaming: Renaming) -> Base:
    """The factor with indices replaced; deltas that become trivial stay until a product is built."""
    if renaming.keys().isdisjoint(occurring_indices(base)):
        return base
    match base:
        case Access(tensor, slots):
            return Access(tensor, tuple(renamed_slot(slot, renaming) for slot in slots))
        case Delta(left, right):
            return Delta(renamed_slot(left, renaming), renamed_slot(right, renaming))
        case Iverson(left, relation, right):
            return Iverson(renamed_slot(left, renaming), relation, renamed_slot(right, renaming))
        case Fn() | Add():
            return with_inner_terms(base, lambda terms: rename_body(terms, renaming))
        case MatrixFunction(slots=slots):
            return replace(base, slots=tuple(renamed_slot(slot, renaming) for slot in slots))
        case Partial(of, wrt):
            renamed = rename_base(wrt, renaming)
            assert isinstance(renamed, Access)
            return Partial(rename_base(of, renaming), renamed, base.step)


def replace_lookup(base: Base, lookup: Lookup, index: Slot) -> Base:
    """The factor with an index in the place of a lookup, at any depth."""
    match base:
        case Access(tensor, slots):
            return Access(tensor, tuple(with_lookup_as(slot, lookup, index) for slot in slots))
        case Delta(left, right):
            return Delta(with_lookup_as(left, lookup, index), with_lookup_as(right, lookup, index))
        case Iverson(left, relation, right):
            return Iverson(with_lookup_as(left, lookup, index), relation, with_lookup_as(right, lookup, index))
    return with_inner_terms(base, lambda terms: replace_lookup_in(terms, lookup, index))


def replace_lookup_in(terms: Terms, lookup: Lookup, index: Slot) -> Terms:
    """Sum-free terms with an index in the place of a lookup."""
    return tuple(
        product(term.coeff, ((replace_lookup(base, lookup, index), e) for base, e in term.powers)) for term in terms
    )


def rename_powers(powers: Iterable[Power], renaming: Renaming) -> tuple[Power, ...]:
    """Every factor with indices replaced."""
    return tuple((rename_base(base, renaming), exponent) for base, exponent in powers)


def rename_body(terms: Terms, renaming: Renaming) -> Terms:
    """Sum-free terms with indices replaced."""
    return tuple(product(term.coeff, rename_powers(term.powers, renaming)) for term in terms)


def rename_bound(term: Term, renaming: Mapping[Index, Index]) -> Term:
    """The term with some of its own sums renamed; the new names must not occur in it."""
    bound = tuple(renaming.get(index, index) for index in term.summed)
    return Term(term.coeff, rename_powers(term.powers, renaming), bound)


def rename_apart(term: Term, avoid: Collection[str]) -> Term:
    """The same value, with summed indices renamed where their names are in `avoid`."""
    clashing = [index for index in term.summed if index.name in avoid]
    if not clashing:
        return term
    fresh = fresh_indices(clashing, frozenset(avoid) | index_names(term))
    return rename_bound(term, dict(zip(clashing, fresh, strict=True)))


def substitute_term(term: Term, renaming: Renaming) -> Term:
    """The term with free indices replaced, its own sums renamed first where they would capture."""
    effective = {old: new for old, new in renaming.items() if old not in term.summed and old != new}
    if not effective:
        return term
    # A fresh name that is one of those replaced would be replaced with it.
    names = {index.name for pair in effective.items() for slot in pair for index in indices_of_slot(slot)}
    apart = rename_apart(term, names)
    return product(apart.coeff, rename_powers(apart.powers, effective), apart.summed)


def substitute(terms: Terms, renaming: Renaming) -> Terms:
    """Every term with free indices replaced, without capture."""
    return tuple(substitute_term(term, renaming) for term in terms)


def times(left: Term, right: Term) -> Term:
    """The product of two closed terms: the sums of each are renamed apart from the other."""
    left = rename_apart(left, index_names(right) - {index.name for index in right.summed})
    right = rename_apart(right, index_names(left))
    return product(left.coeff * right.coeff, left.powers + right.powers, left.summed + right.summed)


def under(outer: Term, inner: Term) -> Term:
    """`inner` put inside the sums of `outer`, whose dummies it may read: only `inner`'s sums are renamed."""
    inner = rename_apart(inner, index_names(outer))
    return product(outer.coeff * inner.coeff, outer.powers + inner.powers, outer.summed + inner.summed)


def put_in_place(term: Term, position: int, by: Terms) -> Terms:
    """`term` with the factor at `position` replaced by the sum `by`, distributed over `by`'s terms.

    The replaced factor must stand to a positive integer power one; `by` may read the dummies of `term`.
    """
    assert term.powers[position][1] == 1
    return tuple(replace_power(term, position, rename_apart(part, index_names(term))) for part in by)


def put_in_base(term: Term, position: int, by: Terms) -> Term:
    """`term` with the base at `position` replaced by the sum-free `by`, its exponent kept."""
    return replace_power(term, position, power(by, term.powers[position][1]))


def with_tensors(terms: Terms, names: Mapping[str, str]) -> Terms:
    """The terms with other names for some tensors."""
    return tuple(
        Term(term.coeff, tuple((with_tensors_in(base, names), power) for base, power in term.powers), term.summed)
        for term in terms
    )


def with_tensors_in(base: Base, names: Mapping[str, str]) -> Base:
    """A factor with other names for some tensors."""
    match base:
        case Access(tensor, slots):
            return Access(names.get(tensor, tensor), tuple(with_lookups_named(slot, names) for slot in slots))
        case Delta(left, right) if not base.is_plain:
            return Delta(with_lookups_named(left, names), with_lookups_named(right, names))
        case Iverson(left, relation, right) if not base.is_plain:
            return Iverson(with_lookups_named(left, names), relation, with_lookups_named(right, names))
        case Fn() | Add():
            return with_inner_terms(base, lambda terms: with_tensors(terms, names))
        case MatrixFunction(tensor, slots, inverse):
            renamed = tuple(with_lookups_named(slot, names) for slot in slots)
            return replace(base, tensor=names.get(tensor, tensor), slots=renamed, inverse=names.get(inverse, inverse))
    return base
