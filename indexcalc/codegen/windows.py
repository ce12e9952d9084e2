"""Entries under expressions as calls: windows over an array, lookups, and the sums that are their adjoints."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from indexcalc.algebra.slots import constant_of, indices_of_slot, lookups_of_slot, parts_of_slot
from indexcalc.algebra.terms import Access, Delta, Index, Lookup, Slot
from indexcalc.codegen.lookups import by_samples, place_of, target_of
from indexcalc.codegen.operands import Axes, Operand, Scope, arranged, slot_node, transposed
from indexcalc.codegen.scalars import scalar_node
from indexcalc.codegen.source import Atom, Call, Node, flat
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.codegen.views import are_apart, window_axes


def moving_node(statement: Statement, scope: Scope) -> Node:
    """The array of a statement whose entries change their places."""
    return moved_node(statement, scope) if statement.kind is Kind.SCATTER else window_node(statement, scope)


def source_of(statement: Statement) -> Access:
    """The entry whose places are changed."""
    base = statement.terms[0].bases[0]
    assert isinstance(base, Access)
    return base


def window_node(statement: Statement, scope: Scope) -> Node:
    """The array of an entry under the indices of its slots; zero, or the nearest entry, where it lies outside."""
    entry = source_of(statement)
    axes = window_axes(entry)
    whole = Atom(scope.tensors[entry.tensor])
    if statement.kind is Kind.NEAREST:
        node: Node = Call("_nearest", (whole, *(slot_node(slot, axes, scope) for slot in entry.slots)))
    elif not are_apart(entry.slots):
        node = Call("_entries", (whole, *(slot_node(slot, axes, scope) for slot in entry.slots)))
    else:
        node = walked(entry.slots, whole, scope)
    return transposed(Operand(node, axes), statement.axes).node


def walked(slots: tuple[Slot, ...], node: Node, scope: Scope) -> Node:
    """What slots look up is taken first; then the axis of a slot becomes one for each index of its expression."""
    for axis in range(len(slots) - 1, -1, -1):
        slot = slots[axis]
        if isinstance(slot, Lookup):
            node = Call("_looked_up", (node, Atom(str(axis)), Atom(scope.tensors[slot.tensor])))
    along: list[Atom] = []
    axis = 0
    for slot in slots:
        if not isinstance(slot, Index | Lookup):
            steps = [f"({number(coeff, scope)}, {number(atom.extent, scope)})" for atom, coeff in parts_of_slot(slot)]
            along.append(Atom(f"({', '.join([str(axis), number(constant_of(slot), scope), *steps])})"))
        axis += len(slot.slots) if isinstance(slot, Lookup) else 1
    return Call("_windows", (node, *along)) if along else node


def number(value: sp.Expr, scope: Scope) -> str:
    """A whole number or an extent as Python source."""
    return flat(scalar_node(value, scope.scalars))


def moved_node(statement: Statement, scope: Scope) -> Node:
    """Parts added up where deltas move them, one axis of the result after the other; or the largest of them."""
    (term,) = statement.terms
    (parts, _), *deltas = term.powers
    assert isinstance(parts, Access)
    targets = {target_of(delta, statement.axes): delta for delta, _ in deltas if isinstance(delta, Delta)}
    known = {axis: targets[axis] for axis in statement.axes if axis in targets}
    groups = by_samples(tuple(known), known)
    axes: list[Index] = []
    for axis in statement.axes:
        if axis not in known:
            axes.append(axis)
        elif any(group[0] == axis for group in groups):
            axes += indices_of_slot(place_of(known[axis], axis))
    node: Node = transposed(Operand(Atom(scope.tensors[parts.tensor]), parts.indices), tuple(axes)).node
    for group in groups:
        node = added_up(node, statement, [(axis, place_of(known[axis], axis)) for axis in group], scope)
    return node


def added_up(node: Node, statement: Statement, places: Sequence[tuple[Index, Slot]], scope: Scope) -> Node:
    """The axes that places read summed into one axis for each place; or the largest along them."""
    axis = Atom(str(statement.axes.index(places[0][0])))
    lengths = [number(target.extent, scope) for target, _ in places]
    slots = [place for _, place in places]
    if not lookups_of_slot(slots[0]):
        steps = (Atom(number(coeff, scope)) for _, coeff in parts_of_slot(slots[0]))
        start = Atom(number(constant_of(slots[0]), scope))
        return Call("_folded", (node, axis, Atom(lengths[0]), start, *steps))
    inner: Axes = arranged(indices_of_slot(slots[0]), indices_of_slot(slots[0]))
    function = "_largest_at" if statement.word == "max" else "_summed_at"
    nodes = [slot_node(slot, inner, scope) for slot in slots]
    if len(places) == 1:
        return Call(function, (node, axis, nodes[0], Atom(lengths[0])))
    pairs = (Atom(f"({flat(one)}, {length})") for one, length in zip(nodes, lengths, strict=True))
    whole = Atom(number(sp.Mul(*(target.extent for target, _ in places)), scope))
    total = Call(function, (node, axis, Call("_joined", tuple(pairs)), whole))
    return Call("_parted", (total, axis, *map(Atom, lengths)))
