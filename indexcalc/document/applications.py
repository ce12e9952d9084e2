"""Functions that a document defines, ``f(x) = ...``: their values and derivatives at an argument.

The argument stands for the parameter while the formula is read, so that one definition serves numbers and arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice

from indexcalc.document.meaning.nodes import Entry, put_in, renamed, walk
from indexcalc.document.meaning.slopes import refreshed, slope
from indexcalc.document.meaning.symbols import BoundError, NotUnderstoodError, all_read, depends_on
from indexcalc.document.meaning.typed import Typed, at
from indexcalc.document.table import Table

APPLICATIONS = 400
"""The most values of functions that are put into one relation."""

PARTS = 5_000
"""The most parts of one of them."""


def again(table: Table, value: Typed) -> Typed:
    """The same expression over axes and dummies of its own."""
    axes = tuple(table.sizes.like(axis) for axis in value.axes)
    node = renamed(value.node, dict(zip(value.axes, axes, strict=True)))
    return replace(value, node=refreshed(node, table.sizes), axes=axes)


def value_at(table: Table, number: int, arguments: Sequence[Typed]) -> Typed:
    """The value of the function that a statement defines."""
    head = table.page.function_heads[number]
    if len(arguments) != len(head.parameters):
        raise NotUnderstoodError(f"{head.name} of {len(arguments)} arguments")
    if head.of_entry and not arguments[0].axes:
        return at_entry(table, number, arguments[0])
    table.used.add(number)
    table.applied += 1
    if table.applied > APPLICATIONS:
        raise BoundError(f"more than {APPLICATIONS} functions put in")
    slots, node = table.formula(head.name, number, dict(zip(head.parameters, arguments, strict=True)))
    if sum(1 for _ in islice(walk(node), PARTS + 1)) > PARTS:
        raise BoundError(f"a function of more than {PARTS} parts")
    formula = table.page.statements[number].sides[1].tree
    assert formula is not None
    written = {found.name for found in table.page.survey.names(formula)}
    for parameter, argument in zip(head.parameters, arguments, strict=True):
        if isinstance(argument.node, Entry) and argument.node.name == parameter:
            continue
        hidden = any(
            depends_on(table.definitions, name, parameter) for name in all_read(table.definitions, node) - {parameter}
        )
        if hidden or parameter not in written:
            raise NotUnderstoodError(f"{head.name} depends on {parameter} through another name, or does not")
    return Typed(node, slots)


def at_entry(table: Table, number: int, argument: Typed) -> Typed:
    """The value of a function of an entry that reads the others, ``f(x_{ni})``: those that differ in the last index."""
    node = argument.node
    if not isinstance(node, Entry) or not node.slots:
        raise NotUnderstoodError("a function of an array at what is no entry of one")
    axis = table.sizes.like(node.slots[-1])
    row = Typed(Entry(node.name, (*node.slots[:-1], axis)), (axis,))
    return at(value_at(table, number, [row]), (node.slots[-1],), table.sizes)


def derivative_at(table: Table, function: Callable[[Typed], Typed], argument: Typed, order: int) -> Typed:
    """The derivative of a function of one number, at a number or at each entry of an array."""
    variable = Entry("the argument of a function")
    value = function(Typed(variable))
    if value.axes:
        raise NotUnderstoodError("the derivative of a function whose value is an array")
    node = value.node
    for _ in range(order):
        node = slope(node, variable, table.sizes, lambda entry: None)
    return replace(argument, node=refreshed(put_in(node, variable, argument.node), table.sizes))
