"""Which device computes what: the statements of a pass over a mesh, with the collective operations between them.

A tensor of the author's is split as its slots are named; what the derivation and the code add beside them is
split as what it is computed from. Where a statement needs an operand otherwise than it is stored, a copy of it is made
first: an all-gather, an all-to-all, or a slice. What is summed over a split index is added up over its axis: an
all-reduce, or a reduce-scatter if the result is split over that axis. Nothing else is sent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from itertools import product as combinations

import sympy as sp

from indexcalc.algebra.terms import Access, Index, Slot, Term, Terms, occurring_indices
from indexcalc.codegen.names import unused
from indexcalc.codegen.placed_loops import placed_loop
from indexcalc.codegen.places import Placed, Places, changes_of, entries_of, is_shared, is_stored, shifted
from indexcalc.codegen.sending import Change, Layout, Roles, axes_of, entry_text, moves, reductions, roles_of
from indexcalc.codegen.statements import Statement
from indexcalc.cost.mesh import MeshAxis, block, together
from indexcalc.cost.traffic import Collective, sent_share
from indexcalc.errors import UnsupportedError
from indexcalc.rewrite.cost import Sizes, size_of

WORK_OF_SENDING = 8_000
"""How many operations a machine does in the time of sending one entry, by which ways are compared."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to compute a statement: which indices are split, what must be changed and added up, and its price."""

    free: Roles
    roles: tuple[Roles, ...]
    changes: tuple[Change, ...]
    price: float


def placed_pass(statements: Sequence[Statement], places: Places, taken: set[str]) -> list[Placed]:
    """The statements of one pass with the copies that they need, each before its first reader.

    Args:
        statements: in order.
        places: what is stored before; what the pass assigns is entered.
        taken: names of tensors, which copies avoid; theirs are entered.

    Raises:
        UnsupportedError: if a statement that solves, or is a function of a matrix, touches a tensor that is split, or
            steps can't be done with blocks alone.
    """
    found: list[Placed] = []
    copies: dict[tuple[str, Layout], str] = {}
    loops = 0
    for loop, group in groupby(statements, key=lambda statement: statement.loop):
        if loop is None:
            for statement in group:
                found += placed_alone(statement, places, copies, taken)
        else:
            loops += 1
            found += placed_loop(tuple(group), loop, loops, places)
    return found


def placed_alone(
    statement: Statement, places: Places, copies: dict[tuple[str, Layout], str], taken: set[str]
) -> Iterator[Placed]:
    """A statement that is in no loop, with the copies that it needs first."""
    if not is_shared(statement):
        yield unsplit(statement, places)
        return
    way = best_way(statement, places, copies)
    names: dict[str, str] = {}
    for change in way.changes:
        key = change.tensor, change.wanted
        if key not in copies:
            copies[key] = unused(f"{change.tensor}_placed", taken)
            yield copied(change, copies[key], statement, places)
        names[change.tensor] = copies[key]
    yield from assigned(statement.reading(names) if names else statement, statement, way, places, taken)


def unsplit(statement: Statement, places: Places) -> Placed:
    """A statement that every device computes alike."""
    layout: Layout = places.named.get(statement.name, (None,) * len(statement.axes))
    for name, own in ((name, places.stored[name][1]) for name in statement.reads if name in places.stored):
        if any(own):
            axis = next(axis for axis in own if axis is not None)
            raise UnsupportedError(
                f"{statement.name} is computed from {name} as a function of a matrix, or by solving a system, and "
                f"{name} is split over {axis}; over a mesh that is done with tensors that every device has whole, so "
                "split others"
            )
    if any(layout):
        raise UnsupportedError(
            f"{statement.name} is a function of a matrix or the solution of a system, so it can't be split; "
            "split other indices"
        )
    places.stored[statement.name] = statement.axes, layout
    return Placed(statement, layout, tuple({} for _ in statement.terms))


def copied(change: Change, name: str, reader: Statement, places: Places) -> Placed:
    """The statement that makes a copy."""
    places.stored[name] = change.slots, change.wanted
    entry = Access(change.tensor, change.slots)
    moved = tuple(moves(change, reader))
    said = ", ".join(f"{one.kind} over {'+'.join(one.axis.indices)}" for one in moved) or "a block of it"
    text = f"{entry_text(change.tensor, change.slots)}: {said}"
    statement = Statement(name, change.slots, (Term(sp.S.One, ((entry, sp.S.One),)),), note=f"{name} = {text}")
    return Placed(statement, change.wanted, (roles_of(change.slots, change.wanted),), moved, copy=True)


def assigned(statement: Statement, original: Statement, way: Way, places: Places, taken: set[str]) -> Iterator[Placed]:
    """The statement, and where its result is gathered, that as another."""
    computed: Layout = tuple(way.free.get(index) for index in statement.axes)
    wanted = places.named.get(statement.name, computed)
    change = Change(statement.name, statement.axes, computed, wanted)
    places.stored[statement.name] = statement.axes, wanted
    gathered = tuple(moves(change, original))
    sums = tuple(reductions(original, way.roles, computed if gathered else wanted))
    if not gathered:
        yield Placed(statement, wanted, way.roles, sums)
        return
    name = unused(f"{statement.name}_parts", taken)
    places.stored[name] = statement.axes, computed
    yield Placed(replace(statement, name=name), computed, way.roles, sums)
    entry = Access(name, statement.axes)
    note = f"{entry_text(statement.name, statement.axes)} = {name}: {', '.join(one.kind for one in gathered)}"
    copy = Statement(statement.name, statement.axes, (Term(sp.S.One, ((entry, sp.S.One),)),), note=note)
    yield Placed(copy, wanted, (roles_of(statement.axes, wanted),), gathered, copy=True)


