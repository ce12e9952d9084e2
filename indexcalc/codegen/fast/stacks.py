"""Tensors of the same shape as one array with an axis more, so that equal work on them is done at once.

``a = W_a x`` and ``b = W_b x`` are one product with the stack of ``W_a`` and ``W_b``. What is done to both alike is
done to the stack, and ``V_a a + V_b b`` is one product that sums over the stack too. A stack is made of inputs, which
are put together once, of arrays of a loop, which are allocated together, or of what equal statements compute.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_lowercase

import sympy as sp

from indexcalc.algebra.terms import Access, Index, Term
from indexcalc.codegen.fast.alike import (
    Column,
    accesses_of,
    common_start,
    equal_ones,
    in_order,
    key_of,
    key_of_sum,
    layer,
    mapped,
    with_step,
    without_unread,
)
from indexcalc.codegen.fast.conditions import Stack, Step, Steps
from indexcalc.codegen.names import unused
from indexcalc.codegen.operands import EntryAt
from indexcalc.codegen.statements import Kind, Statement

ONE = sp.S.One
LONGEST_NAME = 16


@dataclass
class Stacks:
    """The stacks of one pass.

    Attributes:
        inputs: the slots of the tensors that may be put together once.
        entries: the arrays at a step, by their names; those of stacks join.
        taken: the names in use; new ones join.
        letters: the names of indices in use.
        named: the names of stacks of inputs, by their members and the place of the new axis.
        given: the stacks of inputs.
        allocated: the stacks of arrays of each loop.
        arrays: those of loops: their axes, which of them is the step, and the number of the loop.
        known: the stack of every tensor that is in one.
        local: the stacks of one step, for arrays that are stacks over all steps.
        inside: what the present statements make.
        step: the step that they are a part of.
        slices: parts of stacks that are made where they are.
    """

    inputs: Mapping[str, tuple[Index, ...]]
    entries: dict[str, EntryAt]
    taken: set[str]
    letters: Collection[str]
    named: dict[tuple[str, ...], str]
    given: list[Stack] = field(default_factory=list)
    allocated: list[tuple[Stack, int]] = field(default_factory=list)
    arrays: dict[str, tuple[tuple[Index, ...], int, int]] = field(default_factory=dict)
    known: dict[str, Stack] = field(default_factory=dict)
    local: dict[str, Stack] = field(default_factory=dict)
    inside: set[str] = field(default_factory=set)
    step: Step | None = None
    slices: list[Statement] = field(default_factory=list)

    def enter(self, statements: Iterable[Statement], step: Step | None = None) -> None:
        """Go on with other statements."""
        self.local, self.step = {}, step
        self.inside = {statement.name for statement in statements}

    def learn(self, steps: Steps) -> None:
        """Take note of the arrays of a loop, which may be allocated together."""
        number = len(self.arrays)
        self.arrays.update({name: (axes, axis, number) for name, axes, axis in steps.arrays})

    def with_joint_sums(self, statement: Statement) -> Statement:
        """The statement, where a sum of equal products is one product that sums over the stack too."""
        if statement.kind is not Kind.ASSIGN:
            return statement
        terms = list(statement.terms)
        for alike in equal_ones([(key_of_sum(term), term) for term in terms]):
            columns = self.columns([accesses_of((term,)) for term in alike])
            if columns is None or not all(column.stack or self.may_stack(column) for column in columns):
                continue
            (anchor, *_) = alike[0].summed
            index, read = self.all_stacked(columns, anchor)
            (joint,) = mapped((alike[0],), read)
            joint = Term(joint.coeff, joint.powers, (index, *joint.summed))
            place = terms.index(alike[0])
            terms = [joint if n == place else term for n, term in enumerate(terms) if n == place or term not in alike]
        return replace(statement, terms=tuple(terms))

    def joined(
        self, statements: Sequence[Statement], targets: dict[str, str], fixed: Collection[str]
    ) -> list[Statement]:
        """Statements in normal form, those that do the same to parts of stacks as one.

        Args:
            statements: in order.
            targets: the array that gets the value of a statement at a step; it is changed where that is a stack.
            fixed: the statements that stay as they are.
        """
        done = list(statements)
        tried: set[tuple[str, ...]] = set()
        while True:
            free = [s for s in done if s.name not in fixed and not self.is_stacked(s)]
            for alike in equal_ones([(key_of(s), s) for s in free]):
                names = tuple(s.name for s in alike)
                if names not in tried:
                    tried.add(names)
                    found = self.joint(alike, done, targets)
                    if found is not None:
                        done = found
                        break
            else:
                return without_unread(done, targets)

    def is_stacked(self, statement: Statement) -> bool:
        """Whether a statement makes or reads a stack."""
        stacks = {stack.name for stack in (*self.known.values(), *self.given)}
        read = {self.entries[name].tensor if name in self.entries else name for name in statement.reads}
        return statement.name in stacks or statement.name in self.known or bool(read & stacks)

    def joint(
        self, alike: Sequence[Statement], every: Sequence[Statement], targets: dict[str, str]
    ) -> list[Statement] | None:
        """All statements, where equal ones are one if that is possible."""
        in_arrays = [targets.get(s.name, "") for s in alike]
        if any(in_arrays) and (in_arrays != [s.name for s in alike] or not self.are_free(in_arrays)):
            return None
        columns = self.columns([accesses_of(s.terms) for s in alike])
        if columns is None or not self.is_worth(columns, alike[0]):
            return None
        # An array has its place in one stack alone: it can't be put together for reading here, too.
        if any(not set(sources).isdisjoint(in_arrays) for sources in self.to_be_stacked(columns)):
            return None
        first = alike[0]
        anchor = self.anchor(columns, first)
        self.slices = []
        index, read = self.all_stacked(columns, anchor)
        place = first.axes.index(anchor)
        axes = (*first.axes[:place], index, *first.axes[place:])
        names = tuple(s.name for s in alike)
        stack = Stack(self.name_of(names), names, index, place, axes)
        joint = Statement(stack.name, axes, mapped(first.terms, read))
        layers = [layer(stack, number, s) for number, s in enumerate(alike)]
        others = [s for s in every if s not in alike]
        at = every.index(first)
        result = self.in_order([*others[:at], *self.slices, joint, *layers, *others[at:]], targets)
        if result is None:
            return None
        self.inside |= {stack.name, *(one.name for one in self.slices)}
        self.known.update(dict.fromkeys(names, stack))
        if any(in_arrays):
            slots, axis, _ = self.arrays[names[0]]
            self.allocated.append((with_step(stack, slots, axis), axis))
            self.local.update(dict.fromkeys(names, stack))
            self.known.update(dict.fromkeys(names, self.allocated[-1][0]))
            for name in names:
                del targets[name]
            targets[stack.name] = stack.name
        return result

    def columns(self, rows: Sequence[Sequence[Access]]) -> list[Column] | None:
        """What equal statements read in each place; nothing if some place can't be a stack."""
        found = []
        for accesses in zip(*rows, strict=True):
            column = self.column(accesses)
            if column is None:
                return None
            found.append(column)
        names = [name for sources in self.to_be_stacked(found) for name in sources]
        return found if len(set(names)) == len(names) else None

    def to_be_stacked(self, columns: Sequence[Column]) -> set[tuple[str, ...]]:
        """What is put together for these columns: tensors that are in no stack yet."""
        return {self.sources(column) for column in columns if column.stack is None and not column.is_common}

    def column(self, accesses: tuple[Access, ...]) -> Column | None:
        """What equal statements read in one place."""
        names = [access.tensor for access in accesses]
        if len(set(names)) == 1:
            return Column(accesses)
        entries = [self.entries.get(name) for name in names]
        if len({entry.parts if entry else None for entry in entries}) > 1:
            return None
        sources = [entry.tensor if entry else name for entry, name in zip(entries, names, strict=True)]
        stacks = {self.stack_of(source, entry is None) for source, entry in zip(sources, entries, strict=True)}
        stack = next(iter(stacks))
        if len(stacks) > 1 or len(set(sources)) < len(sources):
            return None
        if stack is None:
            return Column(accesses)
        first = stack.members.index(sources[0])
        return Column(accesses, stack, first) if stack.members[first : first + len(sources)] == tuple(sources) else None

    def stack_of(self, name: str, directly: bool) -> Stack | None:
        """The stack that a tensor is in; that of one step where it is read as it was made."""
        return (self.local.get(name) if directly else None) or self.known.get(name)

    def may_stack(self, column: Column) -> bool:
        """Whether what is read there can be made a stack."""
        names = [access.tensor for access in column.accesses]
        if column.is_common:
            return False
        if any(name in self.inside for name in names):
            return False
        sources = self.sources(column)
        return all(name in self.inputs for name in sources) or self.are_free(sources)

    def sources(self, column: Column) -> tuple[str, ...]:
        """The tensors of which a column reads entries."""
        names = (access.tensor for access in column.accesses)
        return tuple(self.entries[name].tensor if name in self.entries else name for name in names)

    def are_free(self, names: Sequence[str]) -> bool:
        """Whether arrays of a loop may be allocated together."""
        shapes = {
            (tuple(slot.extent for slot in self.arrays[n][0]), *self.arrays[n][1:]) if n in self.arrays else None
            for n in names
        }
        return None not in shapes and len(shapes) == 1 and not any(name in self.known for name in names)

    def is_worth(self, columns: Sequence[Column], first: Statement) -> bool:
        """Whether equal statements are worth joining: they read a stack, or are products with a common factor."""
        if not all(column.stack or column.is_common or self.may_stack(column) for column in columns):
            return False
        if any(column.stack for column in columns):
            return True
        common = [column for column in columns if column.is_common]
        return bool(first.terms[0].summed) and len(columns) == 2 and len(common) == 1

    def anchor(self, columns: Sequence[Column], first: Statement) -> Index:
        """The axis before which the new one stands: where a stack has it, or the first that a common factor lacks."""
        for column in columns:
            if column.stack is not None:
                slots = self.slots_with(column, Index("", ONE))
                after = slots[slots.index(Index("", ONE)) + 1 :]
                free = [slot for slot in after if slot in first.axes]
                if free:
                    return free[0]
        common = {slot for column in columns if column.is_common for slot in column.accesses[0].indices}
        return next((axis for axis in first.axes if axis not in common), first.axes[-1])

    def slots_with(self, column: Column, index: Index) -> tuple[Index, ...]:
        """The slots of an access to a stack, with its own index."""
        access = column.accesses[0]
        assert column.stack is not None
        entry = self.entries.get(access.tensor)
        place = column.stack.place
        if entry is not None:
            place -= sum(part != ":" for part in entry.parts[:place])
        return (*access.indices[:place], index, *access.indices[place:])

    def all_stacked(self, columns: Sequence[Column], anchor: Index) -> tuple[Index, Mapping[int, Access]]:
        """The new index, and the access in each place; stacks that are not there yet are made."""
        count = len(columns[0].accesses)
        index = Index(self.letter(count), sp.Integer(count))
        read: dict[int, Access] = {}
        for number, column in enumerate(columns):
            if column.is_common:
                read[number] = column.accesses[0]
                continue
            # What was read before in the same work may be a stack by now.
            known = column if column.stack is not None else self.column(column.accesses)
            assert known is not None
            there = known if known.stack is not None else self.stacked(known, anchor)
            read[number] = Access(self.part(there, count), self.slots_with(there, index))
        return index, read

    def stacked(self, column: Column, anchor: Index) -> Column:
        """A new stack of inputs, or of arrays of a loop."""
        access, members = column.accesses[0], self.sources(column)
        index = Index(self.letter(len(members)), sp.Integer(len(members)))
        is_given = all(name in self.inputs for name in members)
        slots = self.inputs[members[0]] if is_given else self.arrays[members[0]][0]
        entry = self.entries.get(access.tensor)
        free = [n for n in range(len(slots)) if entry is None or entry.parts[n] == ":"]
        place = free[access.indices.index(anchor)] if anchor in access.indices else 0
        axes = (*slots[:place], index, *slots[place:])
        if is_given:
            key = (*members, str(place))
            self.named[key] = self.named.get(key) or self.name_of(members)
            stack = Stack(self.named[key], members, index, place, axes)
            self.given.append(stack)
        else:
            stack = Stack(self.name_of(members), members, index, place, axes)
            self.allocated.append((stack, self.arrays[members[0]][1]))
        self.known.update(dict.fromkeys(members, stack))
        return replace(column, stack=stack)

    def part(self, column: Column, count: int) -> str:
        """The name of a stack, or of a part of it, at the place where the column reads."""
        stack = column.stack
        assert stack is not None
        entry = self.entries.get(column.accesses[0].tensor)
        whole = count == len(stack.members)
        if entry is None and whole:
            return stack.name
        if entry is None and stack.name in self.inside:
            return self.slice_of(stack, column.first, count)
        parts = list(entry.parts) if entry is not None else [":"] * (len(stack.axes) - 1)
        parts.insert(stack.place, ":" if whole else f"{column.first}:{column.first + count}")
        found = EntryAt(stack.name, tuple(parts))
        name = next((name for name, known in self.entries.items() if known == found), None)
        if name is None:
            name = unused(f"{stack.name}_here", self.taken)
            self.entries[name] = found
        return name

    def slice_of(self, stack: Stack, first: int, count: int) -> str:
        """Several members of a stack that the present statements make."""
        name = unused(f"{stack.name}_part", self.taken)
        index = Index(stack.index.name, sp.Integer(count))
        axes = (*stack.axes[: stack.place], index, *stack.axes[stack.place + 1 :])
        terms = (Term(ONE, ((Access(stack.name, stack.axes), ONE),)),)
        made = Statement(name, axes, terms, Kind.LAYER, over=(stack.index, index), start=sp.Integer(first))
        self.slices.append(made)
        return name

    def in_order(self, statements: Sequence[Statement], targets: Mapping[str, str]) -> list[Statement] | None:
        """The statements, each after what it reads, or nothing if there is no such order."""
        waiting: dict[str, set[str]] = {}
        for number, statement in enumerate(statements):
            here = {self.entries[n].tensor for n in statement.reads if n in self.entries and self.is_here(n)}
            here |= {member for stack, _ in self.allocated if stack.name in here for member in stack.members}
            own = targets.get(statement.name)
            before = {other.name for other in statements[:number] if own and targets.get(other.name) == own}
            made = {name for name, array in targets.items() if array in here}
            waiting[statement.name] = {*statement.reads, *made, *before} - {statement.name}
        return in_order(statements, waiting)

    def is_here(self, name: str) -> bool:
        """Whether an entry may be one of the present step."""
        return self.step is not None and self.step.variable in self.entries[name].parts

    def letter(self, count: int) -> str:
        """The name of a new index."""
        free = [letter for letter in (*"qrswuvz", *ascii_lowercase) if letter not in self.letters]
        return free[0] if free else f"q{count}"

    def name_of(self, members: Sequence[str]) -> str:
        """A name for a stack: what its members' names have in common, or all of them."""
        before = common_start(members)
        behind = common_start([name[len(before) :][::-1] for name in members])[::-1]
        joint = "_".join(members)
        if len(before + behind) > 1 or len(joint) > LONGEST_NAME:
            joint = "_".join(part for part in (before.rstrip("_"), "all", behind.lstrip("_")) if part)
        return unused(joint, self.taken)
