"""Which statements run together, block by block, and over which indices.

A loop takes statements that agree on an index: every tensor that is made in the loop and read in it is
read at the loop's own index. Such a tensor is only there for one block at a time, unless somebody
outside asks for it. A sum over the loop's index is a total that grows from block to block, and is read
after the loop. Statements may change places, as long as every tensor is made before it is read.

What should run in a loop: statements that make or read a tensor too large to be kept (one whose
number of entries no input and no result has), and statements that memory limits, not arithmetic. A
product of matrices that are there anyway is left whole: BLAS cuts it into blocks itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from itertools import product as cartesian

import sympy as sp

from indexcalc.algebra.terms import Access, Index, walk
from indexcalc.codegen.statements import Kind, Statement

STATEMENT_LIMIT = 400
"""The most statements for which loops are looked for; more run one after another."""


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
    """

    statements: tuple[Statement, ...]
    given: Mapping[str, tuple[Index, ...]]
    wanted: tuple[str, ...]
    sizes: Mapping[sp.Symbol, int]
    fused: tuple[frozenset[sp.Expr], ...] = ()
    known_large: frozenset[str] | None = None

    @cached_property
    def by_name(self) -> Mapping[str, Statement]:
        """Every statement by the tensor that it makes."""
        return {statement.name: statement for statement in self.statements}

    @cached_property
    def accesses(self) -> Mapping[str, tuple[Access, ...]]:
        """The accesses of every statement."""
        return {
            s.name: tuple(dict.fromkeys(b for b in walk(s.terms) if isinstance(b, Access))) for s in self.statements
        }

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
        every = {s.name: self.size(s.axes) for s in self.statements if s.name not in self.wanted}
        larger = [name for name, size in every.items() if not any(fits(size, other) for other in kept)]
        return frozenset(
            name for name in larger if any(is_cheap(self.by_name[other]) for other in (name, *self.readers[name]))
        )

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


AXIS = sp.Symbol("fused axis")
"""Stands for the product of extents that share an axis."""


def fits(size: Counter[sp.Expr], other: Counter[sp.Expr]) -> bool:
    """Whether a number of entries is at most another, as far as their factors show it."""
    more = size - other
    return not more or (more == Counter((AXIS,)) and bool(other - size))


def scheduled(problem: Blocking, block: str | None = None) -> Schedule:
    """The statements in an order with loops.

    Args:
        problem: the statements.
        block: the name of the index that is cut into blocks where a loop may run over it.
    """
    loops: list[Loop] = []
    if len(problem.statements) <= STATEMENT_LIMIT:
        for root in roots(problem):
            if not any(root.name in loop.indices for loop in loops):
                loops.append(best_loop(problem, root, loops, block))
    return ordered(problem, loops)


def roots(problem: Blocking) -> Iterator[Statement]:
    """Where a loop may begin: large tensors, then those with most slots among what memory limits."""
    large = [s for s in problem.statements if s.name in problem.large]
    other = [s for s in problem.statements if s.name not in problem.large and is_cheap(s) and len(s.axes) > 1]
    yield from sorted(large, key=lambda s: -len(s.axes))
    yield from sorted(other, key=lambda s: -len(s.axes))


def best_loop(problem: Blocking, root: Statement, loops: Sequence[Loop], block: str | None) -> Loop:
    """The loop around a statement, over the indices that leave least in memory."""
    choices: list[tuple[tuple[int, ...], int, Loop]] = []
    for index in root.axes:
        others = [axis for axis in root.axes if axis != index]
        for count in range(len(others) + 1):
            for outer in combinations(others, count):
                loop = loop_of(problem, root, grown(problem, root, (*outer, index), loops))
                asked = block is not None and index.name != block
                rank = (asked, *cost(problem, loop, loops), *awkwardness(root, (*outer, index)))
                choices.append((rank, len(choices), loop))
    return min(choices)[2]


def awkwardness(root: Statement, indices: tuple[Index, ...]) -> tuple[int, ...]:
    """What else to have little of: strides, dimensions left whole, dimensions that change places."""
    places = [root.axes.index(index) for index in indices]
    # Where every axis is cut, the last one is best innermost: blocks are whole rows while they fit.
    strides = places[-1] == len(root.axes) - 1 and len(places) < len(root.axes)
    return int(strides), int(places != sorted(places)), -len(places)


def loop_of(problem: Blocking, root: Statement, members: Members) -> Loop:
    """The members as a loop."""
    statements = tuple(statement for statement in problem.statements if statement.name in members)
    return Loop(tuple(index.extent for index in members[root.name]), statements, members)


def cost(problem: Blocking, loop: Loop, loops: Sequence[Loop]) -> tuple[int, ...]:
    """What to have little of: large tensors in memory, their slots in one block, statements outside."""
    inside = set(loop.indices)
    elsewhere = {name for other in loops for name in other.indices}
    left = sum(
        1
        for name in problem.large
        if name not in elsewhere and (name not in inside or not problem.readers[name] <= inside)
    )
    local = [s for s in loop.statements if not loop.is_total(s)]
    slots = max((len(s.axes) - len(loop.extents) for s in local if s.name in problem.large), default=0)
    return left, slots, -len(inside)


