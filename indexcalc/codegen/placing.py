"""Which device computes what: the statements of a pass over a mesh, with the collective operations between them.

A tensor of the author's is split as its slots are named; what the derivation and the code add beside them is
split as what it is computed from. Where a statement needs an operand otherwise than it is stored, a copy of it is made
first: an all-gather, an all-to-all, or a slice. What is summed over a split index is added up over its axis: an
all-reduce, or a reduce-scatter if the result is split over that axis. Nothing else is sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product as combinations

import sympy as sp

from indexcalc.algebra.slots import plain_slots
from indexcalc.algebra.terms import Access, Index, MatrixFunction, Term, Terms, occurring_indices, own_lookups, walk
from indexcalc.codegen.names import unused
from indexcalc.codegen.sending import Change, Layout, Roles, entry_text, moves, reductions, roles_of
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.cost.mesh import Mesh, MeshAxis, block
from indexcalc.cost.traffic import Collective, sent_share
from indexcalc.errors import UnsupportedError
from indexcalc.rewrite.cost import Sizes, size_of

WORK_OF_SENDING = 8_000
"""How many operations a machine does in the time of sending one entry, by which ways are compared."""

SUMS = (Kind.ASSIGN, Kind.MAXIMUM, Kind.MINIMUM, Kind.LARGEST, Kind.HIDDEN)
"""The statements in which an entry of the result is made from the entries at its own indices."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A statement, and how devices share it.

    Attributes:
        statement: it reads copies where operands are needed otherwise than they are stored.
        layout: of what it assigns, as it is stored.
        roles: for each term, the indices that are split while it is computed.
        collectives: what is sent for it.
        copy: whether it only copies an operand for the statement that follows.
    """

    statement: Statement
    layout: Layout
    roles: tuple[Roles, ...]
    collectives: tuple[Collective, ...] = ()
    copy: bool = False


@dataclass(frozen=True, slots=True)
class Way:
    """One way to compute a statement: which indices are split, what must be changed and added up, and its price."""

    free: Roles
    roles: tuple[Roles, ...]
    changes: tuple[Change, ...]
    price: float


@dataclass(frozen=True)
class Places:
    """What is known while a pass is placed.

    Attributes:
        mesh: the devices.
        sizes: nominal sizes of extents and blocks.
        named: the layouts of the author's tensors, their gradients and what upstream gradients are given for.
        stored: the slots and the layout of every tensor that is there.
    """

    mesh: Mesh
    sizes: Sizes
    named: Mapping[str, Layout]
    stored: dict[str, tuple[tuple[Index, ...], Layout]]


def placed_pass(statements: Sequence[Statement], places: Places, taken: set[str]) -> list[Placed]:
    """The statements of one pass with the copies that they need, each before its first reader.

    Args:
        statements: in order.
        places: what is stored before; what the pass assigns is entered.
        taken: names of tensors, which copies avoid; theirs are entered.

    Raises:
        UnsupportedError: if a statement that moves entries, solves or steps touches a tensor that is split.
    """
    found: list[Placed] = []
    copies: dict[tuple[str, Layout], str] = {}
    for statement in statements:
        if statement.kind not in SUMS or statement.loop is not None or not is_plain(statement):
            found.append(unsplit(statement, places))
            continue
        way = best_way(statement, places, copies)
        names: dict[str, str] = {}
        for change in way.changes:
            key = change.tensor, change.wanted
            if key not in copies:
                copies[key] = unused(f"{change.tensor}_placed", taken)
                found.append(copied(change, copies[key], statement, places))
            names[change.tensor] = copies[key]
        found += assigned(statement.reading(names) if names else statement, statement, way, places, taken)
    return found


def is_plain(statement: Statement) -> bool:
    """Whether every slot that is read is an index."""
    bases = list(walk(statement.content))
    return not any(isinstance(base, MatrixFunction) or own_lookups(base) for base in bases) and all(
        base.is_plain for base in bases if isinstance(base, Access)
    )


def unsplit(statement: Statement, places: Places) -> Placed:
    """A statement that every device computes alike."""
    layout: Layout = places.named.get(statement.name, (None,) * len(statement.axes))
    for name, own in ((name, places.stored[name][1]) for name in statement.reads if name in places.stored):
        if any(own):
            axis = next(axis for axis in own if axis is not None)
            raise UnsupportedError(
                f"{statement.name} is computed from {name} by moving entries, in steps or by solving, and {name} is "
                f"split over {axis}; over a mesh that is done with tensors that every device has whole, so split others"
            )
    if any(layout):
        raise UnsupportedError(
            f"{statement.name} moves entries, steps or solves, so it can't be split; split other indices"
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
    sums = tuple(reductions(original, way.roles, wanted))
    gathered = tuple(moves(change, original))
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
    free = statement.axes
    options = []
    for axis in places.mesh.axes:
        own = [index for index, at in zip(free, wanted or (), strict=False) if at == axis]
        read = [index for index in free if index not in own and is_stored(index, axis, statement.content, places)]
        options.append([*own, *read, None])
    ways = []
    for chosen in combinations(*options):
        indices = [index for index in chosen if index is not None]
        if len(set(indices)) == len(indices):
            roles = {i: axis for i, axis in zip(chosen, places.mesh.axes, strict=True) if i is not None}
            ways.append(way_of(statement, roles, wanted, places, copies))
    return min(ways, key=lambda way: way.price)


def is_stored(index: Index, axis: MeshAxis, terms: Terms, places: Places) -> bool:
    """Whether some operand is split over an axis by this index."""
    return any(
        slot == index and at == axis
        for entry in entries_of(terms)
        for slot, at in zip(entry.slots, places.stored[entry.tensor][1], strict=True)
    )


def entries_of(terms: Terms) -> list[Access]:
    """Every entry that is read, each once."""
    return list(dict.fromkeys(base for base in walk(terms) if isinstance(base, Access)))


def way_of(
    statement: Statement, free: Roles, wanted: Layout | None, places: Places, copies: Mapping[tuple[str, Layout], str]
) -> Way:
    """The cheapest way in which these indices of the result are split while it is computed."""
    left = [axis for axis in places.mesh.axes if axis not in free.values()]
    parts = statement.terms if not statement.guards else statement.content
    roles = tuple(term_roles(term, statement, free, left, places) for term in parts)
    changes = tuple(changes_of(statement, parts, roles, places))
    price = sum(sent(moves(one, statement), places) for one in changes if (one.tensor, one.wanted) not in copies)
    computed: Layout = tuple(free.get(index) for index in statement.axes)
    price += sent(moves(Change(statement.name, statement.axes, computed, wanted or computed), statement), places)
    price += sent(reductions(statement, roles, wanted or computed), places)
    price += (
        sum(work(term, statement, own, places.sizes) for term, own in zip(parts, roles, strict=True)) / WORK_OF_SENDING
    )
    return Way(free, roles, changes, price)


def term_roles(term: Term, statement: Statement, free: Roles, left: Sequence[MeshAxis], places: Places) -> Roles:
    """The indices of a term that are split: those of the result, and for each axis that is left, one that is summed."""
    bound = [*term.summed, *statement.over]
    options = [[*(r for r in bound if is_stored(r, axis, (term,), places)), None] for axis in left]
    best, price = dict(free), float("inf")
    for chosen in combinations(*options):
        indices = [index for index in chosen if index is not None]
        if len(set(indices)) < len(indices):
            continue
        roles = {**free, **{i: axis for i, axis in zip(chosen, left, strict=True) if i is not None}}
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
            slots = plain_slots(entry.slots)
            need: Layout = tuple(own.get(slot) if slots.count(slot) == 1 else None for slot in slots)
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
