"""Statements → the body of a function: extents read off shapes, a comment and an assignment for each statement."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain, count, islice

from indexcalc.algebra.slots import constant_of, slot_text
from indexcalc.algebra.terms import Access, Base, Delta, Iverson, tensors_of
from indexcalc.codegen.dialect import spelled
from indexcalc.codegen.factors import where
from indexcalc.codegen.formula import Layouts, base_text, equation_text, terms_text
from indexcalc.codegen.layout import INDENT, WIDTH, assignment
from indexcalc.codegen.names import unused
from indexcalc.codegen.operands import Axes, Operand, Scope, aligned, as_numbers, common_axes, reduced
from indexcalc.codegen.plan import base_operand, shape_of, spread, terms_node, terms_operand
from indexcalc.codegen.prose import comment
from indexcalc.codegen.scalars import scalar_node
from indexcalc.codegen.shared import masks_in, with_masks_named
from indexcalc.codegen.source import Atom, Binary, Call, Node, flat, is_number
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.codegen.systems import solved_node
from indexcalc.codegen.windows import moving_node

REDUCTIONS = {Kind.MAXIMUM: "max", Kind.MINIMUM: "min"}


def pass_lines(statements: Sequence[Statement], scope: Scope, taken: set[str], depth: int = 1) -> list[list[str]]:
    """The lines of every statement; masks that occur twice are built once, before their first use.

    Args:
        statements: of one pass, in order.
        scope: the names that they may use.
        taken: the names in use; those of masks and of parts of long expressions join, so that none is bound twice.
        depth: of the indentation at which they will stand.
    """
    nodes = [statement_node(statement, scope) for statement in statements]
    # A mask inside a loop is another one at each step.
    masks = [mask for s, node in zip(statements, nodes, strict=True) if s.loop is None for mask in masks_in(node)]
    used = [flat(mask) for mask in masks]
    words = {flat(mask): flat(spelled(mask, scope.dialect, scope.dtype)) for mask in masks}
    names: dict[str, str] = {}
    for text in dict.fromkeys(used):
        if used.count(text) > 1:
            names[text] = unused("mask", taken)
    lines, built = [], set[str]()
    inside: list[tuple[Statement, Node]] = []
    for number, (statement, node) in enumerate(zip(statements, nodes, strict=True)):
        if statement.loop is not None:
            # The whole loop stands where its last statement does.
            inside.append((statement, node))
            ends = number + 1 == len(statements) or statements[number + 1].loop != statement.loop
            lines.append(loop_lines(inside, scope, taken, depth) if ends else [])
            inside = [] if ends else inside
            continue
        new = [text for text in dict.fromkeys(map(flat, masks_in(node))) if text in names and text not in built]
        built.update(new)
        code = statement_lines(statement, with_masks_named(node, names), scope, taken, depth)
        lines.append([*(f"{names[text]} = {words[text]}" for text in new), *code])
    return lines


def loop_lines(group: Sequence[tuple[Statement, Node]], scope: Scope, taken: set[str], depth: int) -> list[str]:
    """A loop over steps: the arrays, zero where no step assigns anything, then the statements of one step.

    Where arrays can't be assigned to, a step is a function of them, and what it gives are new ones.
    """
    loop = group[0][0].loop
    assert loop is not None
    lines = []
    for name, axes, _ in loop.arrays:
        zeros = Call("np.zeros", (shape_of(axes, scope),), (f"dtype={scope.dtype}",))
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
        return [*lines, f"for {variable} in {steps}:", *inside]
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
        opens = [f"    if {' and '.join(conditions)}:"] if inner > 1 and not goes_on else []
        return [*opens, *("    " * inner + line for line in lines)]
    axis = next(axis for name, _, axis in loop.arrays if name == statement.name)
    at = ", ".join([":"] * axis + [scope.scalars[loop.symbol]])
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
    sign = " +" if statement.adds else ""
    code = numbered(f"{target}{sign}", spelled(node, scope.dialect, scope.dtype), taken, depth + inner - 1)
    head = f"{target} + = "
    code = [line.replace(head, f"{target} += ", 1) if line.startswith(head) else line for line in code]
    return [*lines, *("    " * inner + line for line in code)]


def condition_text(guard: Delta | Iverson, scope: Scope) -> str:
    """A bracket on the step as a comparison."""
    left, right = (flat(scalar_node(constant_of(side), scope.scalars)) for side in (guard.left, guard.right))
    return f"{left} {'==' if isinstance(guard, Delta) else guard.relation} {right}"


def statement_lines(statement: Statement, node: Node, scope: Scope, taken: set[str], depth: int = 1) -> list[str]:
    """The comment with the index formula, and the assignment in code; names of its parts join those that are taken."""
    if scope.dialect.prefix and not statement.axes and not tensors_of(statement.terms) and not statement.inside:
        node = Call("np.asarray", (node,), (f"dtype={scope.dtype}",))
    target = scope.tensors[statement.name]
    lines = comment(statement.note or formula(statement, scope.layouts), depth)
    if statement.kind is Kind.ROOT:
        return ["", *lines, *root_lines(statement, node, scope, taken, depth)]
    silenced = scope.dialect.silenced if statement.may_overflow else ""
    code = numbered(target, spelled(node, scope.dialect, scope.dtype), taken, depth + bool(silenced))
    if silenced:
        return [*lines, silenced, *(f"    {line}" for line in code)]
    return [*lines, *code]


STEP = "newton"
"""What the function is called that computes a residual, and a step towards a root."""


def root_lines(statement: Statement, node: Node, scope: Scope, taken: set[str], depth: int) -> list[str]:
    """A function that computes a step of Newton's method, and the root that is found by it."""
    target, array = scope.tensors[statement.name], scope.dialect.array
    function = unused(STEP, taken)
    assert isinstance(node, Call)
    node = Call(node.function, (Atom(function), *node.arguments[1:]))
    inside = pass_lines(statement.inside, scope, set(taken), depth + 1)
    residual, step = (scope.tensors[name] for name in (statement.residual, statement.inside[-1].name))
    return [
        f"def {function}({target}: {array}) -> tuple[{array}, {array}]:",
        f'    """The residual of the system at `{target}`, and the step of Newton\'s method."""',
        *(f"    {line}" for lines in inside for line in lines),
        f"    return {residual}, {step}",
        "",
        *numbered(target, spelled(node, scope.dialect, scope.dtype), taken, depth),
    ]


