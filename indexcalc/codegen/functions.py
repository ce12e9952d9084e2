"""Statements → the body of a function: extents read off shapes, a comment and an assignment for each statement."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from indexcalc.algebra.terms import Base, tensors_of
from indexcalc.codegen.dialect import spelled
from indexcalc.codegen.factors import where
from indexcalc.codegen.formula import REDUCTIONS, formula
from indexcalc.codegen.layout import numbered
from indexcalc.codegen.names import unused
from indexcalc.codegen.operands import Axes, Operand, Scope, aligned, common_axes, reduced
from indexcalc.codegen.plan import base_operand, shape_of, spread, terms_node, terms_operand
from indexcalc.codegen.prose import comment
from indexcalc.codegen.shared import masks_in, with_masks_named
from indexcalc.codegen.source import Atom, Binary, Call, Node, flat, is_number
from indexcalc.codegen.statements import Kind, Statement
from indexcalc.codegen.steps import WHOLE, LoopWriter
from indexcalc.codegen.systems import SOLVED
from indexcalc.codegen.windows import moving_node


def pass_lines(
    statements: Sequence[Statement],
    scope: Scope,
    taken: set[str],
    depth: int = 1,
    *,
    results: Collection[str] = (),
    writer: LoopWriter = WHOLE,
) -> list[list[str]]:
    """The lines of every statement; masks that occur twice are built once, before their first use.

    Args:
        statements: of one pass, in order.
        scope: the names that they may use.
        taken: the names in use; those of masks and of parts of long expressions join, so that none is bound twice.
        depth: of the indentation at which they will stand.
        results: the tensors that are read behind them.
        writer: how loops are written.
    """
    scopes = writer.scopes(statements, scope)
    nodes = [statement_node(statement, own) for statement, own in zip(statements, scopes, strict=True)]
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
            later = {*results, *names_read(statements[number + 1 :], scope)}
            lines.append(writer.lines(inside, scopes[number], taken, depth, later) if ends else [])
            inside = [] if ends else inside
            continue
        new = [text for text in dict.fromkeys(map(flat, masks_in(node))) if text in names and text not in built]
        built.update(new)
        code = statement_lines(statement, with_masks_named(node, names), scope, taken, depth)
        lines.append([*(f"{names[text]} = {words[text]}" for text in new), *code])
    return lines


def names_read(statements: Sequence[Statement], scope: Scope) -> Iterator[str]:
    """The tensors that statements read, whole or at a step."""
    for statement in statements:
        for name in (*statement.reads, *(name for inner in statement.inside for name in inner.reads)):
            yield scope.entries[name].tensor if name in scope.entries else name


def statement_lines(statement: Statement, node: Node, scope: Scope, taken: set[str], depth: int = 1) -> list[str]:
    """The comment with the index formula, and the assignment in code; names of its parts join those that are taken."""
    alone = not statement.axes and not tensors_of(statement.terms) and not statement.inside
    # Elsewhere numbers are no arrays; in NumPy the exponential of one has a dtype of its own.
    if alone and (scope.dialect.prefix or statement.kind is Kind.LARGEST):
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


def statement_node(statement: Statement, scope: Scope) -> Node:
    """The right-hand side in NumPy."""
    if statement.kind is Kind.ASSIGN:
        return terms_node(statement.terms, statement.axes, scope)
    if statement.kind is Kind.LARGEST:
        return largest_node(statement, scope)
    if statement.kind in SOLVED:
        return SOLVED[statement.kind](statement, scope)
    if statement.kind is Kind.ROOT:
        zeros = Call("np.zeros", (shape_of(statement.axes, scope),), (f"dtype={scope.dtype}",))
        return Call("_root", (Atom(STEP), zeros))
    if statement.moves:
        return moving_node(statement, scope)
    order = (*statement.axes, *statement.over)
    value = terms_operand(statement.terms, order, scope)
    if statement.kind is Kind.HIDDEN:
        if not tensors_of(statement.terms):
            # Two numbers to choose from say nothing of the dtype, and PyTorch chooses in single precision.
            value = Operand(Call("np.asarray", (value.node,), (f"dtype={scope.dtype}",)), value.axes)
        value = nonzero(statement.weights, value, order, scope)
        result = where(list(statement.masks), value, order, scope, "-np.inf")
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
