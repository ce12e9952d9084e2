"""A loop over blocks as Python: arrays for its results, a function for a share of the blocks, and its call."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from indexcalc.codegen.fast.block import Block, block_names, block_of, headed
from indexcalc.codegen.fast.blocking import Loop
from indexcalc.codegen.fast.bounded import array_lines, known, need_lines
from indexcalc.codegen.fast.footprint import ITEM, Footprint, Measure
from indexcalc.codegen.fast.graph import Axis, Node, Operation
from indexcalc.codegen.fast.names import Names, with_names
from indexcalc.codegen.fast.writing import Writer
from indexcalc.codegen.layout import INDENT, WIDTH, call_or_wrap
from indexcalc.codegen.scalars import product_of_extents, scalar_node
from indexcalc.codegen.source import LEVELS, enclosed, flat
from indexcalc.codegen.source import Node as Source
from indexcalc.codegen.statements import Statement

DEPTH = 3
"""How deep the lines of a block are indented."""


@dataclass(frozen=True)
class LoopText:
    """A loop and how it is written.

    Attributes:
        loop: what runs.
        number: of the loop within its function.
        block: the graph of one block.
        writer: of its nodes.
        written: the statements whose tensors are needed in full.
        totals: the statements that sum over the loop.
        names: the Python names outside the loop.
        is_fixed: whether the length of its blocks is asked for.
    """

    loop: Loop
    number: int
    block: Block
    writer: Writer
    written: tuple[Statement, ...]
    totals: tuple[Statement, ...]
    names: Names
    is_fixed: bool

    def lines(self) -> Iterator[str]:
        """Arrays for results, the function, the call."""
        inner: list[str] = []
        for statement, lines in self.block.lines(self.writer, self.names):
            inner += headed(statement, self.with_result(statement, lines), self.names, DEPTH)
        if self.names.bounded is None:
            yield from self.result_lines()
        yield from self.definition_lines(inner)
        yield from self.call_lines()

    def in_full(self, results: Collection[str]) -> Footprint:
        """The bytes of what the loop makes in full, but for results."""
        made = (s for s in (*self.written, *self.totals) if s.name not in results)
        return {s.name: sp.Mul(ITEM, *(slot.extent for slot in s.axes)) for s in made}

    def need_lines(self) -> Iterator[str]:
        """A function from the lengths of a block to the bytes that it takes; the lines of the block are there."""
        bounded = known(self.names)
        steps = tuple(sp.Symbol(f"length {number}", positive=True) for number in range(len(self.loop.extents)))
        measure = Measure(self.block, self.writer, bounded.slots, bounded.whole, steps)
        yield from need_lines(self.number, measure.footprint(), steps, self.names)

    def with_result(self, statement: Statement, lines: list[str]) -> list[str]:
        """The lines with what puts the value where it is needed in full."""
        if statement in self.totals:
            return self.with_total(lines, statement)
        if statement in self.written and not self.is_in_place(statement):
            return [*lines, f"{self.part_of(statement)} = {self.block.value(self.writer, statement)}"]
        return lines

    def with_total(self, lines: list[str], statement: Statement) -> list[str]:
        """The lines with the value added to a total, where it is computed if nobody else reads it."""
        total, value = self.part_of(statement), self.block.value(self.writer, statement)
        number = self.block.node(statement)
        if number in self.writer.added:
            return lines
        results = [self.block.node(other) for other in (*self.totals, *self.written)]
        *before, last = lines or [""]
        if last.startswith(f"{value} = ") and not self.writer.counts[number] and results.count(number) == 1:
            direct = f"{total} += {last.removeprefix(f'{value} = ')}"
            if len(direct) <= WIDTH - DEPTH * INDENT:
                return [*before, direct]
        return [*lines, f"{total} += {value}"]

    def is_in_place(self, statement: Statement) -> bool:
        """Whether a result was computed where it stands."""
        place = self.writer.storage.places.get(self.block.node(statement))
        return place is not None and place.result == statement.name

    def part_of(self, statement: Statement) -> str:
        """The part of a whole array that belongs to the block."""
        if statement in self.totals:
            number, places = self.block.lowering.tensors[statement.name]
            axes = [self.writer.nodes[number].axes[place] for place in places]
        else:
            dimensions = {index: number for number, index in enumerate(self.loop.indices[statement.name])}
            axes = [Axis(slot.extent, dimensions.get(slot)) for slot in statement.axes]
        return self.writer.sliced(self.names.scope.tensors[statement.name], axes)

    def shape(self, axes: Sequence[Axis]) -> str:
        """The shape of an array that holds one block, or all of them."""
        steps = self.names.own["steps"]
        return tuple_text(
            flat(scalar_node(axis.extent, self.names.scope.scalars))
            if axis.dimension is None
            else f"{steps}[{axis.dimension}]"
            for axis in axes
        )

    def result_lines(self) -> Iterator[str]:
        """Arrays for the results of a loop: totals begin with zero."""
        for statement in (*self.written, *self.totals):
            if self.names.bounded is not None:
                yield from array_lines(statement.name, "zeros" if statement in self.totals else "empty", self.names)
                continue
            size = self.shape([Axis(slot.extent) for slot in statement.axes])
            maker = "np.zeros" if statement in self.totals else "np.empty"
            made = f"{self.names.scope.tensors[statement.name]} = {maker}"
            yield from call_or_wrap(made, [size, self.names.own["dtype"]])

    def definition_lines(self, inner: Sequence[str]) -> Iterator[str]:
        """The function that works through a share of the blocks."""
        own, blocks = self.names.own, self.writer.blocks
        arguments = [own["blocks"], own["steps"], *(self.names.scope.tensors[s.name] for s in self.totals)]
        yield ""
        *head, last = call_or_wrap(f"def {own['loop']}_{self.number}", arguments)
        yield from (*head, f"{last}:")
        text = "\n".join(inner)
        for place, axes in enumerate(self.writer.storage.spaces):
            space = f"{own['space']}_{place + 1}"
            if re.search(rf"\b{space}\b", text):
                for line in call_or_wrap(f"{space} = np.empty", [self.shape(axes), own["dtype"]], 2):
                    yield f"    {line}"
        target = f"({blocks[0]},)" if len(blocks) == 1 else ", ".join(blocks)
        yield f"    for {target} in {own['blocks']}:"
        yield from (f"        # {line}" for line in self.said_of_reach())
        for dimension, block in enumerate(blocks):
            size = f"{own['size']}_{dimension + 1}"
            if size in text:
                yield f"        {size} = {block}.stop - {block}.start"
        for line in inner:
            yield f"        {line}"
        yield ""

    def said_of_reach(self) -> Iterator[str]:
        """What a reader must know of axes that begin or end with the block."""
        axes = {axis for number in self.writer.counts for axis in self.writer.nodes[number].axes}
        for dimension, block in enumerate(self.writer.blocks):
            if any(axis.since == dimension for axis in axes):
                yield f"Places before {block}.start are masked in all of this block, and left out."
            if any(axis.until == dimension for axis in axes):
                yield f"Places from {block}.stop on are masked in all of this block, and left out."

    def call_lines(self) -> Iterator[str]:
        """The call that runs the loop."""
        own, scope = self.names.own, self.names.scope
        lengths = tuple_text(flat(scalar_node(extent, scope.scalars)) for extent in self.loop.extents)
        totals = []
        for statement in self.totals:
            has = tuple_text(str(index in statement.axes) for index in self.loop.indices[statement.name])
            totals.append(f"({scope.tensors[statement.name]}, {has})")
        counts = self.cell()
        entries = f"({' + '.join(counts)})" if len(counts) > 1 else counts[0]
        cell = f"{own['dtype']}.itemsize" + (f" * {entries}" if entries != "1" else "")
        if len(cell) + 2 * INDENT >= WIDTH:
            yield f"{own['cell']} = {own['dtype']}.itemsize * ("
            wide = len(entries) + 2 * INDENT > WIDTH + 2
            parts = [counts[0], *(f"+ {count}" for count in counts[1:])] if wide else [entries[1:-1]]
            yield from (f"    {part}" for part in parts)
            yield ")"
            cell = own["cell"]
        listed = f"[{', '.join(totals)}]"
        if len(listed) > 40:
            yield f"{own['totals']} = ["
            yield from (f"    {total}," for total in totals)
            yield "]"
            listed = own["totals"]
        arguments = [f"{own['loop']}_{self.number}", lengths, cell, listed, own["threads"]]
        if self.names.bounded is not None:
            arguments += [f"{own['need']}_{self.number}", own["room"]]
        yield from call_or_wrap("_run", [*arguments, *(["least=1"] if self.may_be_short() else [])])

    def may_be_short(self) -> bool:
        """Whether a block may be of one entry where that fills the cache, for every matrix has another axis as well.

        If not, BLAS would get a vector instead of a matrix. Where the author asked for a length, it is that.
        """
        if self.is_fixed:
            return False
        last = len(self.loop.extents) - 1
        products = (self.writer.nodes[number] for number in self.writer.counts)
        return not any(is_side_of(node, last) for node in products if node.operation is Operation.PRODUCT)

    def cell(self) -> list[str]:
        """How many entries the arrays of one block hold for every entry of the loop's dimensions, to be added up."""
        every = set(range(len(self.loop.extents)))
        arrays = [axes for axes in self.writer.storage.spaces if every <= {axis.dimension for axis in axes}]
        if not arrays:
            nodes = [self.writer.nodes[number] for number in self.writer.storage.places]
            arrays = [max((node.axes for node in nodes), key=len, default=())]
        counts: dict[str, int] = {}
        for axes in arrays:
            extents = [axis.extent for axis in axes if axis.dimension is None]
            text = factor_text(product_of_extents(extents, self.names.scope.scalars)) if extents else "1"
            counts[text] = counts.get(text, 0) + 1
        return [f"{count} * {text}" if count > 1 else text for text, count in counts.items()]