ROUNDS = 4
"""How often parts are put in order: a longer name may break a line elsewhere, and so change the order."""


def numbered(target: str, node: Node, taken: set[str], depth: int) -> list[str]:
    """The assignment; the parts that it is split into are called `part`, `part_2` and so on in reading order."""
    places: list[int] = []
    for _ in range(ROUNDS):
        fresh = part_names(taken)
        first = list(islice(fresh, len(places)))
        given = [first[place] for place in places]
        lines = assignment(target, node, recorded(given, fresh), depth)
        read = [name for line in lines if (name := line.partition(" = ")[0]) in given]
        if read == list(islice(part_names(taken), len(read))):
            break
        places = [read.index(name) for name in given if name in read]
    taken.update(read)
    return lines


def part_names(taken: Collection[str]) -> Iterator[str]:
    """Names for parts, none of them taken: some formulas have thousands."""
    names = chain(("part",), (f"part_{number}" for number in count(2)))
    yield from (name for name in names if name not in taken)


def recorded(given: list[str], fresh: Iterator[str]) -> Iterator[str]:
    """The names that are given, then fresh ones, which join them."""
    yield from tuple(given)
    for name in fresh:
        given.append(name)
        yield name


def formula(statement: Statement, layouts: Layouts) -> str:
    """The statement in the notation of a spec."""
    lhs = Access(statement.name, statement.axes)
    if statement.kind is Kind.ASSIGN or statement.moves:
        return equation_text(lhs, statement.terms, layouts)
    left, value = equation_text(lhs, (), layouts)[:-1], terms_text(statement.terms, layouts)
    if statement.kind is Kind.HIDDEN:
        conditions = [f"{slot_text(m.left)} {relation(m)} {slot_text(m.right)}" for m in statement.masks]
        conditions += [f"{base_text(weight, layouts)} != 0" for weight in statement.weights]
        condition = " and ".join(conditions)
        return f"{left}{value} where {condition}, else -inf"
    if statement.kind is Kind.LARGEST:
        return f"{left}max({', '.join(terms_text((term,), layouts) for term in statement.terms)})"
    return f"{left}{REDUCTIONS[statement.kind]}[{','.join(index.name for index in statement.over)}]({value})"


