"""The text of a kernel, and the lines that run it on a grid of blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from indexcalc.codegen.dialect import spelled
from indexcalc.codegen.fast.block import Block, headed
from indexcalc.codegen.fast.blocking import Loop
from indexcalc.codegen.fast.graph import Axis, Operation
from indexcalc.codegen.fast.kernels import DEPTH, KernelWriter, NoKernelError, spread
from indexcalc.codegen.fast.loops import tuple_text
from indexcalc.codegen.fast.names import Names
from indexcalc.codegen.layout import call_or_wrap
from indexcalc.codegen.scalars import scalar_node
from indexcalc.codegen.source import flat
from indexcalc.codegen.statements import Statement


@dataclass(frozen=True)
class Kernel:
    """A loop as a Triton kernel.

    Attributes:
        name: of the kernel.
        body: its lines.
        given: the tensors that it reads.
        results: those that it writes, or adds to.
        numbers: what the host computes, and puts into one tensor.
        lengths: of all axes, those of the loop first.
        dimensions: how many the loop has.
        tiles: the axes of every tile that is no part of another.
        dots: whether it multiplies matrices.
        own: the names of its own variables.
    """

    name: str
    body: tuple[str, ...]
    given: tuple[str, ...]
    results: tuple[str, ...]
    numbers: tuple[str, ...]
    lengths: tuple[str, ...]
    dimensions: int
    tiles: tuple[tuple[int, ...], ...]
    dots: bool
    own: Mapping[str, str]

    def definition(self) -> list[str]:
        """The kernel."""
        axes = range(1, len(self.lengths) + 1)
        parameters = [*self.given, *(f"{self.own['result']}_{name}" for name in self.results)]
        parameters += [self.own["numbers"]] if self.numbers else []
        parameters += [f"{self.own['length']}_{n}" for n in axes]
        parameters += [f"{self.own['size']}_{n}: tl.constexpr" for n in axes]
        *head, last = call_or_wrap(f"def {self.name}", parameters, 1)
        what = f'    """One block of {", ".join(self.results)}."""'
        return ["@triton.jit", *head, f"{last}:", what, *(f"    {line}" for line in self.body)]

    def lines(self) -> Iterator[str]:
        """The lines that run it."""
        arguments = [*self.given, *self.results]
        if self.numbers:
            arguments.append(f"{self.own['like']}.new_tensor([{', '.join(self.numbers)}])")
        own = [self.name, tuple_text(self.lengths), str(self.dimensions)]
        own += [tuple_text([tuple_text([str(axis) for axis in tile]) for tile in self.tiles]), str(self.dots)]
        yield from call_or_wrap("_launch", [*own, *arguments], 2)


def kernel_of(
    name: str, loop: Loop, block: Block, counts: dict[int, int], written: tuple[Statement, ...], *, names: Names
) -> Kernel | None:
    """The kernel of a loop; None if there is something in it that Triton has no word for.

    Args:
        name: of the kernel.
        loop: what runs.
        block: the graph of one block.
        counts: how often each node is read that is needed.
        written: the statements whose tensors are needed in full, and those that sum over the loop.
        names: the Python names.
    """
    nodes, tensors = block.lowering.graph.nodes, names.scope.tensors
    called = block.called(tensors)
    try:
        writer = KernelWriter(nodes, counts, called, tensors, names.own, names.scope.dtype, loop.extents)
        lines: list[str] = []
        for statement, span in zip(block.statements, block.spans, strict=True):
            computed = [line for number in span if number in counts for line in writer.lines(number)]
            lines += headed(statement, computed, names, DEPTH)
        for statement in written:
            lines += stored(statement, loop, block, writer, tensors[statement.name])
    except NoKernelError:
        return None
    given = dict.fromkeys(tensors[nodes[n].name] for n in sorted(counts) if nodes[n].operation is Operation.LEAF)
    own = names.own
    loads = [f"{own['number']}_{n + 1} = tl.load({own['numbers']} + {n})" for n in range(len(writer.numbers))]
    body = [*places(writer), *loads, *lines]
    tiles = {
        frozenset(int(writer.axis(axis)) - 1 for axis in (*nodes[number].axes, *whole_product(writer, number)))
        for number in counts
    }
    widest = [tile for tile in tiles if tile and not any(tile < other for other in tiles)]
    lengths = tuple(flat(scalar_node(axis.extent, names.scope.scalars)) for axis in writer.axes)
    return Kernel(
        name,
        tuple(body),
        tuple(given),
        tuple(tensors[statement.name] for statement in written),
        tuple(flat(spelled(number, names.scope.dialect, names.scope.dtype)) for number in writer.numbers.values()),
        lengths,
        len(loop.extents),
        tuple(sorted(tuple(sorted(tile)) for tile in widest)),
        writer.dots,
        own,
    )


def whole_product(writer: KernelWriter, number: int) -> tuple[Axis, ...]:
    """The axes that a product sums over where all of it is one tile, as it is where it is none of matrices."""
    node = writer.nodes[number]
    is_whole = node.operation is Operation.PRODUCT and "tl.dot" not in writer.product(node)
    return node.summed if is_whole else ()


def places(writer: KernelWriter) -> Iterator[str]:
    """The places of a block along every axis, and which lie inside; blocks count up the last dimension first."""
    block = writer.own["block"]
    yield f"{block} = tl.program_id(0).to(tl.int64)"
    for dimension in range(len(writer.extents) - 1, -1, -1):
        axis, start = Axis(writer.extents[dimension], dimension), block
        at, size, count = (writer.of(stem, axis) for stem in ("at", "size", "count"))
        if dimension:
            yield f"{count} = tl.cdiv({writer.of('length', axis)}, {size})"
            start = f"({block} % {count})"
        yield f"{at} = {start} * {size} + tl.arange(0, {size})"
        if dimension:
            yield f"{block} = {block} // {count}"
    for axis in writer.axes:
        if axis.dimension is None:
            yield f"{writer.of('at', axis)} = tl.arange(0, {writer.of('size', axis)}).to(tl.int64)"
        yield f"{writer.of('inside', axis)} = {writer.of('at', axis)} < {writer.of('length', axis)}"


def stored(statement: Statement, loop: Loop, block: Block, writer: KernelWriter, name: str) -> list[str]:
    """The lines that put a value where it is needed in full, or add it to a total."""
    number, order = block.lowering.tensors[statement.name]
    dimensions = {index: place for place, index in enumerate(loop.indices[statement.name])}
    axes = [Axis(slot.extent, dimensions.get(slot)) for slot in statement.axes]
    rank = len(axes)
    value = spread(writer.variables[number], [order.index(place) for place in range(rank)], rank)
    function = "tl.atomic_add" if loop.is_total(statement) else "tl.store"
    target = f"{writer.own['result']}_{name}"
    if not rank:
        return call_or_wrap(function, [target, value], DEPTH)
    return call_or_wrap(function, [writer.pointers(target, axes), value, f"mask={writer.mask(axes)}"], DEPTH)
