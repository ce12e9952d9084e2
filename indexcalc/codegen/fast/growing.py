"""A loop grows from one statement: others join if they agree with it on its indices."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product as cartesian

from indexcalc.algebra.terms import Access, Index
from indexcalc.codegen.fast.blocking import Blocking, Members, Order
from indexcalc.codegen.statements import Statement


def grown(problem: Blocking, root: Statement, indices: tuple[Index, ...], order: Order) -> Members:
    """The statements that run in a loop over `indices` of `root`, each with its own; as many as possible."""
    members: dict[str, tuple[Index, ...]] = {root.name: indices}
    changed = True
    while changed:
        changed = False
        for statement in problem.statements:
            if statement.name in members or statement.name in order.taken:
                continue
            if not is_worth_it(problem, statement, members):
                continue
            for own in candidates(problem, statement, members):
                trial = {**members, statement.name: own}
                if is_consistent(problem, trial, statement) and order.can_join(trial):
                    members, changed = trial, True
                    break
    return members


def is_worth_it(problem: Blocking, statement: Statement, members: Members) -> bool:
    """Whether a statement gains from running in blocks."""
    if statement.name in problem.large or statement.name in problem.cheap:
        return True
    return any(name in problem.large and name in members for name in problem.needs[statement.name])


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
    for name, access in problem.accesses_to.get(statement.name, ()):
        if name in members:
            pairs = zip(access.slots, statement.axes, strict=True)
            found.update(axis for slot, axis in pairs if slot == members[name][dimension])
    if statement.name in problem.cheap:
        shared = (access for access in problem.accesses[statement.name] if access.tensor in problem.given)
        for own in shared:
            for name, access in problem.accesses_to[own.tensor]:
                if name in members:
                    pairs = zip(own.slots, access.slots, strict=True)
                    found.update(mine for mine, slot in pairs if slot == members[name][dimension])
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
