"""The lines of one block: which nodes are computed, under which names, under which formula."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import sympy as sp

from indexcalc.algebra.terms import Index
from indexcalc.codegen.fast.blocking import Loop
from indexcalc.codegen.fast.graph import Graph, Node, Operation
from indexcalc.codegen.fast.lowering import Lowering
from indexcalc.codegen.fast.names import Names
from indexcalc.codegen.fast.reach import within_reach
from indexcalc.codegen.fast.storage import LAYER, Storage, assigned, is_view
from indexcalc.codegen.fast.writing import Writer
from indexcalc.codegen.formula import formula
from indexcalc.codegen.functions import pass_lines
from indexcalc.codegen.names import python_name
from indexcalc.codegen.operands import Operand, transposed
from indexcalc.codegen.prose import comment
from indexcalc.codegen.source import flat
from indexcalc.codegen.statements import Statement


@dataclass(frozen=True)
class Block:
    """Statements as a graph of array operations.

    Attributes:
        statements: in order.
        lowering: their graph.
        spans: the nodes that each statement added.
    """

    statements: tuple[Statement, ...]
    lowering: Lowering
    spans: tuple[range, ...]

    def node(self, statement: Statement) -> int:
        """The node that holds what a statement computes."""
        return self.lowering.tensors[statement.name][0]

    def is_made_before(self, statement: Statement) -> bool:
        """Whether an earlier statement computes the same node, so that it must be there for longer."""
        return self.node(statement) not in self.spans[self.statements.index(statement)]

    def stands_as_it_is(self, statement: Statement) -> bool:
        """Whether the node's axes are in the order of the statement's."""
        places = self.lowering.tensors[statement.name][1]
        return places == tuple(range(len(places)))

    def within_reach(
        self, full: Collection[int], totals: Collection[int], wanted: Collection[int], lengths: Sequence[sp.Expr]
    ) -> Block:
        """The same without what lies beyond the block and is read by nothing: see `reach`.

        Args:
            full: the nodes of which each entry is needed.
            totals: those that are added to a total.
            wanted: all nodes that are needed.
            lengths: the extents of the dimensions of the loop.
        """
        nodes = within_reach(self.lowering.graph.nodes, self.reads(wanted), full, totals, lengths)
        graph = Graph(nodes, {node: number for number, node in enumerate(nodes)})
        return replace(self, lowering=replace(self.lowering, graph=graph))

    def reads(self, wanted: Collection[int]) -> dict[int, int]:
        """How often each node is read that the wanted ones are made from, themselves included."""
        nodes = self.lowering.graph.nodes
        counts: dict[int, int] = dict.fromkeys(wanted, 0)
        for number in range(len(nodes) - 1, -1, -1):
            if number in counts:
                for use in nodes[number].uses:
                    counts[use.node] = counts.get(use.node, 0) + 1
        return counts

    def storage(
        self, wanted: Collection[int], results: Mapping[str, int], kept: Collection[int], apart: Collection[int] = ()
    ) -> Storage:
        """Where the nodes are kept; in reused space if results stand in arrays of their own."""
        live = sorted(self.reads(wanted))
        nodes = self.lowering.graph.nodes
        return assigned(nodes, live, results, kept, use_spaces=bool(self.dimensions), apart=apart)

    @property
    def dimensions(self) -> int:
        """How many dimensions the loop around the block has."""
        axes = (axis for node in self.lowering.graph.nodes for axis in node.axes)
        return max((axis.dimension + 1 for axis in axes if axis.dimension is not None), default=0)

    def called(self, tensors: Mapping[str, str]) -> Mapping[int, str]:
        """The tensor's name for every node that is a tensor as it stands; leaves have names already."""
        names: dict[int, str] = {}
        for statement in self.statements:
            number = self.node(statement)
            if self.stands_as_it_is(statement) and self.lowering.graph.nodes[number].operation is not Operation.LEAF:
                names.setdefault(number, tensors[statement.name])
        return names

    def lines(self, writer: Writer, names: Names) -> Iterator[tuple[Statement, list[str]]]:
        """Every statement with the lines that compute its nodes; none, if all are there already."""
        nodes = self.lowering.graph.nodes
        for statement, span in zip(self.statements, self.spans, strict=True):
            yield statement, [line for number in span if number in writer.counts for line in writer.lines(number)]
        assert len(writer.variables) == len(writer.counts) <= len(nodes)

    def value(self, writer: Writer, statement: Statement) -> str:
        """What a statement computed, with its axes in order."""
        number, places = self.lowering.tensors[statement.name]
        axes = tuple(Index(str(place), sp.S.One) for place in range(len(places)))
        value = transposed(Operand(writer.value(number), axes), tuple(axes[place] for place in places))
        return flat(value.node)


