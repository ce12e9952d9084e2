"""How what a loop computes is held: as an array of all steps, as the steps that are there, or as a value.

A step is there until nothing of it is read any more. Between the passes the last steps of each segment are there, from
which the next segment goes on.
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
    STEPS = "the steps that are there, by number"
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
            axis = self.owner[tensor].axis_of(tensor)
            at = places[axis] if places and axis is not None else None
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
        if name in self.whole:
            return Holding.ARRAY
        own, reads = self.owner[name], self.reads[name]
        here = all(read.reader.loop == own and read.ahead == 0 for read in reads)
        parts = {self.part_of(one) for one in (name, *(read.reader.name for read in reads))}
        return Holding.VALUE if here and len(parts) == 1 else Holding.STEPS

    @cached_property
    def whole(self) -> frozenset[str]:
        """What is there in full: results, and what is read from places that are no number of steps away."""
        return frozenset(self.results) & self.owner.keys() | {
            name
            for name, own in self.owner.items()
            for read in self.reads[name]
            if read.ahead is None or not (read.reader.loop == own or self.goes_back(read.reader.loop, name))
        }

    @cached_property
    def again(self) -> frozenset[str]:
        """What is computed again on the way back: what it reads of steps, and what that is computed from.

        What is there in full is computed again only where it stands between two of these in a step: a step is one
        function.
        """
        found = self.needed({name for name in self.owner if self.is_read_back(name)} - self.whole)
        while True:
            sources = self.in_step(found)
            between = {name for name in self.whole & sources - found if self.in_step({name}) & found}
            if not between:
                return frozenset(found)
            found = self.needed(found | between)

    @cached_property
    def first(self) -> frozenset[str]:
        """What the first pass computes ahead of that."""
        return frozenset(self.in_step(self.again) - self.again)

    def part_of(self, name: str) -> str:
        """Which part of a step computes a tensor."""
        return "first" if name in self.first else "again" if name in self.again else "rest"

    def needed(self, names: Collection[str]) -> set[str]:
        """Some tensors, and all that they are computed from in their loop and is not there in full."""
        found, pending = set[str](), list(names)
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending += (tensor for tensor, _ in self.sources[name] if tensor not in self.whole)
        return found

    def in_step(self, names: Collection[str]) -> set[str]:
        """What some tensors are computed from at their own step."""
        found, pending = set[str](), list(names)
        while pending:
            here = {tensor for tensor, ahead in self.sources[pending.pop()] if ahead == 0}
            pending += here - found
            found |= here
        return found

    @cached_property
    def sources(self) -> Mapping[str, frozenset[tuple[str, int | None]]]:
        """What each tensor reads of its loop, by itself or by what only a step knows, and from how many steps ahead."""
        return {name: frozenset(self.sources_of(name, self.owner[name])) for name in self.owner}

    def sources_of(self, name: str, loop: Loop) -> Iterator[tuple[str, int | None]]:
        """What the parts of one name read of the loop."""
        inside = {one.name for one in self.statements if one.loop == loop} - self.owner.keys()
        for statement in self.statements:
            if statement.name == name and statement.loop == loop:
                reads = (read for read in self.reads_of(statement) if self.owner[read.tensor] == loop)
                yield from ((read.tensor, read.ahead) for read in reads)
                for other in inside.intersection(statement.reads):
                    yield from self.sources_of(other, loop)

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
        """How many of the last steps of a segment a loop leaves of what it reads, for its next segment."""
        gaps = [(read.ahead or 0) * -loop.direction for read in self.reads[name] if read.reader.loop == loop]
        return max((0, *gaps))


def steps_ahead(at: At | None, loop: Loop | None) -> int | None:
    """How many steps from the present one a place is; nothing if that is no number, or the place may move."""
    if at is None or loop is None or at.first or at.last is not None or not is_fixed(at.slot):
        return None
    gap = constant_of(at.slot) - loop.symbol
    return int(gap) if gap.is_Integer else None
