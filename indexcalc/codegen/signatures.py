"""The two functions of a module: head, docstring, and the body between what is read and what is returned."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from indexcalc.codegen.functions import call_or_wrap, extent_lines, identifiers
from indexcalc.codegen.layout import WIDTH
from indexcalc.codegen.outline import Plan, backward_scope, forward_scope, gradient_variables
from indexcalc.codegen.prose import default_text, paragraph, plain, shape_text
from indexcalc.program import Tensor


@dataclass(frozen=True, slots=True)
class Function:
    """One generated function, as text."""

    head: str
    summary: str
    arguments: tuple[str, ...]
    body: tuple[str, ...]


def forward_function(plan: Plan, body: list[str], read: list[sp.Symbol]) -> Function:
    """``forward(inputs, *, parameters) -> Values``."""
    program = plan.program
    scope = forward_scope(plan)
    arrays = [(plan.tensors[tensor.name], tensor) for tensor in program.inputs]
    extents = [extent for extent in wanted_extents(plan, body) if extent not in plan.unread]
    used = identifiers(body)
    unread = [extent for extent in plan.unread if plan.scalars[extent] in used or extent in read]
    arguments = [f"{name}: np.ndarray" for name, _ in arrays]
    lines = [line for name, tensor in arrays for line in tensor_line(plan, name, tensor)]
    keywords = [f"{plan.scalars[extent]}: int" for extent in unread]
    lines += [line for extent in unread for line in paragraph(f"{plan.scalars[extent]}: extent, no input shows it.", 2)]
    for parameter in sorted(program.parameters, key=lambda p: p.default is not None):
        name = plan.scalars[parameter.symbol]
        default = "" if parameter.default is None else f" = {default_text(parameter.default)}"
        keywords.append(f"{name}: float{default}")
        lines += paragraph(f"{name}: {sentence(parameter.doc or 'a constant')}", 2)
    results = [plan.tensors[name] for name in plan.kept] + [plan.scalars[symbol] for symbol in read]
    block = [*extent_lines(extents, arrays, scope), *body, *call_or_wrap("return Values", results)]
    return Function(
        head("forward", [*arguments, *(["*", *keywords] if keywords else [])], "Values"),
        "Forward pass.",
        tuple(lines),
        tuple(block),
    )


def backward_function(plan: Plan, body: list[str], read: list[sp.Symbol]) -> Function:
    """``backward(values, upstream gradients) -> Gradients``."""
    derivation = plan.derivation
    upstream = [
        (
            plan.tensors[up.name],
            derivation.backward.tensors.get(up.name) or Tensor(up.name, plan.program.tensors[up.of].slots, up.doc),
            up,
        )
        for up in derivation.problem.upstream
    ]
    results = gradient_variables(plan)
    used = identifiers([*body, *results.values()])
    assigned = {plan.tensors[s.name] for s in plan.backward}
    given = {name for name, _, _ in upstream}
    unpacked = [name for name in plan.kept if plan.tensors[name] in used - assigned - given]
    arrays = [(name, tensor) for name, tensor, _ in upstream]
    arrays += [(plan.tensors[name], plan.program.tensors[name]) for name in unpacked]
    arrays += [(f"values.{plan.tensors[t.name]}", t) for t in plan.program.inputs if t.name not in unpacked]
    extents = [extent for extent in wanted_extents(plan, body) if extent not in plan.unread]
    block = unpacking([plan.tensors[name] for name in unpacked] + [plan.scalars[symbol] for symbol in read])
    block += [*extent_lines(extents, arrays, backward_scope(plan)), *body]
    if all(variable == name for name, variable in results.items()):
        block += call_or_wrap("return Gradients", list(results))
    else:
        block += call_or_wrap("return Gradients", [f"{name}={variable}" for name, variable in results.items()])
    lines = paragraph("values: what `forward` returned.", 2)
    for name, tensor, up in upstream:
        doc = up.doc or f"the upstream gradient dL/d{up.of}"
        lines += tensor_line(plan, name, Tensor(name, tensor.slots, doc))
    arguments = ["values: Values", *(f"{name}: np.ndarray" for name, _, _ in upstream)]
    return Function(head("backward", arguments, "Gradients"), "Backward pass.", tuple(lines), tuple(block))


def head(name: str, arguments: list[str], result: str) -> str:
    """``def name(arguments) -> result:``, over several lines if need be."""
    line = f"def {name}({', '.join(arguments)}) -> {result}:"
    if len(line) <= WIDTH:
        return line
    joined = ", ".join(arguments)
    inner = [f"    {joined}"] if len(joined) + 4 <= WIDTH else [f"    {argument}," for argument in arguments]
    return "\n".join([f"def {name}(", *inner, f") -> {result}:"])


def unpacking(names: list[str]) -> list[str]:
    """Fields of `values` as local variables."""
    if not names:
        return []
    line = f"{', '.join(names)} = {', '.join(f'values.{name}' for name in names)}"
    return [line] if len(line) + 4 <= WIDTH else [f"{name} = values.{name}" for name in names]


def tensor_line(plan: Plan, name: str, tensor: Tensor) -> list[str]:
    """One argument of a docstring."""
    return paragraph(f"{name}: {shape_text(tensor.slots, plan.scalars)} {sentence(tensor.doc)}".rstrip(), 2)


def sentence(text: str) -> str:
    """The text with a full stop, if there is a text."""
    text = plain(text)
    return text if not text or text.endswith(".") else text + "."


def wanted_extents(plan: Plan, lines: list[str]) -> list[sp.Symbol]:
    """The extents that the lines read."""
    used = identifiers(lines)
    extents = dict.fromkeys((*plan.program.extents, *plan.derivation.backward.extents))
    return [extent for extent in extents if plan.scalars[extent] in used]