def best_way(statement: Statement, places: Places, copies: Mapping[tuple[str, Layout], str]) -> Way:
    """The cheapest way at nominal sizes: of ways that cost the same, one that splits the result as it is stored."""
    wanted = places.named.get(statement.name)
    moved = shifted(statement, places)
    free = tuple(index for index in statement.axes if index not in moved)
    jointly = split_jointly(statement, statement.content, places)
    options = []
    for axis in places.mesh.axes:
        given = zip(statement.axes, wanted or (), strict=False)
        own = [index for index, at in given if axis in axes_of(at) and index in free]
        read = [index for index in free if index not in own and is_stored(index, axis, statement.content, places)]
        options.append([*own, *read, None])
    ways = []
    for chosen in combinations(*options):
        roles = chosen_roles(chosen, places.mesh.axes, jointly)
        if roles is not None:
            ways.append(way_of(statement, roles, wanted, places, copies))
    return min(ways, key=lambda way: way.price)


def split_jointly(statement: Statement, terms: Terms, places: Places) -> set[tuple[Index, MeshAxis]]:
    """The indices that some tensor of a statement is split by over several axes together."""
    layouts: list[tuple[Sequence[Slot], Layout]] = [(statement.axes, places.named.get(statement.name, ()))]
    layouts += [(entry.slots, places.stored[entry.tensor][1]) for entry in entries_of(terms)]
    return {
        (slot, at)
        for slots, layout in layouts
        for slot, at in zip(slots, layout, strict=False)
        if at is not None and at.parts and isinstance(slot, Index)
    }


def chosen_roles(
    chosen: Sequence[Index | None], axes: Sequence[MeshAxis], jointly: Collection[tuple[Index, MeshAxis]]
) -> Roles | None:
    """The index that is chosen for every axis, as roles; nothing if one has several axes and no tensor is so split."""
    found: dict[Index, tuple[MeshAxis, ...]] = {}
    for index, axis in zip(chosen, axes, strict=True):
        if index is not None:
            found[index] = (*found.get(index, ()), axis)
    for index, own in found.items():
        if len(own) > 1 and not any(index == slot and {*own} <= {*at.parts} for slot, at in jointly):
            return None
    return {index: over for index, own in found.items() if (over := together(own)) is not None}


def way_of(
    statement: Statement, free: Roles, wanted: Layout | None, places: Places, copies: Mapping[tuple[str, Layout], str]
) -> Way:
    """The cheapest way in which these indices of the result are split while it is computed."""
    taken = {axis for at in free.values() for axis in at.single}
    left = [axis for axis in places.mesh.axes if axis not in taken]
    parts = statement.terms if not statement.guards else statement.content
    roles = tuple(term_roles(term, statement, free, left, places) for term in parts)
    changes = tuple(changes_of(statement, parts, roles, places))
    price = sum(sent(moves(one, statement), places) for one in changes if (one.tensor, one.wanted) not in copies)
    computed: Layout = tuple(free.get(index) for index in statement.axes)
    gathered = tuple(moves(Change(statement.name, statement.axes, computed, wanted or computed), statement))
    price += sent(gathered, places)
    price += sent(reductions(statement, roles, computed if gathered else wanted or computed), places)
    price += (
        sum(work(term, statement, own, places.sizes) for term, own in zip(parts, roles, strict=True)) / WORK_OF_SENDING
    )
    return Way(free, roles, changes, price)


def term_roles(term: Term, statement: Statement, free: Roles, left: Sequence[MeshAxis], places: Places) -> Roles:
    """The indices of a term that are split: those of the result, and for each axis that is left, one that is summed."""
    moved = shifted(statement, places)
    bound = [index for index in (*term.summed, *statement.over) if index not in moved]
    options = [[*(r for r in bound if is_stored(r, axis, (term,), places)), None] for axis in left]
    jointly = split_jointly(statement, (term,), places)
    best, price = dict(free), float("inf")
    for chosen in combinations(*options):
        summed = chosen_roles(chosen, left, jointly)
        if summed is None:
            continue
        roles = {**free, **summed}
        changes = changes_of(statement, (term,), (roles,), places)
        own = sum(sent(moves(one, statement), places) for one in changes)
        own += work(term, statement, roles, places.sizes) / WORK_OF_SENDING
        if own < price:
            best, price = roles, own
    return best


def work(term: Term, statement: Statement, roles: Roles, sizes: Sizes) -> float:
    """The points over which a device computes a term."""
    indices = dict.fromkeys((*occurring_indices(term), *statement.axes))
    return 2.0 * size_of((block(index, roles.get(index)) for index in indices), sizes)


def sent(collectives: Iterable[Collective], places: Places) -> float:
    """The entries that one device sends."""
    return float(sum(sent_share(one.kind, one.devices) * one.entries.at(places.sizes) for one in collectives))