def grown(problem: Blocking, root: Statement, indices: tuple[Index, ...], loops: Sequence[Loop]) -> Members:
    """The statements that run in a loop over `indices` of `root`, each with its own; as many as possible."""
    members: dict[str, tuple[Index, ...]] = {root.name: indices}
    elsewhere = {name for loop in loops for name in loop.indices}
    groups = [frozenset(loop.indices) for loop in loops]
    changed = True
    while changed:
        changed = False
        for statement in problem.statements:
            if statement.name in members or statement.name in elsewhere or not is_worth_it(problem, statement, members):
                continue
            for own in candidates(problem, statement, members):
                trial = {**members, statement.name: own}
                if is_consistent(problem, trial, statement) and is_acyclic(problem, [*groups, frozenset(trial)]):
                    members, changed = trial, True
                    break
    return members


def is_worth_it(problem: Blocking, statement: Statement, members: Members) -> bool:
    """Whether a statement gains from running in blocks."""
    if statement.name in problem.large or is_cheap(statement):
        return True
    return any(name in problem.large and name in members for name in problem.needs[statement.name])


def is_cheap(statement: Statement) -> bool:
    """Whether memory limits a statement: all but products of matrices."""
    if statement.kind is not Kind.ASSIGN or len(statement.terms) != 1:
        return True
    (term,) = statement.terms
    slots = [set(base.slots) for base in term.bases if isinstance(base, Access)]
    return not (term.summed and len(slots) == 2 and slots[0] - slots[1] and slots[1] - slots[0])


def candidates(problem: Blocking, statement: Statement, members: Members) -> Iterator[tuple[Index, ...]]:
    """The indices at which a statement may meet the loop, one for each dimension."""
    dimensions = len(next(iter(members.values())))
    found = [sorted(meetings(problem, statement, members, n), key=lambda i: i.name) for n in range(dimensions)]
    return (choice for choice in cartesian(*found) if len(set(choice)) == len(choice))


def meetings(problem: Blocking, statement: Statement, members: Members, dimension: int) -> set[Index]:
    """Where a statement meets the loop: in what it reads, in what reads it, in an input that both read."""
    found: set[Index] = set()
    for access in problem.accesses[statement.name]:
        if access.tensor in members:
            slots = problem.by_name[access.tensor].axes
            found.update(
                slot for slot, own in zip(access.slots, slots, strict=True) if own == members[access.tensor][dimension]
            )
    for name, indices in members.items():
        for access in problem.accesses[name]:
            if access.tensor == statement.name:
                pairs = zip(access.slots, statement.axes, strict=True)
                found.update(axis for slot, axis in pairs if slot == indices[dimension])
            elif access.tensor in problem.given and is_cheap(statement):
                places = [n for n, slot in enumerate(access.slots) if slot == indices[dimension]]
                same = (a for a in problem.accesses[statement.name] if a.tensor == access.tensor)
                found.update(other.slots[n] for other in same for n in places)
    return found


def is_consistent(problem: Blocking, members: Members, new: Statement) -> bool:
    """Whether all tensors of the loop are read in it at its own indices, and no total is, with one more member."""
    bound = {index for term in new.terms for index in term.summed}
    own = members[new.name]
    if any(index in new.over or index not in (*new.axes, *bound) for index in own):
        return False
    if own[-1] in new.axes and any(index not in new.axes for index in own):
        return False
    readers = [name for name in members if name == new.name or new.name in problem.needs[name]]
    return all(
        reads_its_block(problem, access, members, members[name])
        for name in readers
        for access in problem.accesses[name]
        if access.tensor in members
    )


def reads_its_block(problem: Blocking, access: Access, members: Members, indices: tuple[Index, ...]) -> bool:
    """Whether an access to a tensor of the loop stays within the block; a total is not there yet."""
    slots = problem.by_name[access.tensor].axes
    for own, index in zip(members[access.tensor], indices, strict=True):
        if own not in slots or access.slots.count(index) != 1 or access.slots[slots.index(own)] != index:
            return False
    return True


def is_acyclic(problem: Blocking, groups: Sequence[frozenset[str]]) -> bool:
    """Whether the groups and the statements outside them can run one after another."""
    return sum(1 for _ in group_order(problem, groups)) == len(group_names(problem, groups)[1])


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
    waiting = {
        number: {group[read] for name in names for read in problem.needs[name]} - {number}
        for number, names in members.items()
    }
    while True:
        ready = [number for number, before in waiting.items() if not before]
        if not ready:
            return
        chosen = min(ready, key=lambda number: first[number])
        yield members[chosen]
        del waiting[chosen]
        for before in waiting.values():
            before.discard(chosen)


def ordered(problem: Blocking, loops: Sequence[Loop]) -> Schedule:
    """Loops and the statements outside them, each after what it reads."""
    schedule: list[Statement | Loop] = []
    for names in group_order(problem, [frozenset(loop.indices) for loop in loops]):
        loop = next((loop for loop in loops if set(loop.indices) == names), None)
        if loop is not None:
            schedule.append(loop)
        else:
            schedule.append(problem.by_name[next(iter(names))])
    return tuple(schedule)
