"""Loops over steps as lines: arrays or lists for what is computed, and the statements of one step.

A library that differentiates no array that is written into gets a list along the steps, which becomes an array
behind the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from indexcalc.algebra.slots import constant_of
from indexcalc.algebra.terms import Access, Delta, Iverson, tensors_of, walk
from indexcalc.codegen.dialect import spelled
from indexcalc.codegen.formula import formula
from indexcalc.codegen.layout import INDENT, WIDTH, call_or_wrap, numbered
from indexcalc.codegen.names import unused
from indexcalc.codegen.operands import Scope
from indexcalc.codegen.plan import shape_of
from indexcalc.codegen.prose import comment
from indexcalc.codegen.scalars import scalar_node
from indexcalc.codegen.source import Atom, Binary, Call, Method, Node, flat
from indexcalc.codegen.statements import Loop, Statement


def names_at_steps(statements: Sequence[Statement], scope: Scope) -> list[Scope]:
    """For each statement the names that it may use: inside a loop, arrays at a step are entries of lists."""
    lists = {loop: lists_of(loop, statements, scope) for loop in (s.loop for s in statements) if loop is not None}
    return [scope if s.loop is None or not lists[s.loop] else with_lists(scope, lists[s.loop]) for s in statements]


def lists_of(loop: Loop, statements: Sequence[Statement], scope: Scope) -> Mapping[str, int]:
    """The tensors of a loop that are lists in it, with the axis of the step; none if one of them is read as a whole."""
    axes = {name: axis for name, _, axis in loop.arrays}
    if not scope.dialect.stack:
        return {}
    inside = [statement for statement in statements if statement.loop == loop]
    read = {base.tensor for one in inside for base in walk(one.content) if isinstance(base, Access)}
    at_steps = [scope.entries[name] for name in read & scope.entries.keys()]
    whole = [entry for entry in at_steps if entry.tensor in axes and entry.parts[axes[entry.tensor]] == ":"]
    return {} if whole or read & axes.keys() else axes


def with_lists(scope: Scope, lists: Mapping[str, int]) -> Scope:
    """The names where some tensors are lists along one axis."""
    entries = {
        name: entry.in_list(scope.tensors[entry.tensor], lists[entry.tensor])
        for name, entry in scope.entries.items()
        if entry.tensor in lists
    }
    return replace(scope, tensors={**scope.tensors, **entries}, lists=lists)


def loop_lines(
    group: Sequence[tuple[Statement, Node]], scope: Scope, taken: set[str], depth: int, later: Collection[str]
) -> list[str]:
    """A loop over steps: the arrays, zero where no step assigns anything, then the statements of one step.

    Where arrays can't be assigned to, a step is a function of them, and what it gives are new ones.

    Args:
        group: the statements of a step, with their values.
        scope: the names that they may use.
        taken: the names in use.
        depth: of the indentation.
        later: the tensors that are read behind the loop.
    """
    loop = group[0][0].loop
    assert loop is not None
    lines, behind = list[str](), list[str]()
    for name, axes, axis in loop.arrays:
        zeros: Node = Call("np.zeros", (shape_of(axes, scope),), (f"dtype={scope.dtype}",))
        if name in scope.lists:
            zeros = Call("list", (Method(zeros, "unbind", (str(axis),)),))
            if name in later:
                behind.append(f"{scope.tensors[name]} = {scope.dialect.stack}({scope.tensors[name]}, {axis})")
        lines += numbered(scope.tensors[name], spelled(zeros, scope.dialect, scope.dtype), taken, depth)
    count, variable = flat(scalar_node(loop.extent, scope.scalars)), scope.scalars[loop.symbol]
    inside: list[str] = []
    before: Statement | None = None
    for statement, node in group:
        goes_on = before is not None and not holds_steps(before) and before.conditions == statement.conditions
        inside += step_lines(statement, node, scope, taken, depth + 1, goes_on=goes_on)
        before = statement
    if not scope.dialect.loop:
        steps = f"range({count})" if loop.direction > 0 else f"reversed(range({count}))"
        return [*lines, f"for {variable} in {steps}:", *inside, *behind]
    arrays = ", ".join(scope.tensors[name] for name, _, _ in loop.arrays)
    state = f"({arrays},)" if len(loop.arrays) == 1 else arrays
    passed = state if len(loop.arrays) == 1 else f"({arrays})"
    number, given = (unused(word, {*taken, variable}) for word in ("number", "arrays"))
    function = unused("step", taken)
    last = f"{count} - 1 - {number}" if loop.direction < 0 else number
    outer = (f"{state} = {scope.dialect.loop}(", f"    0, {count}, {function}, {passed}", f"    return {state}")
    if any(len(line) + INDENT * depth > WIDTH for line in (*outer, f"    {state} = {given}")):
        # One name a line, and the call with one tuple.
        start = unused("start", taken)
        names = [f"    {scope.tensors[name]}," for name, _, _ in loop.arrays]
        deeper = [f"    {name}" for name in names]
        return [
            *lines,
            "",
            f"def {function}({number}, {given}):",
            *("    (", *deeper, f"    ) = {given}"),
            f"    {variable} = {last}",
            *inside,
            *("    return (", *deeper, "    )"),
            "",
            *(f"{start} = (", *names, ")"),
            *("(", *names, f") = {scope.dialect.loop}(0, {count}, {function}, {start})"),
        ]
    return [
        *lines,
        "",
        f"def {function}({number}, {given}):",
        f"    {state} = {given}",
        f"    {variable} = {last}",
        *inside,
        f"    return {state}",
        "",
        *call_or_wrap(f"{state} = {scope.dialect.loop}", ("0", count, function, passed), depth),
    ]


def holds_steps(statement: Statement) -> bool:
    """Whether what a part of a loop assigns is an array of all steps, and not of the step alone."""
    assert statement.loop is not None
    return any(name == statement.name for name, _, _ in statement.loop.arrays)


def step_lines(
    statement: Statement, node: Node, scope: Scope, taken: set[str], depth: int, *, goes_on: bool = False
) -> list[str]:
    """One statement at one step, under its conditions, unless it goes on under those of the statement before."""
    loop = statement.loop
    assert loop is not None
    array = scope.tensors[statement.name]
    conditions = [condition_text(one, scope) for one in statement.conditions]
    if not holds_steps(statement):
        # Traced code works it out at each step, whether anything reads it or not.
        inner = 1 + bool(conditions and not scope.dialect.loop)
        code = numbered(array, spelled(node, scope.dialect, scope.dtype), taken, depth + inner - 1)
        lines = [*comment(statement.note or formula(statement, scope.layouts), depth + inner - 1), *code]
        opening = [f"    if {' and '.join(conditions)}:"] if inner > 1 and not goes_on else []
        return [*opening, *("    " * inner + line for line in lines)]
    axis = next(axis for name, _, axis in loop.arrays if name == statement.name)
    at = ", ".join([":"] * (0 if scope.lists else axis) + [scope.scalars[loop.symbol]])
    target = f"{array}[{at}]"
    goes_on = goes_on and bool(conditions) and not scope.dialect.loop
    margin = "    " * (1 + goes_on)
    lines = [margin + line for line in comment(statement.note, depth + goes_on)] if statement.note else []
    if scope.dialect.loop:
        if conditions:
            holds = conditions[0] if len(conditions) == 1 else " & ".join(f"({one})" for one in conditions)
            other = "0.0" if statement.adds else target
            node = Call("np.where", (Atom(holds), node, Atom(other)))
        method, node = "add" if statement.adds else "set", spelled(node, scope.dialect, scope.dtype)
        code = numbered(array, Call(f"{array}.at[{at}].{method}", (node,)), taken, depth)
        return [*lines, *("    " + line for line in code)]
    inner = 1
    if conditions:
        lines += [] if goes_on else [f"    if {' and '.join(conditions)}:"]
        inner += 1
    silenced = scope.dialect.silenced if statement.may_overflow else ""
    if silenced:
        lines.append("    " * inner + silenced)
        inner += 1
    if scope.lists and (statement.adds or not tensors_of(statement.terms)):
        # A new array, for what stands there may be a view; and a number added to zeros is an array.
        node = Binary("+", Atom(target), node)
    adds = statement.adds and not scope.lists
    code = added(target, spelled(node, scope.dialect, scope.dtype), taken, depth + inner - 1, adds=adds)
    return [*lines, *("    " * inner + line for line in code)]


def added(target: str, node: Node, taken: set[str], depth: int, *, adds: bool) -> list[str]:
    """``target = node``, or ``target += node`` where it `adds`."""
    code = numbered(f"{target}{' +' * adds}", node, taken, depth)
    head = f"{target} + = "
    return [line.replace(head, f"{target} += ", 1) if line.startswith(head) else line for line in code]


@dataclass(frozen=True)
class LoopWriter:
    """How loops are written: the names that each statement may use, and the lines of one loop."""

    scopes: Callable[[Sequence[Statement], Scope], list[Scope]]
    lines: Callable[[Sequence[tuple[Statement, Node]], Scope, set[str], int, Collection[str]], list[str]]


WHOLE = LoopWriter(names_at_steps, loop_lines)
"""All steps, one after the other."""


def condition_text(guard: Delta | Iverson, scope: Scope) -> str:
    """A bracket on the step as a comparison."""
    left, right = (flat(scalar_node(constant_of(side), scope.scalars)) for side in (guard.left, guard.right))
    return f"{left} {'==' if isinstance(guard, Delta) else guard.relation} {right}"
