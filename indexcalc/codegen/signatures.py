"""The two functions of a module: head, docstring, and the body between what is read and what is returned."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from indexcalc.algebra.terms import Access, Delta, Index, Iverson, tensors_of
from indexcalc.codegen.identifiers import identifiers
from indexcalc.codegen.layout import WIDTH, call_or_wrap, head
from indexcalc.codegen.outline import Plan, backward_scope, forward_scope, gradient_variables
from indexcalc.codegen.parts import result_values, returned
from indexcalc.codegen.prose import default_text, paragraph, plain, shape_text
from indexcalc.codegen.rendered import Function
from indexcalc.codegen.shapes import input_check, upstream_check
from indexcalc.codegen.statements import Kind
from indexcalc.codegen.storage import Array, extent_lines, sources_of, with_divisors
from indexcalc.program import Program

EMPTY_ROW = "A row of {name} that is masked throughout gives NaN."


def forward_function(plan: Plan, body: list[str], read: list[sp.Symbol]) -> Function:
    """``forward(inputs, *, parameters) -> Values``."""
    arrays = [plan.array(tensor.name) for tensor in plan.program.inputs]
    scalars = forward_scalars(plan, body, read)
    arguments, lines = arguments_of(plan, scalars)
    results = [plan.stored[name] for name in plan.kept] + [plan.scalars[symbol] for symbol in read]
    extents = extent_lines(wanted_extents(plan, body), arrays, plan.unread, forward_scope(plan))
    block = [*extents, *body, *call_or_wrap("return Values", results)]
    first = head("forward", arguments, "Values")
    notes, checks = tuple(empty_row_lines(plan)), tuple(input_check(plan, scalars))
    return Function(first, "Forward pass.", tuple(lines), tuple(block), notes, checks=checks)


def forward_scalars(plan: Plan, body: list[str], read: list[sp.Symbol]) -> tuple[sp.Symbol, ...]:
    """The keyword arguments of the forward pass: extents that no shape shows, parameters, those with a default last."""
    wanted = wanted_extents(plan, body)
    unread = [extent for extent in plan.unread if extent in wanted or extent in read]
    parameters = sorted(plan.program.parameters, key=lambda p: p.default is not None)
    return (*unread, *(parameter.symbol for parameter in parameters))


def arguments_of(plan: Plan, scalars: Sequence[sp.Symbol]) -> tuple[list[str], list[str]]:
    """The inputs and keyword arguments of the forward pass, and the lines that say what they are."""
    inputs = plan.program.inputs
    arguments = [f"{plan.stored[tensor.name]}: {plan.dialect.array}" for tensor in inputs]
    lines = [line for tensor in inputs for line in tensor_line(plan, tensor.name, tensor.doc)]
    parameters = {parameter.symbol: parameter for parameter in plan.program.parameters}
    keywords = []
    for symbol in scalars:
        name, parameter = plan.scalars[symbol], parameters.get(symbol)
        if parameter is None:
            keywords.append(f"{name}: int")
            lines += paragraph(f"{name}: extent, no input shows it.", 2)
            continue
        default = "" if parameter.default is None else f" = {default_text(parameter.default)}"
        keywords.append(f"{name}: float{default}")
        lines += paragraph(f"{name}: {sentence(parameter.doc or 'a constant')}", 2)
    return [*arguments, *(["*", *keywords] if keywords else [])], lines


def empty_row_lines(plan: Plan) -> list[str]:
    """What a softmax of nothing gives: said where brackets or an added input can hide a whole row."""
    hidden = {s.name: s.terms for s in plan.forward if s.kind is Kind.HIDDEN and any(map(can_hide_all, s.masks))}
    rows = []
    for statement in plan.forward:
        if statement.kind is Kind.MAXIMUM and len(statement.terms) == 1:
            names = tensors_of(statement.terms)
            rows += [tensors_of(hidden[name])[0] for name in names if name in hidden and tensors_of(hidden[name])]
            rows += [name for name in names if adds_an_input(plan.program, name)]
    return [line for name in dict.fromkeys(rows) for line in paragraph(EMPTY_ROW.format(name=name), 2)]


def can_hide_all(mask: Delta | Iverson) -> bool:
    """Whether a bracket may be zero along a whole row: ``[j <= i]`` never is at j = i."""
    if not isinstance(mask, Iverson):
        return False
    left, right = mask.left, mask.right
    if not (isinstance(left, Index) and isinstance(right, Index)):
        return True
    return bool(mask.relation != "<=" or left.extent != right.extent)


def adds_an_input(program: Program, name: str) -> bool:
    """Whether a tensor is a sum to which an input with several slots is added as it is, as additive masks are."""
    equation = program.definitions.get(name)
    inputs = {tensor.name for tensor in program.inputs if len(tensor.slots) > 1}
    return equation is not None and any(
        term.coeff == 1 and not term.summed and len(term.powers) == 1 and set(tensors_of((term,))) <= inputs
        for term in equation.terms[1:]
        if all(isinstance(base, Access) for base in term.bases)
    )


def backward_function(plan: Plan, body: list[str], read: list[sp.Symbol]) -> Function:
    """``backward(values, upstream gradients) -> Gradients``."""
    upstream = plan.derivation.problem.handed
    derivatives = result_values(plan)
    results = {**gradient_variables(plan), **derivatives}
    given = [plan.array(up.name) for up in upstream]
    local = {plan.stored[s.name] for s in plan.backward} | {array.variable for array in given}
    used = identifiers([*body, *results.values()]) - local
    unpacked = [name for name in plan.kept if plan.stored[name] in used]
    arrays = [*given, *(plan.array(name) for name in unpacked)]
    others = [tensor.name for tensor in plan.program.inputs if tensor.name not in unpacked]
    arrays += [Array(f"values.{plan.stored[name]}", plan.axes(name)) for name in others]
    block = unpacking([plan.stored[name] for name in unpacked] + [plan.scalars[symbol] for symbol in read])
    wanted = wanted_extents(plan, [*body, *derivatives.values()])
    block += [*extent_lines(wanted, arrays, plan.unread, backward_scope(plan)), *body]
    block += returned(results)
    lines = paragraph("values: what `forward` returned.", 2)
    for up in upstream:
        lines += tensor_line(plan, up.name, up.doc or f"the upstream gradient dL/d{up.of}")
    arguments = ["values: Values", *(f"{array.variable}: {plan.dialect.array}" for array in given)]
    first, checks = head("backward", arguments, "Gradients"), tuple(upstream_check(plan, plan.kept))
    return Function(first, "Backward pass.", tuple(lines), tuple(block), checks=checks)


def unpacking(names: list[str]) -> list[str]:
    """Fields of `values` as local variables."""
    if not names:
        return []
    line = f"{', '.join(names)} = {', '.join(f'values.{name}' for name in names)}"
    return [line] if len(line) + 4 <= WIDTH else [f"{name} = values.{name}" for name in names]


def tensor_line(plan: Plan, name: str, doc: str) -> list[str]:
    """One argument of a docstring."""
    return paragraph(f"{plan.stored[name]}: {shape_text(plan.axes(name), plan.scalars)} {sentence(doc)}".rstrip(), 2)


def sentence(text: str) -> str:
    """The text with a full stop, if there is a text."""
    text = plain(text)
    return text if not text or text.endswith(".") else text + "."


def wanted_extents(plan: Plan, lines: list[str]) -> list[sp.Symbol]:
    """The extents that the lines read, and those that they are computed from."""
    used = identifiers(lines)
    wanted = [extent for extent in plan.extents if plan.scalars[extent] in used]
    inputs = [plan.array(tensor.name) for tensor in plan.program.inputs]
    return with_divisors(wanted, sources_of(inputs, plan.unread))
