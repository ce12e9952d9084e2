"""Entries under expressions as calls: windows over an array, lookups, and the sums that are their adjoints."""

from __future__ import annotations

import sympy as sp

from indexcalc.algebra.slots import constant_of, indices_of_slot, lookups_of_slot, parts_of_slot
from indexcalc.algebra.terms import Access, Delta, Index, Lookup, Slot
from indexcalc.codegen.lookups import place_of, target_of
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
    axes: list[Index] = []
    for axis in statement.axes:
        axes += indices_of_slot(place_of(targets[axis], axis)) if axis in targets else (axis,)
    node: Node = transposed(Operand(Atom(scope.tensors[parts.tensor]), parts.indices), tuple(axes)).node
    for delta, _ in deltas:
        assert isinstance(delta, Delta)
        node = added_up(node, statement, delta, scope)
    return node


def added_up(node: Node, statement: Statement, delta: Delta, scope: Scope) -> Node:
    """The axes that a place reads summed into one axis; or the largest along them."""
    target = target_of(delta, statement.axes)
    assert target is not None
    axis, place = statement.axes.index(target), place_of(delta, target)
    length = Atom(number(target.extent, scope))
    if not lookups_of_slot(place):
        steps = (Atom(number(coeff, scope)) for _, coeff in parts_of_slot(place))
        start = Atom(number(constant_of(place), scope))
        return Call("_folded", (node, Atom(str(axis)), length, start, *steps))
    inner: Axes = indices_of_slot(place)
    function = "_largest_at" if statement.word == "max" else "_summed_at"
    return Call(function, (node, Atom(str(axis)), slot_node(place, arranged(inner, inner), scope), length))
