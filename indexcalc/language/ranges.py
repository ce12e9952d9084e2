"""Every entry that is read lies inside its tensor: shown from extents and from the brackets beside it, or refused."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from indexcalc.algebra.guards import Given, guarded_entries
from indexcalc.algebra.ranges import in_range, never_negative, room_above
from indexcalc.algebra.slots import Slot, are_plain, constant_of, lookups_of_slot, parts_of_slot, slot_text
from indexcalc.algebra.terms import Access, Index, Terms
from indexcalc.language.scope import Scope
from indexcalc.language.syntax import At, Entry, Expression, nodes_in
from indexcalc.program import Tensor


def check_ranges(terms: Terms, tensors: Mapping[str, Tensor], scope: Scope, sides: tuple[Expression, ...]) -> None:
    """Return if every entry that the terms read lies inside its tensor.

    Raises:
        SpecError: at the first entry that may lie outside: which bound fails, where, and which bracket helps.
    """
    for entry, given in guarded_entries(terms):
        tensor = tensors.get(entry.tensor)
        if tensor is None or are_plain(entry.slots):
            continue
        for slot, declared in zip(entry.slots, tensor.slots, strict=True):
            if not isinstance(slot, Index) and not in_range(slot, declared.extent, given):
                message = outside(entry, slot, declared, given)
                if entry.tensor in scope.ahead:
                    message += (
                        "; a recurrence has a base case: give it a line of its own, and end this one with a range, "
                        f"as in for {declared.name} in 1 .. {declared.extent - 1}"
                    )
                raise scope.source.error(message, place_of(entry, scope, sides))
            for lookup in lookups_of_slot(slot):
                check_lookup(lookup.slots, tensors[lookup.tensor], given, scope, place_of(entry, scope, sides))


def check_lookup(slots: tuple[Slot, ...], tensor: Tensor, given: Given, scope: Scope, at: At | None) -> None:
    """The entry that is looked up lies inside its tensor."""
    entry = Access(tensor.name, slots)
    for slot, declared in zip(slots, tensor.slots, strict=True):
        if not isinstance(slot, Index) and not in_range(slot, declared.extent, given):
            raise scope.source.error(outside(entry, slot, declared, given), at)


def outside(entry: Access, slot: Slot, declared: Index, given: Given) -> str:
    """Which bound fails, for which values of the indices, and what would be right."""
    text, whole = slot_text(slot), f"{entry.tensor}[{','.join(map(slot_text, entry.slots))}]"
    low, high = never_negative(slot, given), never_negative(room_above(slot, declared.extent), given)
    if not low:
        least, where = end_of(slot, -1)
        bound, bracket = f"{text} is {least} at {where}, below 0", f"[0 <= {text}]"
    else:
        largest, where = end_of(slot, 1)
        bound = f"{text} is {largest} at {where}, and {declared.extent - 1} is the last"
        bracket = f"[{text} < {declared.extent}]"
    if not (low or high):
        bracket = f"[0 <= {text} < {declared.extent}]"
    return (
        f"{whole} may lie outside {entry.tensor}, whose slot {declared.name} has extent {declared.extent}: {bound}; "
        f"choose extents that keep it inside, or write {bracket} * {whole}, which reads zero there"
    )


def end_of(slot: Slot, sign: int) -> tuple[sp.Expr, str]:
    """The smallest value of an expression, for the sign -1, or the largest, and for which values of the indices."""
    total, where = constant_of(slot), []
    for atom, coeff in parts_of_slot(slot):
        rises = bool(coeff.could_extract_minus_sign()) == (sign < 0)
        value = sp.expand(atom.extent - 1) if rises else sp.S.Zero
        total += coeff * value
        where.append(f"{atom.name} = {value}")
    return sp.expand(total), ", ".join(where) or "this place"


def place_of(entry: Access, scope: Scope, sides: tuple[Expression, ...]) -> At | None:
    """Where an author wrote an entry; the place of the line where that is not known."""
    for side in sides:
        for node in nodes_in(side):
            named = isinstance(node, Entry) and node.name == entry.tensor and node.slots is not None
            if (
                named
                and isinstance(node, Entry)
                and scope.entry(scope.tensor(node.name, node.at), node, node.name) == entry
            ):
                return node.at
    return None
