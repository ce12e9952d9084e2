"""How what a loop computes is held: as an array of all steps, as a list of the steps that are there, or as a value.

A list holds what each step left, until nothing of it is read any more. Between the passes it holds the last steps of
each segment, from which the next segment goes on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from indexcalc.algebra.slots import constant_of, is_fixed
from indexcalc.algebra.terms import Access, walk
from indexcalc.codegen.recurrences import At
from indexcalc.codegen.statements import Loop, Statement

AtSteps = Mapping[str, tuple[str, tuple[At | None, ...]]]
"""For every array at a step, the tensor and what stands in each of its axes: a place, or nothing."""


class Holding(Enum):
    """How a tensor of a loop is held."""

    ARRAY = "an array of all steps"
    LIST = "a list of the steps that are there"
    VALUE = "the value of the present step"
    TOTAL = "what has been added up so far"


@dataclass(frozen=True)
class Read:
    """One tensor of a loop that a statement reads: from how many steps ahead, nothing if that is no number."""

    tensor: str
    reader: Statement
    ahead: int | None


@dataclass
class Held:
    """The loops of both passes, and how what they compute is held.

    Attributes:
        statements: of both passes, in order.
        at_steps: the arrays at a step that they read.
        results: the tensors that are returned.
    """

    statements: Sequence[Statement]
    at_steps: AtSteps
    results: Collection[str]

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """The loops, in order."""
        return tuple(dict.fromkeys(one.loop for one in self.statements if one.loop is not None))

    @cached_property
    def owner(self) -> Mapping[str, Loop]:
        """For every tensor that has a part for each step, its loop."""
        return {name: loop for loop in self.loops for name, _, _ in loop.arrays}

    @cached_property
    def reads(self) -> Mapping[str, tuple[Read, ...]]:
        """Where every tensor of a loop is read."""
        found: dict[str, list[Read]] = {name: [] for name in self.owner}
        for statement in self.statements:
            for read in self.reads_of(statement):
                found[read.tensor].append(read)
        return {name: tuple(reads) for name, reads in found.items()}

    def reads_of(self, statement: Statement) -> Iterator[Read]:
        """What a statement reads of loops."""
        for name in dict.fromkeys(base.tensor for base in walk(statement.content) if isinstance(base, Access)):
            tensor, places = self.at_steps.get(name, (name, ()))
            if tensor not in self.owner:
                continue
            axis = next(axis for own, _, axis in self.owner[tensor].arrays if own == tensor)
            at = places[axis] if places else None
            yield Read(tensor, statement, steps_ahead(at, statement.loop))

    def goes_back(self, reader: Loop | None, tensor: str) -> bool:
        """Whether a loop goes back through the steps of the loop that computed a tensor."""
        return reader is not None and tensor in reader.retraced

    @cached_property
    def holding(self) -> Mapping[str, Holding]:
        """How each tensor of the loops is held."""
        found = {name: self.holding_of(name) for name in self.owner}
        return {**found, **{name: Holding.TOTAL for loop in self.loops for name, _ in loop.totals}}

    def holding_of(self, name: str) -> Holding:
        """How a tensor with a part for each step is held."""
        own, reads = self.owner[name], self.reads[name]
        near = (read.reader.loop == own or self.goes_back(read.reader.loop, name) for read in reads)
        if name in self.results or not all(near) or any(read.ahead is None for read in reads):
            return Holding.ARRAY
        here = all(read.reader.loop == own and read.ahead == 0 for read in reads)
        places = {one in self.again for one in (name, *(read.reader.name for read in reads))}
        return Holding.VALUE if here and len(places) == 1 else Holding.LIST

    @cached_property
    def again(self) -> frozenset[str]:
        """What is computed again on the way back: what it reads of steps, and what that is computed from."""
        pending = [name for name in self.owner if self.is_read_back(name) and name not in self.results]
        found = set[str]()
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                for statement in self.statements:
                    if statement.name == name and statement.loop is not None:
                        pending += self.read_again(statement)
        return frozenset(found)

    def read_again(self, statement: Statement) -> Iterator[str]:
        """What a part of a step needs of its loop, but for what a result left at steps before, which is there."""
        for read in self.reads_of(statement):
            if self.owner[read.tensor] == statement.loop and (read.ahead == 0 or read.tensor not in self.results):
                yield read.tensor
        inside = {one.name for one in self.statements if one.loop == statement.loop} - self.owner.keys()
        yield from (name for name in statement.reads if name in inside)

    def is_needed(self, statement: Statement, readers: Collection[str]) -> bool:
        """Whether a part of a step computes one of some tensors, or what only the step knows for one of them."""
        if statement.name in self.holding:
            return statement.name in readers
        return any(
            statement.name in one.reads and self.is_needed(one, readers)
            for one in self.statements
            if one.loop == statement.loop
        )

    def is_read_back(self, name: str) -> bool:
        """Whether the way back reads a tensor."""
        return any(self.goes_back(read.reader.loop, name) for read in self.reads[name])

    def kept(self, name: str) -> int:
        """How many of the last steps of a segment are kept for what goes on from there, or comes back to it."""
        own = self.owner[name]
        gaps = [(read.ahead or 0) * -own.direction for read in self.reads[name]]
        return max((0, *gaps))

    def left(self, name: str, loop: Loop) -> int:
        """How many of the last steps of a segment a loop leaves of a list that it reads, for its next segment."""
        gaps = [(read.ahead or 0) * -loop.direction for read in self.reads[name] if read.reader.loop == loop]
        return max((0, *gaps))


def steps_ahead(at: At | None, loop: Loop | None) -> int | None:
    """How many steps from the present one a place is; nothing if that is no number, or the place may move."""
    if at is None or loop is None or at.first or at.last is not None or not is_fixed(at.slot):
        return None
    gap = constant_of(at.slot) - loop.symbol
    return int(gap) if gap.is_Integer else None
