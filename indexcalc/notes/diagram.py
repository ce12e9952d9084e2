"""Dataflow diagrams of both passes: every node a tensor with its shape, every edge an operation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from indexcalc.algebra.terms import tensors_of
from indexcalc.calculus.steps import Derivation
from indexcalc.notes.blocks import Block, Diagram, Edge, Node
from indexcalc.notes.operations import Operation, normalised_over, operations_of
from indexcalc.notes.text import scalar_text
from indexcalc.program import Equation, Program

FORWARD = "The forward pass: a box is a tensor with its shape, a rounded box an input, an arrow an operation."
BACKWARD = "The backward pass: {full}dotted arrows read what was kept from the forward pass{again}."
BOTH = (
    "Both passes: a box is a tensor with its shape, a rounded box is given, an arrow an operation; dotted arrows lead "
    "to the backward pass, from what it reads of the forward pass{again}."
)
LOSS = "through the loss"
"""What stands for all that is between the outputs and what is given."""

MOST_JOINED = 24
"""The most boxes of both passes in one picture; with more, the arrows that pass others hide what they join."""

FULL = "full arrows carry {what}{given}; "
GIVEN = ", from the rounded box of what is given"


def diagram_blocks(derivation: Derivation) -> Iterator[Block]:
    """The forward pass, and below it the backward pass."""
    program, backward = derivation.problem.program, derivation.backward
    yield diagram_of(program, frozenset(), {}, FORWARD, "Dataflow")
    if backward.equations:
        loss = derivation.problem.loss or "L"
        owners = derivation.problem.owners
        names = {name: f"d{loss}/d{owner}" for name, owner in owners.items() if name in backward.tensors}
        authored = {*derivation.problem.names.values(), *derivation.problem.given.values()}
        shown = {name: f"{name} = {text}" if name in authored else text for name, text in names.items()}
        diagram = diagram_of(backward, frozenset(program.tensors), shown, "", "")
        full = ""
        if not all(edge.kept for edge in diagram.edges):
            along = any(order.result.along for order in derivation.orders)
            what = "gradients and derivatives along directions" if along else "gradients"
            full = FULL.format(what=what, given=GIVEN if derivation.problem.handed else "")
        yield replace(diagram, caption=BACKWARD.format(again=again(derivation), full=full))


def shown_diagrams(derivation: Derivation) -> tuple[Diagram, ...]:
    """Both passes as one picture, or if that would be too large as one below the other."""
    joined = joined_diagram(derivation)
    if len(joined.nodes) <= MOST_JOINED:
        return (joined,)
    return tuple(block for block in diagram_blocks(derivation) if isinstance(block, Diagram))


def joined_diagram(derivation: Derivation) -> Diagram:
    """Both passes in one picture: each tensor once, and what is given for the backward pass below what it is of."""
    forward, *rest = (block for block in diagram_blocks(derivation) if isinstance(block, Diagram))
    if not rest:
        return forward
    (backward,) = rest
    shown = {node.name or node.tensor: node.tensor for node in backward.nodes}
    made = {node.tensor for node in forward.nodes}
    given = tuple(
        Edge(up.of, shown[up.name], LOSS, kept=True) for up in derivation.problem.upstream if up.name in shown
    )
    return Diagram(
        BOTH.format(again=again(derivation)),
        (*forward.nodes, *(node for node in backward.nodes if node.tensor not in made)),
        tuple(dict.fromkeys((*forward.edges, *given, *backward.edges))),
        forward.title,
    )


def again(derivation: Derivation) -> str:
    """What is read besides what was kept, as the end of a sentence."""
    names = [equation.name for equation in derivation.recomputed if not equation.hoisted]
    if not names:
        return ""
    every = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f", or {every}, computed again from it"


def diagram_of(
    program: Program, earlier: frozenset[str], names: Mapping[str, str], caption: str, title: str
) -> Diagram:
    """The diagram of one pass; sums that only the reader named are part of the operation that reads them.

    Args:
        program: the pass.
        earlier: the tensors of an earlier pass.
        names: what stands in a node for a tensor, where it is not its name.
        caption: the sentence above it.
        title: the heading, if it starts a section.
    """
    parts = (equation for equation in program.equations if equation.hoisted)
    folded = {equation.name: equation for equation in parts if equation.name not in program.outputs}
    solved = {residual: name for name, residual in program.residuals.items()}
    kept = [equation for equation in program.equations if equation.name not in folded]
    made = dict.fromkeys((tensor.name for tensor in program.inputs), False)
    made |= {solved.get(e.name, e.name): True for e in kept}
    nodes = [
        Node(names.get(name, name), shape_text(program, name), own, name if name in names else "")
        for name, own in made.items()
    ]
    edges: list[Edge] = []
    for equation in kept:
        made_by = solved.get(equation.name, equation.name)
        operation = "solution" if equation.name in solved else operation_text(equation, program, folded)
        edges += (
            Edge(names.get(source, source), names.get(made_by, made_by), operation, kept=source in earlier)
            for source in sources_of(equation, folded)
            if source != solved.get(equation.name)
        )
    return Diagram(caption, tuple(nodes), tuple(edges), title)


def sources_of(equation: Equation, folded: Mapping[str, Equation]) -> tuple[str, ...]:
    """The tensors that an equation reads, itself or through folded sums."""
    found: dict[str, None] = {}
    for name in tensors_of(equation.terms):
        found.update(dict.fromkeys(sources_of(folded[name], folded) if name in folded else (name,)))
    return tuple(found)


def operation_text(equation: Equation, program: Program, folded: Mapping[str, Equation]) -> str:
    """The operation of an equation in few words, with those of the folded sums that it reads, which come first."""
    return "; ".join(dict.fromkeys(operation.text for operation in all_operations(equation, program, folded)))


def all_operations(equation: Equation, program: Program, folded: Mapping[str, Equation]) -> Iterator[Operation]:
    """The operations of the folded sums that an equation reads, then its own; a normalisation has its own sum."""
    own = operations_of(equation, program)
    inside = () if normalised_over(equation, program.definitions) is not None else tensors_of(equation.terms)
    for name in inside:
        if name in folded and name != equation.name:
            yield from all_operations(folded[name], program, folded)
    yield from own


def shape_text(program: Program, name: str) -> str:
    """``M × N_H·D_h``: the lengths of a tensor's axes as text."""
    axes = ["·".join(scalar_text(slot.extent) for slot in axis) for axis in program.axes(name)]
    return " × ".join(axes) or "scalar"
