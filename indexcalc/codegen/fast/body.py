"""The body of one fast function: straight lines and loops over blocks, from a schedule."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from indexcalc.codegen.fast.block import straight_lines
from indexcalc.codegen.fast.blocking import Blocking, Loop, Schedule
from indexcalc.codegen.fast.loops import loop_text
from indexcalc.codegen.fast.names import Names
from indexcalc.codegen.fast.scheduling import scheduled
from indexcalc.codegen.statements import Statement


@dataclass(frozen=True)
class Body:
    """The lines of a function, and what never exists in full while it runs.

    Attributes:
        lines: the statements.
        schedule: what they follow.
        whole: the tensors of loops that are there in full afterwards.
    """

    lines: tuple[str, ...]
    schedule: Schedule
    whole: frozenset[str]


def function_body(problem: Blocking, names: Names, block: str | None = None) -> Body:
    """The lines that compute the wanted tensors from the given ones; every tensor ends up under its own name."""
    schedule = scheduled(problem, block)
    lines: list[str] = []
    whole: set[str] = set()
    loops = 0
    for is_loop, items in groupby(enumerate(schedule), lambda pair: isinstance(pair[1], Loop)):
        group = list(items)
        if not is_loop:
            last = group[-1][0]
            later = needed_after(problem, schedule, last)
            statements = [item for _, item in group if isinstance(item, Statement)]
            lines += straight_lines(statements, later, problem.wanted, names, problem.large)
            continue
        for number, loop in group:
            assert isinstance(loop, Loop)
            loops += 1
            later = needed_after(problem, schedule, number)
            whole.update(name for name in loop.indices if name in later)
            lines += loop_text(loop, loops, later, names, problem.large, is_fixed=block is not None).lines()
    return Body(tuple(lines), schedule, frozenset(whole))


def needed_after(problem: Blocking, schedule: Schedule, number: int) -> frozenset[str]:
    """The tensors that are wanted, or read after an item of the schedule."""
    later = schedule[number + 1 :]
    statements = [s for item in later for s in (item.statements if isinstance(item, Loop) else (item,))]
    return frozenset((*problem.wanted, *(name for s in statements for name in s.reads)))
