"""What does the same to other tensors: keys of statements and sums that say nothing of the names they read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import sympy as sp

from indexcalc.algebra.renaming import rename_bound, substitute
from indexcalc.algebra.terms import Access, Add, Base, Fn, Index, Term, Terms, inner_terms, walk, with_inner_terms
from indexcalc.codegen.fast.conditions import Stack
from indexcalc.codegen.statements import Kind, Statement

One = TypeVar("One")


@dataclass(frozen=True)
class Column:
    """What equal statements read in one place: the same tensor, or a part of a stack.

    Attributes:
        accesses: one for each statement.
        stack: the stack; none for the same tensor throughout.
        first: the place in the stack of the first of them.
    """

    accesses: tuple[Access, ...]
    stack: Stack | None = None
    first: int = 0

    @property
    def is_common(self) -> bool:
        """Whether all statements read the same tensor there."""
        return len({access.tensor for access in self.accesses}) == 1


def equal_ones(pairs: Iterable[tuple[object, One]]) -> Iterator[list[One]]:
    """What has the same key, two or more of each."""
    groups: dict[object, list[One]] = {}
    for key, one in pairs:
        if key is not None:
            groups.setdefault(key, []).append(one)
    yield from (group for group in groups.values() if len(group) > 1)


def key_of(statement: Statement) -> object:
    """What a statement does, whatever tensors it reads; nothing if it can't be done for a stack."""
    if statement.kind is not Kind.ASSIGN or not statement.axes or not is_plain(statement.terms):
        return None
    axes = {axis: Index(f"#{number}", axis.extent) for number, axis in enumerate(statement.axes)}
    terms = tuple(term for whole in substitute(statement.terms, axes) for term in (with_numbers(whole),))
    return tuple(axis.extent for axis in statement.axes), nameless(terms)


def key_of_sum(term: Term) -> object:
    """What a product of two that is summed does, whatever tensors it reads."""
    if not term.summed or len(term.powers) != 2 or not is_plain((term,)):
        return None
    if not all(isinstance(base, Access) and exponent == 1 for base, exponent in term.powers):
        return None
    return nameless((with_numbers(term),))


def with_numbers(term: Term) -> Term:
    """The term with its summed indices numbered."""
    return rename_bound(term, {axis: Index(f"+{number}", axis.extent) for number, axis in enumerate(term.summed)})


def nameless(terms: Terms) -> Terms:
    """The terms with no names of tensors."""
    return mapped(terms, {n: Access("", access.slots) for n, access in enumerate(accesses_of(terms))})


def is_plain(terms: Terms) -> bool:
    """Whether there are entries, functions and sums of them alone."""
    bases = list(walk(terms))
    return bool(accesses_of(terms)) and all(
        isinstance(base, Fn | Add) or (isinstance(base, Access) and base.is_plain) for base in bases
    )


def accesses_of(terms: Terms) -> list[Access]:
    """The entries in terms, in the order in which they stand."""
    found: list[Access] = []
    for term in terms:
        for base, _ in term.powers:
            if isinstance(base, Access):
                found.append(base)
            else:
                found += accesses_of(inner_terms(base))
    return found


def mapped(terms: Terms, read: Mapping[int, Access]) -> Terms:
    """The terms with other entries, by the number of each in the order in which they stand."""
    numbers = iter(range(len(accesses_of(terms))))

    def inner(given: Terms) -> Terms:
        return tuple(Term(t.coeff, tuple((base(b), e) for b, e in t.powers), t.summed) for t in given)

    def base(one: Base) -> Base:
        match one:
            case Access():
                return read[next(numbers)]
        return with_inner_terms(one, inner)

    return inner(terms)


def common_start(names: Sequence[str]) -> str:
    """What all names begin with."""
    first, last = min(names), max(names)
    count = next((n for n, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[:count]


def in_order(statements: Sequence[Statement], waiting: Mapping[str, Collection[str]]) -> list[Statement] | None:
    """The statements, each after those that it waits for, or nothing if there is no such order."""
    found: list[Statement] = []
    left = list(statements)
    while left:
        names = {statement.name for statement in left}
        ready = next((s for s in left if names.isdisjoint(waiting[s.name])), None)
        if ready is None:
            return None
        found.append(ready)
        left.remove(ready)
    return found


def with_step(stack: Stack, slots: tuple[Index, ...], axis: int) -> Stack:
    """The stack of arrays of which a stack is one step."""
    place = stack.place + (axis <= stack.place)
    return replace(stack, place=place, axes=(*slots[:place], stack.index, *slots[place:]))


def layer(stack: Stack, number: int, statement: Statement) -> Statement:
    """A member as a part of its stack."""
    slots = (*statement.axes[: stack.place], stack.index, *statement.axes[stack.place :])
    terms = (Term(sp.S.One, ((Access(stack.name, slots), sp.S.One),)),)
    return Statement(statement.name, statement.axes, terms, Kind.LAYER, (stack.index,), start=sp.Integer(number))


def without_unread(statements: Sequence[Statement], targets: Collection[str]) -> list[Statement]:
    """The statements but for layers that nobody reads."""
    read = {name for s in statements for name in s.reads}
    return [s for s in statements if s.kind is not Kind.LAYER or s.name in read or s.name in targets]