def relation(mask: object) -> str:
    """The relation of a bracket; a delta is an equality."""
    return getattr(mask, "relation", "=")


def statement_node(statement: Statement, scope: Scope) -> Node:
    """The right-hand side in NumPy."""
    if statement.kind is Kind.ASSIGN:
        return terms_node(statement.terms, statement.axes, scope)
    if statement.kind is Kind.LARGEST:
        return largest_node(statement, scope)
    if statement.kind is Kind.SOLVE:
        return solved_node(statement, scope)
    if statement.kind is Kind.ROOT:
        zeros = Call("np.zeros", (shape_of(statement.axes, scope),), (f"dtype={scope.dtype}",))
        return Call("_root", (Atom(STEP), zeros))
    if statement.moves:
        return moving_node(statement, scope)
    order = (*statement.axes, *statement.over)
    value = terms_operand(statement.terms, order, scope)
    if statement.kind is Kind.HIDDEN:
        value = nonzero(statement.weights, value, order, scope)
        result = where(list(statement.masks), value, order, scope, "-np.inf")
        if not tensors_of(statement.terms):
            # Two numbers to choose from say nothing of the dtype.
            result = as_numbers(result, scope)
    else:
        result = reduced(value, statement.over, REDUCTIONS[statement.kind])
    # What varied along an axis may have cancelled there.
    return spread(result, statement.axes, scope)


def largest_node(statement: Statement, scope: Scope) -> Node:
    """The largest of several arrays, entry by entry; numbers come last."""
    terms = sorted(statement.terms, key=lambda term: not tensors_of(term))
    operands = [terms_operand((term,), statement.axes, scope) for term in terms]
    operands.sort(key=lambda operand: not operand.axes)
    numbers = [operand for operand in operands if is_number(operand.node)]
    largest = max(numbers, key=lambda operand: float(flat(operand.node)), default=None)
    # Two numbers are no arrays, which array libraries compare.
    operands = [operand for operand in operands if operand not in numbers or operand is largest]
    axes = common_axes(operands, statement.axes)
    node = aligned(operands[0], axes)
    # Of numbers alone the largest is a number, which array libraries compare with nothing.
    alone = not axes and not any(map(tensors_of, terms))
    for operand in operands[1:]:
        found = Call("np.maximum", (node, aligned(operand, axes)))
        node = Call("float", (found,)) if alone else found
    return spread(Operand(node, axes), statement.axes, scope)


def nonzero(weights: Sequence[Base], value: Operand, order: Axes, scope: Scope) -> Operand:
    """The value where every weight differs from zero, minus infinity elsewhere."""
    for weight in weights:
        factor = base_operand(weight, order, scope)
        axes = common_axes([value, factor], order)
        differs = Binary("!=", aligned(factor, axes), Atom("0.0"))
        value = Operand(Call("np.where", (differs, aligned(value, axes), Atom("-np.inf"))), axes)
    return value


def call_or_wrap(function: str, arguments: Sequence[str], depth: int = 1) -> list[str]:
    """``function(arguments)`` on one line if it fits, else the arguments on a line of their own, or one each."""
    joined = ", ".join(arguments)
    if len(f"{function}({joined})") + depth * INDENT <= WIDTH:
        return [f"{function}({joined})"]
    if len(joined) + (depth + 1) * INDENT <= WIDTH:
        return [f"{function}(", f"    {joined}", ")"]
    return [f"{function}(", *(f"    {argument}," for argument in arguments), ")"]


def head(name: str, arguments: list[str], result: str, depth: int = 0) -> str:
    """``def name(arguments) -> result:``, over several lines if need be."""
    line = f"def {name}({', '.join(arguments)}) -> {result}:"
    width = WIDTH - depth * INDENT
    if len(line) <= width:
        return line
    joined = ", ".join(arguments)
    inner = [f"    {joined}"] if len(joined) + INDENT <= width else [f"    {argument}," for argument in arguments]
    return "\n".join([f"def {name}(", *inner, f") -> {result}:"])
