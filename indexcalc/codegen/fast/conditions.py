"""What one step of a loop computes, in groups under the same conditions.

``h[t] = h0`` under ``t == 0`` and ``h[t] = tanh(a[t])`` under ``1 <= t`` are parts of one tensor. Parts under the same
conditions run together, if no part between them stands in the way: then what only the group itself reads, at its own
step, needs no array over all steps.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from indexcalc.algebra.guards import exclude, follow, said_by
from indexcalc.algebra.terms import Delta, Index, Iverson
from indexcalc.codegen.operands import EntryAt
from indexcalc.codegen.statements import Kind, Loop, Statement

Conditions = tuple[Delta | Iverson, ...]


@dataclass(frozen=True)
class Group:
    """Statements of one step under the same conditions.

    Attributes:
        conditions: the brackets on the step under which they run.
        statements: in order; each has a name of its own.
        targets: the array that gets the value of a statement at the step, by its name.
        added: those that are added to what stands there.
    """

    conditions: Conditions
    statements: tuple[Statement, ...]
    targets: Mapping[str, str]
    added: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Stack:
    """Tensors along a new axis.

    Attributes:
        name: of the stack.
        members: the tensors, in order.
        index: of the new axis.
        place: which of the axes that is.
        axes: all axes.
    """

    name: str
    members: tuple[str, ...]
    index: Index
    place: int
    axes: tuple[Index, ...]


@dataclass(frozen=True)
class Steps:
    """A loop over steps.

    Attributes:
        loop: the steps.
        groups: what one step does, in order.
        arrays: what is kept for all steps: name, axes, and which of them is the step.
        full: those of them of which every entry is assigned.
        stacks: those that are allocated together, and which of their axes is the step.
    """

    loop: Loop
    groups: tuple[Group, ...]
    arrays: tuple[tuple[str, tuple[Index, ...], int], ...]
    full: frozenset[str]
    stacks: tuple[tuple[Stack, int], ...] = ()

    @property
    def places(self) -> Mapping[str, int]:
        """Which axis of every array is the step."""
        found = {name: axis for name, _, axis in self.arrays}
        found.update({stack.name: axis + (stack.place <= axis) for stack, axis in self.stacks})
        return found


@dataclass(frozen=True)
class Step:
    """How statements of one loop read arrays.

    Attributes:
        loop: the steps.
        variable: what the step is called in code.
        entries: the arrays at a step, by their names.
    """

    loop: Loop
    variable: str
    entries: Mapping[str, EntryAt]

    def source(self, name: str) -> str:
        """The tensor that a name stands for, whole or at a place."""
        return self.entries[name].tensor if name in self.entries else name

    def is_here(self, name: str) -> bool:
        """Whether a name stands for an array of the loop at the present step, or is no entry at all."""
        if name not in self.entries:
            return True
        entry = self.entries[name]
        axis = next((axis for array, _, axis in self.loop.arrays if array == entry.tensor), None)
        places = (self.variable if place == axis else ":" for place in range(len(entry.parts)))
        return axis is not None and entry.parts == tuple(places)

    def are_apart(self, first: Conditions, second: Conditions) -> bool:
        """Whether two conditions never hold at the same step."""
        return exclude(first, (*self.loop.range, *said_by(second)))

    def reads(self, statement: Statement) -> set[str]:
        """The tensors that a statement reads, whole or at a place."""
        return {self.source(name) for name in statement.reads}


def needed_parts(statements: Sequence[Statement], entries: Mapping[str, EntryAt], wanted: Iterable[str]) -> set[str]:
    """The tensors of one pass that `wanted` are made of, where loops read what they compute themselves."""
    reads: dict[str, set[str]] = {}
    for statement in statements:
        found = reads.setdefault(statement.name, set())
        found.update(entries[name].tensor if name in entries else name for name in statement.reads)
    pending, needed = list(wanted), set[str]()
    while pending:
        name = pending.pop()
        if name not in needed:
            needed.add(name)
            pending += reads.get(name, ())
    return needed


def steps_of(parts: Sequence[Statement], step: Step, later: Collection[str], taken: set[str]) -> Steps:
    """The parts of one loop in groups.

    Args:
        parts: in order.
        step: how they read arrays.
        later: the tensors that are read behind the loop.
        taken: the names in use; new ones join.
    """
    every = merged(parts, step, later)
    groups = gathered(every, step)
    read_elsewhere: set[str] = set()
    done: list[tuple[Conditions, list[Statement]]] = []
    for conditions, statements in groups:
        inside = list(read_directly(statements, every, conditions, step))
        made = {s.name for s in inside if not s.adds}
        read_elsewhere |= {n for s in inside for n in s.reads if n in step.entries}
        read_elsewhere |= {n for s in inside for n in s.reads if n not in made}
        done.append((conditions, inside))
    kept = {step.source(name) for name in read_elsewhere} | set(later)
    arrays = tuple(array for array in step.loop.arrays if array[0] in kept)
    names = {name for name, _, _ in arrays}
    final = []
    for conditions, statements in done:
        targets: dict[str, str] = {}
        added: set[str] = set()
        renamed: list[Statement] = []
        for statement in statements:
            name = statement.name
            if statement.adds:
                number = 1
                while f"{name}_{number}" in taken:
                    number += 1
                name = f"{name}_{number}"
                taken.add(name)
                added.add(name)
            if statement.name in names:
                targets[name] = statement.name
            elif statement.name in kept:
                targets[name] = ""
            renamed.append(replace(statement, name=name))
        final.append(Group(conditions, tuple(renamed), targets, frozenset(added)))
    early = read_too_early(every, step)
    full = frozenset(name for name in names - early if is_full([s for s in every if s.name == name], step))
    return Steps(step.loop, tuple(final), arrays, full)


def merged(parts: Sequence[Statement], step: Step, later: Collection[str]) -> list[Statement]:
    """The parts; those of a tensor that is read at its own step alone, under one condition, are one under that."""
    every = list(parts)
    for name in reversed(dict.fromkeys(part.name for part in parts)):
        readers = [part for part in every if name in step.reads(part)]
        conditions = {part.conditions for part in readers}
        if name in later or len(conditions) != 1:
            continue
        if not all(step.is_here(read) for part in readers for read in part.reads if step.source(read) == name):
            continue
        (asked,) = conditions
        own = [part for part in every if part.name == name]
        apart = [part for part in own if step.are_apart(part.conditions, asked)]
        there = [part for part in own if part not in apart]
        if any(not set(part.conditions) <= set(asked) for part in there):
            continue
        if len(there) != 1 and any(part.kind is not Kind.ASSIGN for part in there):
            continue
        terms = tuple(term for part in there for term in part.terms)
        overflow = any(part.may_overflow for part in there)
        base = there[0] if there else replace(own[0], kind=Kind.ASSIGN, guards=())
        note = next((part.note for part in own if part.note), "")
        joined = replace(base, terms=terms, note=note, may_overflow=overflow, conditions=asked, adds=False)
        last = every.index(own[-1])
        every = [joined if number == last else part for number, part in enumerate(every) if part not in own[:-1]]
    return every


def gathered(parts: Iterable[Statement], step: Step) -> list[tuple[Conditions, list[Statement]]]:
    """The parts in groups under the same conditions, none before what it reads."""
    groups: list[tuple[Conditions, list[Statement]]] = []
    for part in parts:
        place = None
        for conditions, statements in reversed(groups):
            if conditions == part.conditions:
                place = statements
                break
            if not step.are_apart(conditions, part.conditions) and any(is_bound(part, s, step) for s in statements):
                break
        if place is None:
            place = []
            groups.append((part.conditions, place))
        place.append(part)
    return groups


def is_bound(later: Statement, earlier: Statement, step: Step) -> bool:
    """Whether two parts of a step must keep their order."""
    first, second = step.reads(earlier), step.reads(later)
    return earlier.name in second or later.name in first or earlier.name == later.name


def read_directly(
    statements: Sequence[Statement], every: Sequence[Statement], conditions: Conditions, step: Step
) -> Iterator[Statement]:
    """The statements of a group; what the group computed at this step is read as it is, and not from its array."""
    there: set[str] = set()
    for statement in statements:
        names = {n: step.source(n) for n in statement.reads if step.source(n) in there and step.is_here(n)}
        yield statement.reading(names)
        others = [s for s in every if s.name == statement.name and s is not statement]
        if not statement.adds and all(step.are_apart(other.conditions, conditions) for other in others):
            there.add(statement.name)


def read_too_early(parts: Sequence[Statement], step: Step) -> set[str]:
    """The arrays that are read at the nearest step where one lies outside: it may not be computed yet, and is zero."""
    entries = [step.entries[name] for part in parts for name in part.reads if name in step.entries]
    return {entry.tensor for entry in entries if any(part.startswith(("max(", "min(")) for part in entry.parts)}


def is_full(parts: Sequence[Statement], step: Step) -> bool:
    """Whether every entry of an array is assigned: at all steps, or at the first or last one and at all others."""
    assigned = [part for part in parts if not part.adds]
    if any(not part.conditions for part in assigned):
        return True
    alone = [part.conditions[0] for part in assigned if len(part.conditions) == 1]
    return any(covers(one, other, step) for one in alone for other in alone if isinstance(one, Delta))


def covers(one: Delta, other: Delta | Iverson, step: Step) -> bool:
    """Whether a bracket holds at every step but one, as ``1 <= t`` does beside ``t == 0``."""
    sides = (Iverson(one.left, "<", one.right), Iverson(one.right, "<", one.left))
    return all(step.are_apart((side,), ()) or follow((other,), (*step.loop.range, *said_by((side,)))) for side in sides)
