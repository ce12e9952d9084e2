"""The text of a kernel, and the lines that run it on a grid of blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from indexcalc.codegen.dialect import spelled
from indexcalc.codegen.fast.block import Block, headed
from indexcalc.codegen.fast.graph import Axis, Operation
from indexcalc.codegen.fast.kernels import KernelWriter, NoKernelError, spread
from indexcalc.codegen.fast.loops import tuple_text
from indexcalc.codegen.fast.names import Names
from indexcalc.codegen.fast.sharing import Result, Share
from indexcalc.codegen.fast.sweeps import Sweeps, sweeps_along
from indexcalc.codegen.layout import call_or_wrap
from indexcalc.codegen.scalars import scalar_node
from indexcalc.codegen.source import flat


@dataclass(frozen=True)
class Kernel:
    """A loop as a Triton kernel, or what it computes of some results.

    Attributes:
        name: of the kernel.
        body: its lines.
        given: the tensors that it reads.
        results: those that it writes, or adds to.
        numbers: what the host computes, and puts into one tensor.
        lengths: of all axes, those of the grid first.
        dimensions: how many the grid has.
        growing: the axes whose tiles may be long, in the order in which they grow; those in a group in turns.
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
    growing: tuple[tuple[int, ...], ...]
    tiles: tuple[tuple[int, ...], ...]
    dots: bool
    own: Mapping[str, str]

    @property
    def groups(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        """What the host must know of axes by their numbers."""
        return self.growing, self.tiles

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
        own += [tuple_text([tuple_text([str(axis) for axis in group]) for group in groups]) for groups in self.groups]
        own.append(str(self.dots))
        yield from call_or_wrap("_launch", [*own, *arguments], 2)


def kernel_of(name: str, share: Share, block: Block, names: Names) -> Kernel | None:
    """A kernel; None if there is something in it that Triton has no word for.

    Args:
        name: of the kernel.
        share: what it computes.
        block: the graph of one block, with the statements that its nodes are made for.
        names: the Python names.
    """
    tensors, counts = {**names.scope.tensors, **share.tensors}, share.counts
    called = {number: text for number, text in block.called(tensors).items() if number in counts}
    element = f"{names.own['result']}_{share.results[0].name}.dtype.element_ty"
    writer = KernelWriter(share.nodes, counts, called, tensors, names.own, names.scope.dtype, share.grid, element)
    text = KernelText(share, block, writer, names)
    try:
        lines = [*text.lines()]
    except NoKernelError:
        return None
    own, nodes = names.own, share.nodes
    given = dict.fromkeys(tensors[nodes[n].name] for n in sorted(counts) if nodes[n].operation is Operation.LEAF)
    loads = [f"{own['number']}_{n + 1} = tl.load({own['numbers']} + {n})" for n in range(len(writer.numbers))]
    body = [*text.places(), *loads, *lines]
    tiles = {frozenset(int(writer.axis(axis)) - 1 for axis in axes) for axes in text.tiles()}
    widest = [tile for tile in tiles if tile and not any(tile < other for other in tiles)]
    last = len(share.grid) - 1
    swept = () if share.swept is None else (int(writer.axis(share.swept)) - 1,)
    in_turns = writer.dots or not share.along_rows
    return Kernel(
        name,
        tuple(body),
        tuple(given),
        tuple(result.name for result in share.results),
        tuple(flat(spelled(number, names.scope.dialect, names.scope.dtype)) for number in writer.numbers.values()),
        tuple(flat(scalar_node(axis.extent, names.scope.scalars)) for axis in writer.axes),
        len(share.grid),
        ((last, *swept),) if in_turns or not swept else (swept, (last,)),
        tuple(sorted(tuple(sorted(tile)) for tile in widest)),
        writer.dots,
        own,
    )


@dataclass
class KernelText:
    """The lines of a kernel.

    Attributes:
        share: what it computes.
        block: the graph of one block.
        writer: of its nodes.
        names: the Python names.
        sweeps: what is computed in which sweep, if there are any.
    """

    share: Share
    block: Block
    writer: KernelWriter
    names: Names
    sweeps: Sweeps | None = field(init=False)

    def __post_init__(self) -> None:
        share, results = self.share, [result.node for result in self.share.results]
        self.sweeps = sweeps_along(share.swept, share.nodes, share.counts, results) if share.swept else None

    def lines(self) -> Iterator[str]:
        """All that follows the places: what is computed before, in and behind each sweep."""
        sweeps, counts = self.sweeps, self.share.counts
        if sweeps is None:
            yield from self.computed(set(counts), 0)
        else:
            still = {number for number in counts if not sweeps.lies(number)}
            yield from self.computed({number for number in still if not sweeps.after[number]}, 0)
            for sweep in range(1, sweeps.count + 1):
                yield from self.sweep(sweep)
                yield from self.computed({number for number in still if sweeps.after[number] == sweep}, sweep)
        for result in self.share.results:
            if sweeps is None or not sweeps.lies(result.node):
                yield from self.stored(result)

    def sweep(self, sweep: int) -> Iterator[str]:
        """One way along the axis."""
        assert self.sweeps is not None
        writer, sweeps = self.writer, self.sweeps
        growing = sweeps.growing(sweep)
        for number in sorted(sweeps.shifts(sweep)):
            writer.shifts[number] = len(writer.shifts) + 1
        for number in growing:
            yield from writer.beginning(number)
        start, at, size, length, inside = (
            writer.of(stem, sweeps.axis) for stem in ("start", "at", "size", "length", "inside")
        )
        known = dict(writer.inside)
        writer.depth += 1
        body = [f"{at} = {start} + tl.arange(0, {size}).to(tl.int64)", f"{inside} = {at} < {length}"]
        body += self.computed(sweeps.inside(sweep) | set(growing), sweep, is_within=True)
        for result in self.share.results:
            if result.node in sweeps.results.get(sweep, ()):
                body += self.stored(result)
        writer.depth -= 1
        writer.inside = known
        yield f"for {start} in range(0, {length}, {size}):"
        yield from (f"    {line}" for line in body)

    def computed(self, chosen: set[int], sweep: int, *, is_within: bool = False) -> Iterator[str]:
        """The lines of some nodes, under the formulas of their statements."""
        running = self.sweeps.running if self.sweeps is not None else {}
        for statement, span in zip(self.block.statements, self.block.spans, strict=True):
            lines: list[str] = []
            for number in span:
                if number not in chosen:
                    continue
                if number not in running:
                    lines += self.writer.lines(number)
                elif is_within:
                    lines += self.writer.grown(number, running[number])
                else:
                    lines += self.writer.multiplied(number, running[number])
            yield from headed(statement, lines, self.names, self.writer.depth)

    def tiles(self) -> Iterator[tuple[Axis, ...]]:
        """The axes of every tile."""
        for number in self.share.counts:
            node = self.share.nodes[number]
            # A product that is none of matrices is one tile before it is summed.
            whole = node.operation is Operation.PRODUCT and not self.writer.is_of_matrices(node)
            yield (*node.axes, *(node.summed if whole else ()))

    def places(self) -> Iterator[str]:
        """The places of a block along every axis but the swept one, and which lie inside."""
        writer, block = self.writer, self.names.own["block"]
        yield f"{block} = tl.program_id(0).to(tl.int64)"
        # Blocks count up the last axis of the grid first.
        for number, axis in reversed([*enumerate(writer.grid)]):
            start, at, size, count = block, *(writer.of(stem, axis) for stem in ("at", "size", "count"))
            if number:
                yield f"{count} = tl.cdiv({writer.of('length', axis)}, {size})"
                start = f"({block} % {count})"
            yield f"{at} = {start} * {size} + tl.arange(0, {size})"
            if number:
                yield f"{block} = {block} // {count}"
        for axis in writer.axes:
            if axis == self.share.swept:
                continue
            if axis not in writer.grid:
                yield f"{writer.of('at', axis)} = tl.arange(0, {writer.of('size', axis)}).to(tl.int64)"
            yield f"{writer.of('inside', axis)} = {writer.of('at', axis)} < {writer.of('length', axis)}"

    def stored(self, result: Result) -> list[str]:
        """The lines that put a value where it is needed in full, or add it to a total."""
        writer, own_axes = self.writer, self.share.nodes[result.node].axes
        axes = [own_axes[place] for place in result.places]
        value = spread(writer.variables[result.node], [result.places.index(n) for n in range(len(axes))], len(axes))
        function = "tl.atomic_add" if result.is_added else "tl.store"
        target = f"{self.names.own['result']}_{result.name}"
        if not axes:
            return call_or_wrap(function, [target, value], writer.depth)
        return call_or_wrap(function, [writer.pointers(target, axes), value, f"mask={writer.mask(axes)}"], writer.depth)
