"""What devices send for a statement: to have operands as they are needed, and to add up over split indices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from indexcalc.algebra.canonical import components
from indexcalc.algebra.terms import Index, occurring_indices
from indexcalc.codegen.statements import Statement
from indexcalc.cost.counts import Count, span
from indexcalc.cost.mesh import MeshAxis, block, together
from indexcalc.cost.traffic import Collective
from indexcalc.cost.traffic import Kind as Move

Layout = tuple[MeshAxis | None, ...]
"""For every slot of a tensor what it is split over: an axis of the mesh, or several together."""

Axes = Sequence[tuple[MeshAxis, ...]]
"""For every slot of a tensor the axes of the mesh over which it is split."""

Roles = Mapping[Index, MeshAxis]
"""The indices of a statement that are split while it is computed, and over what."""


@dataclass(frozen=True, slots=True)
class Change:
    """An operand needed otherwise than it is stored: from one layout to another."""

    tensor: str
    slots: tuple[Index, ...]
    stored: Layout
    wanted: Layout


def moves(change: Change, reader: Statement) -> Iterator[Collective]:
    """What is sent to change a layout: what can be cut is cut first, then blocks are exchanged or gathered."""
    now, wanted = [axes_of(at) for at in change.stored], [axes_of(at) for at in change.wanted]
    text = entry_text(reader.name, reader.axes)

    def entries() -> Count:
        return span(block(slot, together(at)) for slot, at in zip(change.slots, now, strict=True))

    for place, need in enumerate(wanted):
        used = {axis for at in now for axis in at}
        if need[: len(now[place])] == now[place] and not used & {*need[len(now[place]) :]}:
            now[place] = need
    for place, slot in enumerate(slot.name for slot in change.slots):
        other = crossed(now, wanted, place)
        if other is not None:
            (axis,) = now[place]
            reason = f"{text} needs {change.tensor} split by {slot} over {other}, and it is split over {axis}"
            now[place] = (max(axis, other, key=lambda one: one.devices),)
            yield Collective(Move.PERMUTE, change.tensor, other, entries(), reason)
            now[place] = (other,)
            if axis.devices > other.devices:
                part = MeshAxis(axis.indices, axis.devices // other.devices, f"a part of {axis.name}")
                yield Collective(Move.GATHER, change.tensor, part, entries(), reason)
            continue
        for axis in [axis for axis in now[place] if axis not in wanted[place]]:
            to = next((other for other, need in enumerate(wanted) if axis in need), None)
            if to is not None and need_next(now[to], wanted[to]) == axis:
                reason = f"{text} needs {change.tensor} split by {change.slots[to].name}, and it is split by {slot}"
                yield Collective(Move.EXCHANGE, change.tensor, axis, entries(), reason)
                now[place], now[to] = without(now[place], (axis,)), (*now[to], axis)
        gathered = tuple(axis for axis in now[place] if axis not in wanted[place])
        over = together(gathered)
        if over is not None:
            now[place] = without(now[place], gathered)
            if change.tensor == reader.name:
                reason = f"{text} is computed by {slot}, which is split, and every device needs all of it"
            else:
                reason = f"{text} needs {change.tensor} at every {slot}, which is split"
            yield Collective(Move.GATHER, change.tensor, over, entries(), reason)


def crossed(now: Axes, wanted: Axes, place: int) -> MeshAxis | None:
    """The axis over which a slot is to be split instead, where blocks of one are made of whole blocks of the other.

    Each device has a block of its own axis, alike along the other axis, and sends what another one wants of it.
    """
    if len(now[place]) != 1 or len(wanted[place]) != 1 or now[place] == wanted[place]:
        return None
    (axis,), (other,) = now[place], wanted[place]
    few, many = sorted((axis.devices, other.devices))
    free = not any(other in at for at in now) and not any(axis in at for at in wanted)
    return other if free and few > 1 and not many % few else None


def need_next(now: tuple[MeshAxis, ...], wanted: tuple[MeshAxis, ...]) -> MeshAxis | None:
    """The axis over which blocks are cut next, to come to those that are wanted."""
    return wanted[len(now)] if wanted[: len(now)] == now and len(wanted) > len(now) else None


def without(axes: tuple[MeshAxis, ...], gone: tuple[MeshAxis, ...]) -> tuple[MeshAxis, ...]:
    """The axes but for some."""
    return tuple(axis for axis in axes if axis not in gone)


def axes_of(at: MeshAxis | None) -> tuple[MeshAxis, ...]:
    """The axes of the mesh over which a slot is split."""
    return () if at is None else at.single


def reductions(statement: Statement, roles: Sequence[Roles], wanted: Layout) -> Iterator[Collective]:
    """What is added up over devices: for each term, what its sums over split indices give."""
    text = entry_text(statement.name, statement.axes)
    verb = "sums" if not statement.over else "takes its largest or smallest entry"
    kept = {axis for at in wanted for axis in axes_of(at)}
    for term, own in zip(statement.terms, roles, strict=False):
        groups = components(term) if not statement.over else [(term.powers, statement.over)]
        for powers, bound in groups:
            split = [index for index in bound if index in own]
            if not split:
                continue
            carried = {index for base, _ in powers for index in occurring_indices(base)}
            indices = [index for index in statement.axes if index in carried]
            entries = span(block(index, own.get(index)) for index in indices)
            # XLA adds up along one axis of an array after the other, and cuts last.
            for kind in (Move.REDUCE, Move.SCATTER):
                for index in split:
                    over = together(axis for axis in own[index].single if (axis in kept) == (kind is Move.SCATTER))
                    if over is not None:
                        reason = f"{text} {verb} over {index.name}, which is split"
                        yield Collective(kind, statement.name, over, entries, reason)


def roles_of(slots: Sequence[Index], layout: Layout) -> Roles:
    """The slots that are split."""
    return {slot: at for slot, at in zip(slots, layout, strict=True) if at is not None}


def entry_text(name: str, slots: Sequence[Index]) -> str:
    """``dW[m,k]``."""
    return f"{name}[{','.join(slot.name for slot in slots)}]" if slots else name