def block_of(
    statements: Sequence[Statement],
    names: Names,
    large: frozenset[str],
    loop: Loop | None = None,
) -> Block:
    """The graph of some statements.

    Args:
        statements: in order.
        names: the Python names.
        large: the tensors that are larger than any input and result.
        loop: the loop around them.
    """
    own, scope = names.own, names.scope
    lowering = Lowering(
        scope.scalars,
        own["size"],
        scope.dtype,
        large,
        scope=scope,
        largest=names.largest,
        windows=names.windows,
        blocks=block_names(loop, names) if loop is not None else (),
    )
    indices = loop.indices if loop is not None else {}
    spans = []
    for statement in statements:
        start = len(lowering.graph.nodes)
        lowering.add(statement, indices.get(statement.name, ()))
        spans.append(range(start, len(lowering.graph.nodes)))
    return Block(tuple(statements), lowering, tuple(spans))


def block_names(loop: Loop, names: Names) -> tuple[str, ...]:
    """The variables of the slices of one block: the indices' own names."""
    root = min((s for s in loop.statements if not s.moves), key=loop.is_total)
    found: list[str] = []
    for index in loop.indices[root.name]:
        found.append(python_name(index.name, {*names.taken, *found}))
    return tuple(found)


def has_memory(node: Node) -> bool:
    """Whether an array stands in memory of its own, and not in that of another one but a stack of such arrays."""
    return node.operation is not Operation.LEAF and (node.name.startswith(LAYER) or not is_view(node))


def headed(statement: Statement, lines: list[str], names: Names, depth: int) -> list[str]:
    """The lines under their formula."""
    text = statement.note or formula(statement, names.scope.layouts)
    return [*comment(text, depth), *lines] if lines else []


def root_text(statement: Statement, names: Names) -> list[str]:
    """The root of a system that is not linear, on whole arrays: written as it is for reading."""
    (lines,) = pass_lines([statement], names.scope, set(names.taken))
    return lines


@dataclass(frozen=True)
class StraightText:
    """Statements one after another, on whole arrays, and how they are written.

    Attributes:
        block: their graph.
        writer: of its nodes.
        later: the tensors that are needed afterwards.
        wanted: those that are results: each has memory of its own.
        names: the Python names.
    """

    block: Block
    writer: Writer
    later: Collection[str]
    wanted: Collection[str]
    names: Names

    def lines(self) -> Iterator[str]:
        """The statements, each under its formula."""
        writer, used = self.writer, set[int]()
        for statement, lines in self.block.lines(writer, self.names):
            if statement.name in self.later:
                target, value = self.names.scope.tensors[statement.name], self.block.value(writer, statement)
                number = self.block.node(statement)
                if statement.name in self.wanted and (number in used or not has_memory(writer.nodes[number])):
                    value = f"{value}.copy()" if statement.axes else f"np.copy({value})[()]"
                used.add(number)
                if value != target:
                    lines.append(f"{target} = {value}")
            yield from headed(statement, lines, self.names, 1)


def straight_text(
    statements: Sequence[Statement],
    later: Collection[str],
    wanted: Collection[str],
    names: Names,
    large: frozenset[str],
) -> StraightText:
    """Statements as they are written one after another.

    Args:
        statements: what is computed.
        later: the tensors that are needed afterwards.
        wanted: those that are results.
        names: the Python names.
        large: the tensors that are larger than any input and result.
    """
    block = block_of(statements, names, large)
    kept = [block.node(statement) for statement in statements if statement.name in later]
    called = block.called(names.scope.tensors)
    counts = block.reads(kept)
    for number in kept:
        counts[number] += 1
    writer = Writer(block.lowering.graph.nodes, block.storage(kept, {}, kept), names, called=called, counts=counts)
    return StraightText(block, writer, later, wanted, names)
