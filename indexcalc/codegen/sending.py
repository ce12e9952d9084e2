"""What devices send for a statement: to have operands as they are needed, and to add up over split indices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from indexcalc.algebra.canonical import components
from indexcalc.algebra.terms import Index, occurring_indices
from indexcalc.codegen.statements import Statement
from indexcalc.cost.counts import span
from indexcalc.cost.mesh import MeshAxis, block
from indexcalc.cost.traffic import Collective
from indexcalc.cost.traffic import Kind as Move

Layout = tuple[MeshAxis | None, ...]
"""For every slot of a tensor the axis over which it is split."""

Roles = Mapping[Index, MeshAxis]
"""The indices of a statement that are split while it is computed, and over which axes."""


@dataclass(frozen=True, slots=True)
class Change:
    """An operand needed otherwise than it is stored: from one layout to another."""

    tensor: str
    slots: tuple[Index, ...]
    stored: Layout
    wanted: Layout


def moves(change: Change, reader: Statement) -> Iterator[Collective]:
    """What is sent to change a layout: what can be cut is cut first, then an axis at a time."""
    now = list(change.stored)
    for place, (was, need) in enumerate(zip(change.stored, change.wanted, strict=True)):
        if was is None and need is not None and need not in now:
            now[place] = need
    text = entry_text(reader.name, reader.axes)
    for place, (was, need) in enumerate(zip(change.stored, change.wanted, strict=True)):
        if was is None or was == need:
            continue
        slot = change.slots[place].name
        to = change.wanted.index(was) if was in change.wanted else None
        if to is not None and now[to] is None:
            entries = span(block(slot, at) for slot, at in zip(change.slots, now, strict=True))
            reason = f"{text} needs {change.tensor} split by {change.slots[to].name}, and it is split by {slot}"
            now[place], now[to] = None, was
            yield Collective(Move.EXCHANGE, change.tensor, was, entries, reason)
            continue
        now[place] = None
        entries = span(block(slot, at) for slot, at in zip(change.slots, now, strict=True))
        if change.tensor == reader.name:
            reason = f"{text} is computed by {slot}, which is split, and every device needs all of it"
        else:
            reason = f"{text} needs {change.tensor} at every {slot}, which is split"
        yield Collective(Move.GATHER, change.tensor, was, entries, reason)


def reductions(statement: Statement, roles: Sequence[Roles], wanted: Layout) -> Iterator[Collective]:
    """What is added up over devices: for each term, what its sums over split indices give."""
    text = entry_text(statement.name, statement.axes)
    verb = "sums" if not statement.over else "takes its largest or smallest entry"
    for term, own in zip(statement.terms, roles, strict=False):
        groups = components(term) if not statement.over else [(term.powers, statement.over)]
        for powers, bound in groups:
            split = [index for index in bound if index in own]
            if not split:
                continue
            carried = {index for base, _ in powers for index in occurring_indices(base)}
            indices = [index for index in statement.axes if index in carried]
            entries = span(block(index, own.get(index)) for index in indices)
            kept = {at for at in wanted if at is not None}
            # XLA adds up along one axis of the mesh after the other, and cuts last.
            for index in sorted(split, key=lambda one: own[one] in kept):
                kind = Move.SCATTER if own[index] in kept else Move.REDUCE
                reason = f"{text} {verb} over {index.name}, which is split"
                yield Collective(kind, statement.name, own[index], entries, reason)


def roles_of(slots: Sequence[Index], layout: Layout) -> Roles:
    """The slots that are split."""
    return {slot: at for slot, at in zip(slots, layout, strict=True) if at is not None}


def entry_text(name: str, slots: Sequence[Index]) -> str:
    """``dW[m,k]``."""
    return f"{name}[{','.join(slot.name for slot in slots)}]" if slots else name
