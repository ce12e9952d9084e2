"""A loop grows from one statement: others join if they agree with it on its indices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product as cartesian

import sympy as sp

from indexcalc.algebra.terms import Access, Index, Slot
from indexcalc.codegen.fast.blocking import Blocking, Members, Order
from indexcalc.codegen.statements import Statement


def grown(problem: Blocking, root: Statement, indices: tuple[Index, ...], order: Order) -> Members:
    """The statements that run in a loop over `indices` of `root`, each with its own; as many as possible."""
    growth = Growth(problem, tuple(index.extent for index in indices))
    growth.join(root, indices)
    changed = True
    while changed:
        changed = False
        for statement in problem.statements:
            if statement.name in growth.members or statement.name in order.taken:
                continue
            if not is_worth_it(problem, statement, growth.members):
                continue
            for own in growth.candidates(statement):
                trial = {**growth.members, statement.name: own}
                if is_consistent(problem, trial, statement) and order.can_join(trial):
                    growth.join(statement, own)
                    changed = True
                    break
    return growth.members


@dataclass
class Growth:
    """A loop while it grows.

    Attributes:
        problem: the statements.
        extents: what the indices of the loop run over.
        members: the statements in it, each with its own indices.
        places: where the index of each dimension stands in a tensor that a member makes or reads.
    """

    problem: Blocking
    extents: tuple[sp.Expr, ...]
    members: dict[str, tuple[Index, ...]] = field(default_factory=dict)
    places: dict[tuple[str, int], set[int]] = field(default_factory=dict)

    def join(self, statement: Statement, own: tuple[Index, ...]) -> None:
        """Take a statement into the loop, at its own indices."""
        self.members[statement.name] = own
        stands: list[tuple[str, Sequence[Slot]]] = [(statement.name, statement.axes)]
        stands += [(access.tensor, access.slots) for access in self.problem.sources[statement.name]]
        for dimension, index in enumerate(own):
            for name, slots in stands:
                found = self.places.setdefault((name, dimension), set())
                found.update(place for place, slot in enumerate(slots) if slot == index)

    def candidates(self, statement: Statement) -> Iterator[tuple[Index, ...]]:
        """The indices at which a statement may meet the loop, one for each dimension."""
        if statement.is_whole:
            return iter(())
        found = [sorted(self.meetings(statement, n), key=lambda index: index.name) for n in range(len(self.extents))]
        return (choice for choice in cartesian(*found) if len(set(choice)) == len(choice))

    def meetings(self, statement: Statement, dimension: int) -> set[Index]:
        """Where a statement meets the loop: in what it reads, in what reads it, in an input that both read."""
        found = {statement.axes[place] for place in self.places.get((statement.name, dimension), ())}
        for access in self.problem.sources[statement.name]:
            there = access.tensor in self.problem.given or access.tensor in self.problem.windows
            shared = statement.name in self.problem.cheap and there
            if shared or access.tensor in self.members:
                slots = (access.slots[place] for place in self.places.get((access.tensor, dimension), ()))
                found.update(slot for slot in slots if isinstance(slot, Index))
        # An index may run beyond the tensor that it meets another one in.
        return {index for index in found if index.extent == self.extents[dimension]}


def is_worth_it(problem: Blocking, statement: Statement, members: Members) -> bool:
    """Whether a statement gains from running in blocks."""
    if problem.bounded or statement.name in problem.large or statement.name in problem.cheap:
        return True
    return any(name in problem.large and name in members for name in problem.needs[statement.name])


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
