"""Both passes at once in blocks: tensors that are large and only on the way are there for one block at a time.

So computes code for speed. A block is as long as the cache holds what it makes of these tensors; all else that its
equations name, it reads or writes once. Fewer entries are held then, and large tensors are not moved. But what lacks an
index that is cut is read again for every block. Which code moves less depends on the sizes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import sympy as sp

from indexcalc.algebra.terms import Index, Slot, accesses_of, tensors_of
from indexcalc.cost.counts import Count, less, size_at, span, total
from indexcalc.cost.memory import entries_read, entries_written, indices_read, moments
from indexcalc.cost.streams import divides, extent_product
from indexcalc.program import Equation, Program, Tensor, read_in
from indexcalc.rewrite.cost import Sizes, size_of

CACHE = 1 << 20
"""The bytes that the arrays of one block may take: the second-level cache of a core."""

LEAST = 64
"""The least length of a block along its last index: shorter ones cost more in calls than cache saves."""

Numbers = Mapping[sp.Expr, int]
"""The size of every extent."""


@dataclass(frozen=True, slots=True)
class InBlocks:
    """What both passes hold and move where some tensors are there for one block at a time.

    Attributes:
        indices: those that blocks cut, as the first of the tensors has them.
        tensors: those that are never there in full.
        ends: entries of inputs and results, without these tensors.
        held: for each equation, what is held in full over `ends`, and of these tensors for one value of the indices.
        moved: what is read or written, and for which of the indices once each block.
    """

    indices: tuple[Index, ...]
    tensors: tuple[str, ...]
    ends: Count
    held: tuple[tuple[Count, Count], ...]
    moved: tuple[tuple[Count, frozenset[int]], ...]

    def steps(self, sizes: Numbers, width: int) -> tuple[int, ...]:
        """How many values of each index one block takes: the last index first, as many as the cache holds.

        Args:
            sizes: of all extents.
            width: bytes an entry.
        """
        room, found = max(CACHE // (width * max(cell.at(sizes) for _, cell in self.held)), 1), []
        for number, index in enumerate(reversed(self.indices)):
            length = size_at(index.extent, sizes)
            step = max(min(max(room, 1 if number else LEAST), length), 1)
            step = -(-length // -(-length // step))
            found.append(step)
            room = max(room // step, 1)
        return tuple(reversed(found))

    def peak_at(self, sizes: Numbers, width: int) -> int:
        """The most entries that are held over inputs and results."""
        points = prod(self.steps(sizes, width))
        return max(whole.at(sizes) + points * cell.at(sizes) for whole, cell in self.held)

    def moved_at(self, sizes: Numbers, width: int) -> int:
        """The entries that are read and written."""
        lengths = [size_at(index.extent, sizes) for index in self.indices]
        counts = [-(-length // step) for length, step in zip(lengths, self.steps(sizes, width), strict=True)]
        return sum(entries.at(sizes) * prod(counts[axis] for axis in axes) for entries, axes in self.moved)


def in_blocks(forward: Program, backward: Program, ends: Count, sizes: Sizes) -> InBlocks | None:
    """Both passes in blocks; None if no tensor is large and on the way alone, or nothing cuts them all.

    Args:
        forward: the forward pass.
        backward: the backward pass.
        ends: entries of all inputs and results.
        sizes: by which the larger of two readings of a tensor is chosen.
    """
    alone = {name for program in (forward, backward) for name in program.recurrence_by_name}
    alone |= {name for program in (forward, backward) for block in program.systems.values() for name in read_in(block)}
    equations = (*forward.computed, *backward.computed)
    for names in large_by_size(forward, backward, sizes):
        inside = looped(equations, names)
        if not alone & {equation.name for equation in inside} and (cuts := cuts_of(inside, between(inside, names))):
            return counted(forward, backward, ends, Loop(names, inside, cuts), sizes)
    return None


Cut = Mapping[str, int]
"""The slot of each tensor that blocks cut along one index."""

NOWHERE: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Loop:
    """The tensors that are made block by block, the equations around them, and the ways to cut these."""

    names: tuple[str, ...]
    inside: tuple[Equation, ...]
    cuts: tuple[Cut, ...]


def large_by_size(forward: Program, backward: Program, sizes: Sizes) -> Iterator[tuple[str, ...]]:
    """Intermediates that no input and no output of the forward pass is as large as; those of one size together."""
    equations = (*forward.computed, *backward.computed)
    ends = [tensor.slots for tensor in forward.inputs]
    ends += [equation.slots for equation in equations if equation.name in forward.outputs]
    visible = [extent_product(slots) for slots in ends]
    found: dict[sp.Expr, dict[str, None]] = {}
    for equation in equations:
        size = extent_product(equation.slots)
        if equation.name not in forward.outputs and not any(divides(size, other) for other in visible):
            found.setdefault(size, {})[equation.name] = None
    shapes = {equation.name: equation.slots for equation in equations}
    yield from sorted(map(tuple, found.values()), key=lambda names: -size_of(shapes[names[0]], sizes))


def counted(forward: Program, backward: Program, ends: Count, loop: Loop, sizes: Sizes) -> InBlocks:
    """What a loop holds and moves, and all equations outside of it."""
    names, equations = loop.names, (*forward.computed, *backward.computed)
    shapes = {equation.name: equation.slots for equation in equations}
    asked = total(span(shapes[name]) for name in names if name in backward.outputs)
    held = []
    for moment in moments((forward, backward), {*forward.outputs, *backward.outputs} - {*names}):
        own = [name for name in moment.held if name in names]
        full = less(moment.entries, total(span(shapes[name]) for name in own))
        held.append((full, total(span(rest_of(shapes[name], name, loop.cuts)) for name in own)))
    tensors = {**forward.tensors, **backward.tensors}
    moved = []
    for one in equations:
        if one not in loop.inside:
            moved.append((total((entries_read(one, sizes, tensors), entries_written(one))), NOWHERE))
    moved += traffic(loop, sizes, tensors)
    first = names[0]
    indices = tuple(shapes[first][cut[first]] for cut in loop.cuts)
    return InBlocks(indices, names, less(ends, asked), tuple(held), tuple(moved))


def rest_of(slots: Sequence[Index], name: str, cuts: Sequence[Cut]) -> tuple[Index, ...]:
    """The indices of a tensor that no block cuts."""
    cut = {one[name] for one in cuts}
    return tuple(index for place, index in enumerate(slots) if place not in cut)


def looped(equations: Sequence[Equation], names: Collection[str]) -> tuple[Equation, ...]:
    """The equations that make some tensors or read them, and those between two of these."""
    own = [one for one in equations if one.name in names or not {*names}.isdisjoint(tensors_of(one.terms))]
    made = {one.name for one in own}
    after, found = set(made), {*made}
    for equation in equations:
        if not after.isdisjoint(tensors_of(equation.terms)):
            after.add(equation.name)
    needed = {name for one in own for name in tensors_of(one.terms)}
    for equation in reversed(equations):
        if equation.name in needed:
            needed.update(tensors_of(equation.terms))
            found |= {equation.name} & after
    return tuple(equation for equation in equations if equation.name in found)


def between(inside: Sequence[Equation], names: Collection[str]) -> frozenset[str]:
    """The tensors of a loop that it also reads."""
    read = {name for one in inside for name in tensors_of(one.terms)}
    return frozenset({one.name for one in inside} & read) | {*names}


def cuts_of(inside: Sequence[Equation], members: frozenset[str]) -> tuple[Cut, ...]:
    """Every way to cut all members along one index, so that each entry is made from entries of its own block."""
    first = next(one for one in inside if one.name in members)
    found = (cut_from(first.name, place, inside, members) for place in range(len(first.slots)))
    return tuple(cut for cut in found if cut is not None)


def cut_from(name: str, place: int, inside: Sequence[Equation], members: frozenset[str]) -> Cut | None:
    """The slots that are cut with a slot of one tensor; None if an entry would be read outside of its block."""
    places, known = {name: place}, 0
    while known != len(places):
        known = len(places)
        for equation in inside:
            here = set(cut_indices(equation, places, members))
            if len(here) > 1 or not all(isinstance(slot, Index) for slot in here):
                return None
            if here and equation.name in members and not here <= {*equation.slots}:
                return None
            for index in here:
                if equation.name in members:
                    places.setdefault(equation.name, equation.slots.index(index))
                for read in members & {*tensors_of(equation.terms)}:
                    for access in accesses_of(equation.terms, read):
                        if index not in access.slots:
                            return None
                        places.setdefault(read, access.slots.index(index))
    return places if members == places.keys() else None


def cut_indices(equation: Equation, places: Cut, members: frozenset[str]) -> Iterator[Slot]:
    """What stands in the slots that are cut, in one equation."""
    if equation.name in places:
        yield equation.slots[places[equation.name]]
    for name in members & {*tensors_of(equation.terms)} & places.keys():
        for access in accesses_of(equation.terms, name):
            yield access.slots[places[name]]


def traffic(loop: Loop, sizes: Sizes, tensors: Mapping[str, Tensor]) -> Iterator[tuple[Count, frozenset[int]]]:
    """What a loop reads and writes: what lacks an index that is cut, again for each block along it."""
    made = {one.name for one in loop.inside}
    seen: set[str] = set()
    for equation in loop.inside:
        index_of = [next(iter(set(cut_indices(equation, cut, frozenset(cut))))) for cut in loop.cuts]
        if equation.name not in loop.names:
            again = frozenset(axis for axis, index in enumerate(index_of) if index not in equation.slots)
            # A total is read before it is added to.
            yield entries_written(equation) * (2 if again else 1), again
        for name, read in indices_read(equation, sizes, tensors).items():
            if name not in made and name not in seen:
                seen.add(name)
                yield span(read), frozenset(axis for axis, index in enumerate(index_of) if index not in read)
