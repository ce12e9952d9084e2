"""Which index of a statement can be split over a mesh, and in which blocks it needs its operands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from indexcalc.algebra.terms import (
    GATES,
    Access,
    Affine,
    Index,
    Lookup,
    MatrixFunction,
    Slot,
    Term,
    Terms,
    own_lookups,
    own_slots,
    walk,
)
from indexcalc.codegen.operands import EntryAt
from indexcalc.codegen.sending import Change, Layout, Roles, axes_of
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.cost.mesh import Mesh, MeshAxis
from indexcalc.cost.traffic import Collective
from indexcalc.rewrite.cost import Sizes


@dataclass(frozen=True, slots=True)
class Placed:
    """A statement, and how devices share it.

    Attributes:
        statement: it reads copies where operands are needed otherwise than they are stored.
        layout: of what it assigns, as it is stored.
        roles: for each term, the indices that are split while it is computed.
        collectives: what is sent for it.
        copy: whether it only copies an operand for the statement that follows.
        steps: of a part of a loop, the statements of a step that it stands for, as they are written; the whole loop
            stands with its last part.
        loop: the number of the loop that it is a part of, from 1 on.
    """

    statement: Statement
    layout: Layout
    roles: tuple[Roles, ...]
    collectives: tuple[Collective, ...] = ()
    copy: bool = False
    steps: tuple[Statement, ...] = ()
    loop: int = 0

    @property
    def written(self) -> tuple[Statement, ...]:
        """The statements of the code."""
        return self.steps if self.loop else (self.statement,)


@dataclass(frozen=True)
class Places:
    """What is known while a pass is placed.

    Attributes:
        mesh: the devices.
        sizes: nominal sizes of extents and blocks.
        named: the layouts of the author's tensors, their gradients and what upstream gradients are given for.
        stored: the slots and the layout of every tensor that is there.
        entries: the arrays at a step, by the names that statements call them.
    """

    mesh: Mesh
    sizes: Sizes
    named: Mapping[str, Layout]
    stored: dict[str, tuple[tuple[Index, ...], Layout]]
    entries: Mapping[str, EntryAt] = field(default_factory=dict)


def is_stored(index: Index, axis: MeshAxis, terms: Terms, places: Places) -> bool:
    """Whether some operand is split over an axis by this index."""
    return any(
        slot == index and axis in axes_of(at)
        for entry in entries_of(terms)
        for slot, at in zip(entry.slots, places.stored[entry.tensor][1], strict=True)
    )


def entries_of(terms: Terms) -> list[Access]:
    """Every entry that is read, each once; those that are looked up with, too."""
    found: dict[Access, None] = {}
    for base in walk(terms):
        if isinstance(base, Access):
            found[base] = None
        for lookup in own_lookups(base):
            found[Access(lookup.tensor, lookup.slots)] = None
    return list(found)


def shifted(statement: Statement, places: Places) -> frozenset[Index]:
    """The indices that no device can do its block of alone: entries of other blocks are read, or added to, by them.

    They stand in expressions, such as ``x[i+k]``; in deltas that move entries; in slots that are longer than they are.
    What looks up is not among them: ``E[tok[n],m]`` has, for every block of n, its own block of tok.
    """
    found: set[Index] = set()
    for base in walk(statement.content):
        if isinstance(base, GATES) and not statement.moves:
            continue
        for slot in own_slots(base):
            found.update(in_expressions(slot))
            if isinstance(base, GATES) and isinstance(slot, Index):
                found.add(slot)
    for entry in entries_of(statement.content):
        slots, _ = places.stored[entry.tensor]
        found.update(slot for slot, own in zip(entry.slots, slots, strict=True) if is_shorter(slot, own))
    return frozenset(found)


def is_shorter(slot: Slot, own: Index) -> TypeGuard[Index]:
    """Whether an index runs over another range than the slot that it stands in."""
    return isinstance(slot, Index) and slot.extent != own.extent


def in_expressions(slot: Slot) -> Iterator[Index]:
    """The indices that something is added to, or that are multiplied."""
    if isinstance(slot, Lookup):
        for inner in slot.slots:
            yield from in_expressions(inner)
    elif isinstance(slot, Affine):
        for atom, _ in slot.parts:
            if isinstance(atom, Lookup):
                yield from in_expressions(atom)
            else:
                yield atom


def changes_of(statement: Statement, terms: Sequence[Term], roles: Sequence[Roles], places: Places) -> Iterator[Change]:
    """The operands that are needed otherwise than they are stored.

    What is stored whole and needed in blocks is no change where the block is of the result: every device reads
    its own. It is one where the block is of a sum, so that nothing else can be made of it.
    """
    wanted: dict[str, Layout] = {}
    summed = set(statement.over)
    for term, own in zip(terms, roles, strict=True):
        summed |= set(term.summed)
        for entry in entries_of((term,)):
            slots = entry.slots
            need: Layout = tuple(
                own.get(slot) if isinstance(slot, Index) and slots.count(slot) == 1 else None for slot in slots
            )
            _, stored = places.stored[entry.tensor]
            need = tuple(
                at if was is not None or slot in summed else was
                for slot, at, was in zip(slots, need, stored, strict=True)
            )
            other = wanted.get(entry.tensor, need)
            wanted[entry.tensor] = tuple(a if a == b else None for a, b in zip(need, other, strict=True))
    for name, need in wanted.items():
        slots, stored = places.stored[name]
        if need != stored:
            yield Change(name, slots, stored, need)


SHARED = (
    Kind.ASSIGN,
    Kind.MAXIMUM,
    Kind.MINIMUM,
    Kind.LARGEST,
    Kind.HIDDEN,
    Kind.GATHER,
    Kind.NEAREST,
    Kind.SCATTER,
)
"""The statements whose indices can be split, but for those by which entries move."""


def is_shared(statement: Statement) -> bool:
    """Whether devices can share a statement: it solves nothing, and is no function of a matrix."""
    return statement.kind in SHARED and not any(isinstance(base, MatrixFunction) for base in walk(statement.content))