def factor_text(node: Source) -> str:
    """An expression that others are multiplied by."""
    return enclosed(node, LEVELS["*"])


def is_side_of(node: Node, dimension: int) -> bool:
    """Whether one dimension of the loop is all the length of a matrix that a product reads or makes."""
    every = (*node.axes, *node.summed)
    first, second = (set(use.places) for use in node.uses)
    summed = set(range(len(node.axes), len(every)))
    sides = ((first - second) - summed, (second - first) - summed, first & second & summed)
    return any({every[place].dimension for place in side} == {dimension} for side in sides if side)


def tuple_text(parts: Iterator[str] | Sequence[str]) -> str:
    """The parts as a Python tuple."""
    listed = list(parts)
    return f"({listed[0]},)" if len(listed) == 1 else f"({', '.join(listed)})"


def loop_text(
    loop: Loop, number: int, later: Collection[str], names: Names, large: frozenset[str], *, is_fixed: bool = False
) -> LoopText:
    """A loop as it is written; `later` are the tensors that are needed after it."""
    blocks = block_names(loop, names)
    block = block_of(loop.statements, names, large, loop)
    totals = tuple(s for s in loop.statements if loop.is_total(s))
    written = tuple(s for s in loop.statements if s.name in later and s not in totals)
    results: dict[str, int] = {}
    for statement in written:
        if block.stands_as_it_is(statement) and block.node(statement) not in results.values():
            results[statement.name] = block.node(statement)
    shared = [statement for statement in totals if block.is_made_before(statement)]
    kept = [block.node(statement) for statement in (*written, *shared)]
    added = [block.node(statement) for statement in totals]
    wanted = [*kept, *added]
    block = block.within_reach([block.node(statement) for statement in written], added, wanted, loop.extents)
    counts = block.reads(wanted)
    apart = [s for s in totals if names.bounded is not None and is_added(s, block, counts, wanted)]
    tensors = names.scope.tensors
    local = with_names(names, {s.name: f"{tensors[s.name]}_{names.own['block']}" for s in (*written, *totals)})
    writer = Writer(
        block.lowering.graph.nodes,
        block.storage(wanted, results, kept, [block.node(s) for s in apart]),
        names,
        blocks=blocks,
        called=block.called(local.scope.tensors),
        counts=counts,
        depth=DEPTH,
    )
    text = LoopText(loop, number, block, writer, written, totals, names, is_fixed)
    writer.added.update({block.node(s): text.part_of(s) for s in apart})
    return text


def is_added(statement: Statement, block: Block, counts: Mapping[int, int], wanted: Sequence[int]) -> bool:
    """Whether a total is a product of matrices that nobody else reads: it can grow piece by piece."""
    number = block.node(statement)
    node = block.lowering.graph.nodes[number]
    alone = not counts[number] and wanted.count(number) == 1 and block.stands_as_it_is(statement)
    return alone and node.operation is Operation.PRODUCT and len(node.axes) > 1
