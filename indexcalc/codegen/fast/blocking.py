"""Loops, the statements that they are made of, and in which order groups of these can run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter
from heapq import heapify, heappop, heappush

import sympy as sp

from indexcalc.algebra.slots import renamed_slot
from indexcalc.algebra.terms import Access, Index, own_lookups, walk
from indexcalc.codegen.fast.overlaps import Windows, windows_of
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.codegen.windows import source_of


@dataclass(frozen=True, slots=True)
class Loop:
    """Statements that run block by block.

    Attributes:
        extents: what the dimensions of the loop run over, outermost first.
        statements: in an order in which every tensor is made before it is read.
        indices: for every statement, its own index on each dimension; free, or summed for a total.
    """

    extents: tuple[sp.Expr, ...]
    statements: tuple[Statement, ...]
    indices: Mapping[str, tuple[Index, ...]]

    def is_total(self, statement: Statement) -> bool:
        """Whether the statement sums over a dimension of the loop."""
        return any(index not in statement.axes for index in self.indices[statement.name])


Schedule = tuple[Statement | Loop, ...]
Members = Mapping[str, tuple[Index, ...]]


def parts_of(schedule: Schedule) -> Iterator[tuple[int, Loop | tuple[Statement, ...]]]:
    """What is written one after another, with the number of its last item: a loop, a root, or other statements."""
    waiting: list[Statement] = []
    for number, item in enumerate(schedule):
        is_alone = isinstance(item, Loop) or item.kind is Kind.ROOT
        if waiting and is_alone:
            yield number - 1, tuple(waiting)
            waiting = []
        if isinstance(item, Loop):
            yield number, item
        elif is_alone:
            yield number, (item,)
        else:
            waiting.append(item)
    if waiting:
        yield len(schedule) - 1, tuple(waiting)


@dataclass(frozen=True)
class Blocking:
    """Statements in normal form, and what is asked of them.

    Attributes:
        statements: in order.
        given: the slots of every tensor that is there before.
        wanted: the tensors that are results.
        sizes: the extents, where they are known.
        fused: extents that share an axis of some array; their product is taken to be as large as any one extent.
        known_large: the tensors that are too large to be kept, where that is decided already.
        known_windows: the tensors that show windows, where that is decided already.
        bounded: whether all that can should run in blocks, for memory has a bound.
    """

    statements: tuple[Statement, ...]
    given: Mapping[str, tuple[Index, ...]]
    wanted: tuple[str, ...]
    sizes: Mapping[sp.Symbol, int]
    fused: tuple[frozenset[sp.Expr], ...] = ()
    known_large: frozenset[str] | None = None
    known_windows: Windows | None = None
    bounded: bool = False

    @cached_property
    def by_name(self) -> Mapping[str, Statement]:
        """Every statement by the tensor that it makes."""
        return {statement.name: statement for statement in self.statements}

    @cached_property
    def accesses(self) -> Mapping[str, tuple[Access, ...]]:
        """The accesses of every statement, what it looks up among them."""
        return {s.name: tuple(dict.fromkeys(accesses_in(s))) for s in self.statements}

    @cached_property
    def sources(self) -> Mapping[str, tuple[Access, ...]]:
        """The accesses of every statement, and what it reads through windows."""
        shown = self.windows.keys() & self.by_name.keys()
        return {
            name: (*found, *(self.through(access) for access in found if access.tensor in shown))
            for name, found in self.accesses.items()
        }

    def through(self, access: Access) -> Access:
        """The entry that an access to windows reads."""
        statement = self.by_name[access.tensor]
        entry = source_of(statement)
        named = dict(zip(statement.axes, access.slots, strict=True))
        return Access(entry.tensor, tuple(renamed_slot(slot, named) for slot in entry.slots))

    @cached_property
    def cheap(self) -> frozenset[str]:
        """The statements that memory limits; a product of windows among them, for it copies them."""
        return frozenset(s.name for s in self.statements if is_cheap(s) or self.windows.keys() & set(s.reads))

    @cached_property
    def windows(self) -> Windows:
        """The tensors that show windows, but for those of whose products a largest entry is taken.

        What is subtracted from it must be rounded as it was when it was found, in whatever blocks that is done.
        """
        if self.known_windows is not None:
            return self.known_windows
        found = windows_of(self.statements, self.given, self.sizes)
        return {name: axes for name, axes in found.items() if not self.compared & {name, *self.readers[name]}}

    @cached_property
    def compared(self) -> frozenset[str]:
        """The tensors of whose entries a largest one is taken, and what these are computed from entry by entry."""
        extremes = [s for s in self.statements if s.kind in (Kind.MAXIMUM, Kind.MINIMUM, Kind.LARGEST)]
        pending = [name for statement in extremes for name in self.needs[statement.name]]
        found: set[str] = set()
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                if not any(term.summed for term in self.by_name[name].terms):
                    pending.extend(self.needs[name])
        return frozenset(found)

    @cached_property
    def needs(self) -> Mapping[str, frozenset[str]]:
        """The statements that every statement reads."""
        return {n: frozenset(a.tensor for a in found if a.tensor in self.by_name) for n, found in self.accesses.items()}

    @cached_property
    def readers(self) -> Mapping[str, frozenset[str]]:
        """The statements that read every statement."""
        found: dict[str, set[str]] = {statement.name: set() for statement in self.statements}
        for name, read in self.needs.items():
            for other in read:
                found[other].add(name)
        return {name: frozenset(who) for name, who in found.items()}

    @cached_property
    def large(self) -> frozenset[str]:
        """The tensors that are larger than every input and result, and are not only multiplied as matrices."""
        if self.known_large is not None:
            return self.known_large & frozenset(self.by_name)
        kept = [self.size(slots) for slots in self.given.values()]
        kept += [self.size(self.by_name[name].axes) for name in self.wanted if name in self.by_name]
        every = {s.name: self.size(s.axes) for s in self.statements if s.name not in self.wanted and not s.is_whole}
        larger = [name for name, size in every.items() if not any(fits(size, other) for other in kept)]
        return frozenset(name for name in larger if any(other in self.cheap for other in (name, *self.readers[name])))

    def size(self, slots: Iterable[Index]) -> Counter[sp.Expr]:
        """The number of entries: how often each extent occurs, or its number under 1."""
        if self.sizes:
            number = 1
            for slot in slots:
                number *= int(slot.extent.subs(self.sizes))
            return Counter({sp.S.One: number})
        extents = Counter(slot.extent for slot in slots if not slot.extent.is_Integer)
        for parts in self.fused:
            while all(extents[part] for part in parts):
                extents = extents - Counter(parts) + Counter((AXIS,))
        return extents


def accesses_in(statement: Statement) -> Iterator[Access]:
    """The entries that a statement reads, and those that it looks up."""
    own = {statement.name, *(inner.name for inner in statement.inside)}
    for inner in statement.inside:
        yield from (access for access in accesses_in(inner) if access.tensor not in own)
    for base in walk(statement.content):
        if isinstance(base, Access):
            yield base
        for lookup in own_lookups(base):
            yield Access(lookup.tensor, lookup.slots)


AXIS = sp.Symbol("fused axis")
"""Stands for the product of extents that share an axis."""


def fits(size: Counter[sp.Expr], other: Counter[sp.Expr]) -> bool:
    """Whether a number of entries is at most another, as far as their factors show it."""
    more = size - other
    return not more or (more == Counter((AXIS,)) and bool(other - size))


def is_cheap(statement: Statement) -> bool:
    """Whether memory limits a statement: all but products of matrices."""
    if statement.kind is not Kind.ASSIGN or len(statement.terms) != 1:
        return True
    (term,) = statement.terms
    slots = [set(base.slots) for base in term.bases if isinstance(base, Access)]
    return not (term.summed and len(slots) == 2 and slots[0] - slots[1] and slots[1] - slots[0])


@dataclass(frozen=True)
class Order:
    """What must run before and after each statement outside loops, where each loop runs as a whole.

    Groups are numbered; sets of them are the bits of a number, for they are joined all the time.

    Attributes:
        taken: the statements in loops.
        group: the number of the group of each statement.
        ahead: for each group, those that it waits for, directly or not.
        behind: for each group, those that wait for it.
    """

    taken: frozenset[str]
    group: Mapping[str, int]
    ahead: Mapping[int, int]
    behind: Mapping[int, int]

    def can_join(self, names: Iterable[str]) -> bool:
        """Whether statements outside loops can run together: none waits for a stranger that waits for another."""
        inside = ahead = behind = 0
        for number in (self.group[name] for name in names):
            inside |= 1 << number
            ahead |= self.ahead[number]
            behind |= self.behind[number]
        return not ahead & behind & ~inside


def order_of(problem: Blocking, groups: Sequence[frozenset[str]]) -> Order:
    """The order of the groups, which can run one after another, and of the statements outside them."""
    group, members = group_names(problem, groups)
    reads = before(problem, group, members)
    numbers = tuple(TopologicalSorter(reads).static_order())
    ahead, behind = dict.fromkeys(numbers, 0), dict.fromkeys(numbers, 0)
    for number in numbers:
        for other in reads[number]:
            ahead[number] |= ahead[other] | 1 << other
    for number in reversed(numbers):
        for other in reads[number]:
            behind[other] |= behind[number] | 1 << number
    return Order(frozenset().union(*groups), group, ahead, behind)


def before(problem: Blocking, group: Mapping[str, int], members: Mapping[int, frozenset[str]]) -> dict[int, set[int]]:
    """For each group, those that it reads."""
    return {
        number: {group[read] for name in names for read in problem.needs[name]} - {number}
        for number, names in members.items()
    }


def group_names(
    problem: Blocking, groups: Sequence[frozenset[str]]
) -> tuple[Mapping[str, int], Mapping[int, frozenset[str]]]:
    """The group of every statement; each one outside them is a group of its own."""
    group: dict[str, int] = {name: number for number, names in enumerate(groups) for name in names}
    members: dict[int, frozenset[str]] = dict(enumerate(groups))
    for statement in problem.statements:
        if statement.name not in group:
            group[statement.name] = len(members)
            members[len(members)] = frozenset((statement.name,))
    return group, members


def group_order(problem: Blocking, groups: Sequence[frozenset[str]]) -> Iterator[frozenset[str]]:
    """The groups in an order in which each comes after what it reads, as near to the order of statements as may be."""
    group, members = group_names(problem, groups)
    places = {statement.name: number for number, statement in enumerate(problem.statements)}
    first = {number: min(places[name] for name in names) for number, names in members.items()}
    waiting = before(problem, group, members)
    readers: dict[int, list[int]] = {number: [] for number in members}
    for number, reads in waiting.items():
        for read in reads:
            readers[read].append(number)
    ready = [(first[number], number) for number, reads in waiting.items() if not reads]
    heapify(ready)
    while ready:
        _, chosen = heappop(ready)
        yield members[chosen]
        for reader in readers[chosen]:
            waiting[reader].discard(chosen)
            if not waiting[reader]:
                heappush(ready, (first[reader], reader))
