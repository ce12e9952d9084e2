"""What a program has in it, read off the program itself: figures of a campaign are told by these."""

from __future__ import annotations

from collections.abc import Iterator

from tests.campaign.formulas import (
    Apply,
    Delta,
    Formula,
    Negative,
    Number,
    Over,
    Power,
    Program,
    Ratio,
    Read,
    Relation,
    Use,
    nodes,
)


def features(program: Program) -> frozenset[str]:
    """The names of all that is in a program."""
    return frozenset(found(program))


def found(program: Program) -> Iterator[str]:
    """The names of all that is in a program, some more than once."""
    count = len(program.statements)
    yield f"statements {'1-3' if count <= 3 else '4-10' if count <= 10 else '11-40' if count <= 40 else '41-300'}"
    readers: dict[str, set[str]] = {}
    declared = program.axes
    made = {statement.name for statement in program.statements}
    for statement in program.statements:
        for node in nodes(statement.right):
            yield from in_node(node)
            if isinstance(node, Read):
                readers.setdefault(node.tensor, set()).add(statement.name)
                letters = [index for axis in node.axes for index in axis]
                if len(set(letters)) < len(letters):
                    yield "diagonal of an intermediate" if node.tensor in made else "diagonal of an input"
                elif node.axes != declared[node.tensor] and set(letters) == {
                    index for axis in declared[node.tensor] for index in axis
                }:
                    yield "permuted read"
    if any(len(names) > 1 for name, names in readers.items() if name in made):
        yield "shared intermediate"
    for axes in declared.values():
        yield f"rank {sum(map(len, axes))}"
        if any(len(axis) > 1 for axis in axes):
            yield "fused slot"
    if any(isinstance(line, Use) for line in program.lines):
        yield "use"
    for tensor in program.inputs:
        if tensor.kind != "any":
            yield f"input {tensor.kind}"
    extents = [extent for _, extent in program.indices]
    yield from (name for name, held in of_program(program, extents) if held)


def of_program(program: Program, extents: list[tuple[str | int, ...]]) -> Iterator[tuple[str, bool]]:
    """What is asked, with whether it is."""
    yield "literal extent", any(isinstance(part, int) for extent in extents for part in extent)
    yield "product of extents", any(len(extent) > 1 for extent in extents)
    yield "parameters", bool(program.parameters)
    yield "loss", program.loss is not None
    yield "several outputs", len(program.upstream) > 1
    yield "upstream by default", not program.written and program.loss is None
    yield "targets inside", bool({made.name for made in program.statements} & set(program.targets))
    yield "names", bool(program.names)
    yield "recompute", bool(program.recompute)
    yield "claims", bool(program.claims)
    yield "assume", bool(program.assumed)


def in_node(node: Formula) -> Iterator[str]:
    """What one node of a formula is."""
    match node:
        case Apply(function, _, constant):
            yield function if constant is None else f"{function}(x, c)"
        case Over(operator, indices, _):
            yield f"{operator}[]"
            if len(indices) > 1:
                yield "sum over several"
        case Delta():
            yield "delta"
        case Relation():
            yield "bracket"
        case Ratio():
            yield "quotient"
        case Power(_, Number(text), _):
            yield "whole power" if "." not in text else "root"
        case Power(_, Negative(), _):
            yield "negative power"
        case Power(_, Ratio(), _):
            yield "root"
        case Power():
            yield "power of a parameter"
