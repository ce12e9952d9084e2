"""Loops over steps on a mesh: what no step shifts, such as the rows of a batch, each device has its block of.

Every step is done with the blocks that devices have: nothing is sent between one step and the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from indexcalc.algebra.build import product
from indexcalc.algebra.terms import Access, Base, Index, Slot, Terms, with_inner_terms
from indexcalc.codegen.places import Placed, Places, changes_of, entries_of, is_shared, shifted
from indexcalc.codegen.sending import Layout, entry_text, roles_of
from indexcalc.codegen.statements import Kind, Loop, Statement
from indexcalc.cost.mesh import MeshAxis
from indexcalc.errors import UnsupportedError


def placed_loop(group: Sequence[Statement], loop: Loop, number: int, places: Places) -> list[Placed]:
    """The statements of a loop, each as one about all steps; the code of the loop stands with the last.

    Args:
        group: the statements of a step, in order.
        loop: what they are a part of.
        number: of the loop among those of the pass.
        places: what is stored before; what the loop assigns is entered.

    Raises:
        UnsupportedError: if a step would have to send something, or the steps themselves are split.
    """
    _, first, axis = loop.arrays[0]
    step = first[axis]
    full = {name: (*axes[:place], step, *axes[place + 1 :]) for name, axes, place in loop.arrays}
    flat = merged([along_steps(one, full.get(one.name, one.axes), step, places) for one in group])
    lay_out(flat, places)
    found = [placed_step(one, step, number, places) for one in flat]
    return [*found[:-1], replace(found[-1], steps=tuple(group))]


def along_steps(statement: Statement, axes: tuple[Index, ...], step: Index, places: Places) -> Statement:
    """The statement about all steps: it reads and assigns whole arrays, along the index of the step."""

    def in_terms(terms: Terms) -> Terms:
        return tuple(
            product(term.coeff, ((in_base(base), e) for base, e in term.powers), term.summed) for term in terms
        )

    def in_base(base: Base) -> Base:
        if isinstance(base, Access) and base.tensor in places.entries:
            entry, rest = places.entries[base.tensor], iter(base.slots)
            return Access(entry.tensor, tuple(next(rest) if part == ":" else step for part in entry.parts))
        return with_inner_terms(base, in_terms)

    guards = tuple(map(in_base, statement.guards))
    terms = in_terms(statement.terms)
    return replace(statement, axes=axes, terms=terms, guards=guards, loop=None, conditions=(), adds=False)


def merged(statements: Sequence[Statement]) -> list[Statement]:
    """The statements, those that assign parts of one array as one sum, where its last part is assigned."""
    sums = [one for one in statements if one.kind is Kind.ASSIGN]
    last = {one.name: one for one in sums}
    found = []
    for one in statements:
        if one.kind is not Kind.ASSIGN:
            found.append(one)
        elif one is last[one.name]:
            terms = tuple(term for part in sums if part.name == one.name for term in part.terms)
            found.append(replace(one, terms=terms))
    return found


def lay_out(statements: Sequence[Statement], places: Places) -> None:
    """Enter how what a loop assigns is split: as it is named, or else as what it is computed from."""
    for one in statements:
        places.stored[one.name] = one.axes, places.named.get(one.name, (None,) * len(one.axes))
    unnamed = [one for one in statements if one.name not in places.named]
    for _ in unnamed:
        before = dict(places.stored)
        for one in unnamed:
            places.stored[one.name] = one.axes, read_layout(one, places)
        if places.stored == before:
            return


def read_layout(statement: Statement, places: Places) -> Layout:
    """For every axis of a result the axis of the mesh over which something that is read is split by it."""
    by_index: dict[Slot, MeshAxis] = {}
    used: set[MeshAxis] = set()
    for entry in entries_of(statement.content):
        _, stored = places.stored[entry.tensor]
        for slot, at in zip(entry.slots, stored, strict=True):
            if at is not None and slot in statement.axes and slot not in by_index and not used & {*at.single}:
                by_index[slot] = at
                used.update(at.single)
    return tuple(by_index.get(index) for index in statement.axes)


def placed_step(statement: Statement, step: Index, number: int, places: Places) -> Placed:
    """A statement about all steps, every one of which reads and assigns blocks that the device has.

    Raises:
        UnsupportedError: if that can't be.
    """
    text = entry_text(statement.name, statement.axes)
    _, layout = places.stored[statement.name]
    own = roles_of(statement.axes, layout)
    moved = {step} | shifted(statement, places) if is_shared(statement) else {*statement.axes, step}
    for index, axis in own.items():
        if index in moved:
            raise UnsupportedError(
                f"{text} is computed step by step along {step.name}, and {index.name}, which is split over {axis}, "
                "says which entries a step reads: blocks of it are not computed apart so far; split other indices, "
                "such as that of a batch"
            )
    parts = statement.terms if not statement.guards else statement.content
    roles = tuple(own for _ in parts)
    for change in changes_of(statement, parts, roles, places):
        slot, axis = next(
            (slot.name, axis)
            for slot, axis, at in zip(change.slots, change.stored, change.wanted, strict=True)
            if axis is not None and axis != at
        )
        raise UnsupportedError(
            f"each step of {text} reads {change.tensor} at every {slot}, which is split over {axis}: it would have "
            "to be sent at each step, which is not written so far; split other indices, such as that of a batch"
        )
    return Placed(statement, layout, roles, loop=number)


def loop_ranges(*passes: Sequence[Placed]) -> Iterator[range]:
    """The places of the statements of every loop, in several passes that run one after the other."""
    before = 0
    for placed in passes:
        numbers = [one.loop for one in placed]
        for number in dict.fromkeys(numbers):
            if number:
                start = before + numbers.index(number)
                yield range(start, start + numbers.count(number))
        before += len(placed)
