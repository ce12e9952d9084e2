"""The table of all tensors of both passes: symbol, shape, meaning, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterator

from indexcalc.algebra.terms import tensors_of
from indexcalc.calculus.steps import Derivation
from indexcalc.notes.blocks import Block, Heading, Loss, Paragraph, Shape, Span, Spans, Symbol, Table
from indexcalc.notes.operations import is_mean, operation_spans, operations_of
from indexcalc.notes.prose import listed, say
from indexcalc.notes.setup import is_one_sum
from indexcalc.program import Equation, Program, Tensor


def symbol_blocks(derivation: Derivation) -> Iterator[Block]:
    """Every tensor of the forward and of the backward pass, in the order in which they are computed."""
    program, backward = derivation.problem.program, derivation.backward
    yield Heading(2, ("Symbols",))
    yield Paragraph(say("symbols"))
    rows = [tensor_row(program, tensor, (tensor.doc,), ("input",)) for tensor in program.inputs]
    rows.extend(row for equation in program.equations for row in forward_rows(program, equation))
    yield symbol_table(rows)
    made = program.tensors
    given = [tensor for tensor in backward.inputs if tensor.name not in made]
    directions = {one.name for one in derivation.problem.directions}
    rows = [
        tensor_row(
            backward,
            tensor,
            given_meaning(derivation, tensor),
            ("given direction" if tensor.name in directions else "upstream gradient",),
        )
        for tensor in given
    ]
    rows.extend(row for equation in backward.equations for row in backward_rows(derivation, equation))
    if rows:
        yield symbol_table(rows)


def forward_rows(program: Program, equation: Equation) -> Iterator[tuple[Spans, ...]]:
    """The row of an equation; for a residual, that of the unknown and its own."""
    unknown = next((one for one in program.unknowns if one.residual == equation.name), None)
    if unknown is None:
        yield equation_row(program, equation, forward_meaning(program, equation))
        return
    yield tensor_row(program, unknown.tensor, (unknown.tensor.doc,), say("symbols.unknown"))
    yield equation_row(program, equation, say("symbols.residual", unknown=Symbol(unknown.name)))


def backward_rows(derivation: Derivation, equation: Equation) -> Iterator[tuple[Spans, ...]]:
    """The row of an equation; for what an adjoint variable or another unknown makes zero, that of the unknown."""
    backward = derivation.backward
    adjoint = next((one for one in backward.unknowns if one.residual == equation.name), None)
    if adjoint is None:
        yield equation_row(backward, equation, backward_meaning(derivation, equation.name, equation.doc))
        return
    meaning = backward_meaning(derivation, adjoint.name)
    yield tensor_row(backward, adjoint.tensor, meaning, say("symbols.unknown"))


def symbol_table(rows: list[tuple[Spans, ...]]) -> Table:
    """The table with these rows."""
    return Table(("Symbol", "Shape", "Meaning", "Comes from"), tuple(rows), wrapping=2)


def tensor_row(program: Program, tensor: Tensor, meaning: Spans, origin: Spans) -> tuple[Spans, ...]:
    """A tensor with its shape, what it means, and where it comes from."""
    return ((Symbol(tensor.name),), shape_of(program, tensor), meaning, origin)


def shape_of(program: Program, tensor: Tensor) -> Spans:
    """The lengths of the axes of the array that stores a tensor."""
    if not tensor.slots:
        return ("scalar",)
    return (Shape(tuple(tuple(slot.extent for slot in axis) for axis in program.axes(tensor.name)), bare=True),)


def equation_row(program: Program, equation: Equation, meaning: Spans) -> tuple[Spans, ...]:
    """A tensor that an equation defines: the operation, and what it reads."""
    origin: list[Span] = list(operation_spans(operations_of(equation, program)))
    read = tensors_of(equation.terms)
    if read:
        origin.extend([": ", *listed(Symbol(name) for name in read)])
    return tensor_row(program, program.tensors[equation.name], meaning, tuple(origin))


def forward_meaning(program: Program, equation: Equation) -> Spans:
    """The author's words; a sum that the reader named is part of the equations that read it."""
    if equation.doc or not equation.hoisted:
        return (equation.doc,)
    key = "symbols.hoisted" if is_one_sum(equation) else "symbols.hoisted.part"
    if is_one_sum(equation) and is_mean(equation.terms[0]):
        key = "symbols.hoisted.mean"
    return say(key, readers=listed(Symbol(name) for name in program.consumers[equation.name]))


def given_meaning(derivation: Derivation, tensor: Tensor) -> Spans:
    """The author's words about a given gradient, or whose gradient it is."""
    owners = {up.name: up.of for up in derivation.problem.upstream if not up.doc}
    if tensor.name not in owners:
        return (tensor.doc,)
    target = owners[tensor.name]
    key = "symbols.upstream" if target in derivation.gradients.values() else "symbols.gradient"
    return say(key, loss=Loss(), target=Symbol(target))


def backward_meaning(derivation: Derivation, name: str, doc: str = "") -> Spans:
    """Whose gradient it is; a named part is read by what it is a part of."""
    owner = derivation.gradients.get(name)
    if name in derivation.problem.program.definitions:
        return say("recompute.meaning")
    if owner is not None:
        return say("symbols.gradient", loss=Loss(), target=Symbol(owner))
    for order in derivation.orders:
        if name == order.result.name:
            return (doc,)
        if name in order.tangents:
            return say("symbols.along", of=Symbol(order.tangents[name]))
    problem = derivation.problem
    adjoints = {problem.gradient_names[unknown.residual]: unknown.name for unknown in problem.program.unknowns}
    if name in adjoints:
        return say("symbols.adjoint", unknown=Symbol(adjoints[name]))
    read = [order.result.name for order in derivation.orders if name in order.arrays]
    if read:
        return say("symbols.order", results=listed(map(Symbol, read)))
    return say("symbols.part", readers=listed(map(Symbol, derivation.backward.consumers[name])))
