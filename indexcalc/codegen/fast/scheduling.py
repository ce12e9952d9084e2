"""Which statements run together, block by block, and over which indices.

A loop takes statements that agree on an index: every tensor that is made in the loop and read in it is
read at the loop's own index. Such a tensor is only there for one block at a time, unless somebody
outside asks for it. A sum over the loop's index is a total that grows from block to block, and is read
after the loop. Statements may change places, as long as every tensor is made before it is read.

What should run in a loop: statements that make or read a tensor too large to be kept (one whose
number of entries no input and no result has), and statements that memory limits, not arithmetic. A
product of matrices that are there anyway is left whole: BLAS cuts it into blocks itself. Where memory has
a bound, all that can runs in a loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, combinations
from math import comb

from indexcalc.algebra.terms import Index
from indexcalc.codegen.fast.blocking import Blocking, Loop, Members, Schedule, group_order, order_of
from indexcalc.codegen.fast.growing import grown
from indexcalc.codegen.statements import Statement

STATEMENT_LIMIT = 400
"""The most statements for which loops are looked for; more run one after another."""


LOOP_LIMIT = 450
"""The most loops that are tried around one statement: all of them up to seven axes."""


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
    return with_windows_inside(problem, ordered(problem, loops))


def with_windows_inside(problem: Blocking, schedule: Schedule) -> Schedule:
    """A schedule whose loops show windows themselves, where what a block reads of them is a part of its own.

    Zeros around an array are then put around the part that one block reads, in memory that is still in the cache.
    """
    found = tuple(with_windows(problem, item) if isinstance(item, Loop) else item for item in schedule)
    inside = {
        (read, name) for loop in found if isinstance(loop, Loop) for read in loop.indices for name in loop.indices
    }
    return tuple(
        item
        for item in found
        if isinstance(item, Loop)
        or item.name not in problem.windows
        or item.name in problem.wanted
        or not all((item.name, reader) in inside for reader in problem.readers[item.name])
    )


def with_windows(problem: Blocking, loop: Loop) -> Loop:
    """A loop with the windows of which each of its blocks reads a part of its own."""
    shown: dict[str, tuple[Index, ...]] = {}
    for name in problem.windows.keys() & problem.by_name.keys():
        axes, parts = problem.by_name[name].axes, set[tuple[Index, ...]]()
        for reader in problem.readers[name] & loop.indices.keys():
            for access in problem.accesses[reader]:
                if access.tensor == name:
                    whole = not set(loop.indices[reader]) <= set(access.slots)
                    own = (axes[access.slots.index(index)] for index in loop.indices[reader])
                    parts.add(() if whole else tuple(own))
        if len(parts) == 1 and () not in parts:
            shown[name] = parts.pop()
    statements = tuple(s for s in problem.statements if s.name in loop.indices or s.name in shown)
    return Loop(loop.extents, statements, {**loop.indices, **shown})


def roots(problem: Blocking) -> Iterator[Statement]:
    """Where a loop may begin: large tensors, then those with most slots among what memory limits."""
    large = [s for s in problem.statements if s.name in problem.large]
    other = [
        s
        for s in problem.statements
        if s.name not in problem.large and s.name in problem.cheap and len(s.axes) > 1 and not s.is_whole
    ]
    yield from sorted(large, key=lambda s: -len(s.axes))
    yield from sorted(other, key=lambda s: -len(s.axes))
    if problem.bounded:
        # A product outside of loops is there in full, and so is what it copies.
        rest = [s for s in problem.statements if s not in large and s not in other and s.axes and not s.is_whole]
        yield from sorted(rest, key=lambda s: -len(s.axes))


def best_loop(problem: Blocking, root: Statement, loops: Sequence[Loop], block: str | None) -> Loop:
    """The loop around a statement, over the indices that leave least in memory."""
    order = order_of(problem, [frozenset(loop.indices) for loop in loops])
    choices: list[tuple[tuple[int, ...], int, Loop]] = []
    axes = (*root.axes, *summed_windows(problem, root))
    most = most_outer(len(axes))
    for index in axes:
        others = [axis for axis in axes if axis != index]
        for count in range(most + 1):
            for outer in combinations(others, count):
                loop = loop_of(problem, root, grown(problem, root, (*outer, index), order))
                asked = block is not None and index.name != block
                rank = (asked, *cost(problem, loop, loops), *awkwardness(axes, (*outer, index)))
                choices.append((rank, len(choices), loop))
    return min(choices)[2]


def summed_windows(problem: Blocking, statement: Statement) -> tuple[Index, ...]:
    """The indices over which a statement sums windows, if over their positions: blocks of these add to a total."""
    summed = tuple(index for term in statement.terms for index in term.summed)
    for access in problem.accesses[statement.name]:
        if any(access.slots[place] in summed for place in problem.windows.get(access.tensor, ())):
            return tuple(index for index in summed if index in access.slots)
    return ()


def most_outer(rank: int) -> int:
    """Over how many indices beside the innermost one loops are tried: all, unless there are too many."""
    tried = accumulate(rank * comb(rank - 1, count) for count in range(rank))
    return max((count for count, total in enumerate(tried) if total <= LOOP_LIMIT), default=0)


def awkwardness(axes: tuple[Index, ...], indices: tuple[Index, ...]) -> tuple[int, ...]:
    """What else to have little of: strides, dimensions left whole, dimensions that change places."""
    places = [axes.index(index) for index in indices]
    # Where every axis is cut, the last one is best innermost: blocks are whole rows while they fit.
    strides = places[-1] == len(axes) - 1 and len(places) < len(axes)
    return int(strides), int(places != sorted(places)), -len(places)


def loop_of(problem: Blocking, root: Statement, members: Members) -> Loop:
    """The members as a loop."""
    statements = tuple(statement for statement in problem.statements if statement.name in members)
    return Loop(tuple(index.extent for index in members[root.name]), statements, members)


def cost(problem: Blocking, loop: Loop, loops: Sequence[Loop]) -> tuple[int, ...]:
    """What to have little of: large tensors in memory, copies, slots of large ones in one block, statements outside."""
    inside = set(loop.indices)
    elsewhere = {name for other in loops for name in other.indices}
    left = sum(
        1
        for name in problem.large
        if name not in elsewhere and (name not in inside or not problem.readers[name] <= inside)
    )
    local = [s for s in loop.statements if not loop.is_total(s)]
    slots = max((len(s.axes) - len(loop.extents) for s in local if s.name in problem.large), default=0)
    return left, *copies(problem, loop, slots), -len(inside)


def copies(problem: Blocking, loop: Loop, slots: int) -> tuple[int, int]:
    """What is copied more than once or in short rows, and how many slots of what is large are whole in one block.

    The first counts dimensions of the loop that cut the rows of windows, or leave the same ones for every block, or the
    same part of what is multiplied by them place by place.

    Args:
        problem: the statements.
        loop: the loop.
        slots: those of large tensors that are whole in one block.
    """
    again = 0
    for statement in loop.statements:
        own = loop.indices[statement.name]
        for access in problem.accesses[statement.name]:
            if access.tensor not in problem.windows:
                continue
            positions = [access.slots[place] for place in sorted(problem.windows[access.tensor])]
            again += sum(index not in access.slots or index == positions[-1] for index in own)
            for other in problem.accesses[statement.name]:
                if other != access and set(positions) & set(other.slots):
                    again += sum(index not in other.slots for index in own)
            slots = max(slots, sum(position not in own for position in positions))
    return again, slots


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
