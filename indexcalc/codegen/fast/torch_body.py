"""The body of a fast function in PyTorch: whole tensors one after another, and a function of one block of each loop."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from indexcalc.codegen.dialect_torch import TORCH
from indexcalc.codegen.fast.block import Block, block_names, block_of, has_memory, headed, root_text
from indexcalc.codegen.fast.blocking import Blocking, Loop, parts_of
from indexcalc.codegen.fast.body import needed_after
from indexcalc.codegen.fast.graph import Axis, Operation
from indexcalc.codegen.fast.launching import Kernel, kernel_of
from indexcalc.codegen.fast.library import Body, Library, Setting
from indexcalc.codegen.fast.loops import factor_text, tuple_text
from indexcalc.codegen.fast.names import Names
from indexcalc.codegen.fast.pure import PureWriter
from indexcalc.codegen.fast.scheduling import scheduled
from indexcalc.codegen.fast.sharing import Result, shares
from indexcalc.codegen.fast.storage import Storage
from indexcalc.codegen.identifiers import identifiers
from indexcalc.codegen.layout import call_or_wrap, head
from indexcalc.codegen.names import python_name
from indexcalc.codegen.scalars import product_of_extents, scalar_node
from indexcalc.codegen.source import flat
from indexcalc.codegen.statements import Kind, Statement


def torch_body(problem: Blocking, names: Names, block: str | None, stem: str) -> Body:
    """The lines that compute the wanted tensors from the given ones, and the functions of blocks that they call."""
    schedule = scheduled(problem, block)
    lines: list[str] = []
    functions: list[str] = []
    kernels: list[str] = []
    whole: set[str] = set()
    for last, part in parts_of(schedule):
        later = needed_after(problem, schedule, last)
        if isinstance(part, Loop):
            whole.update(name for name in part.indices if name in later)
            text = block_function(part, f"_{stem}_{len(functions) + 1}", later, problem, names)
            functions.append("\n".join(text.definition()))
            kernels += ("\n".join(kernel.definition()) for kernel in text.kernels)
            lines += text.call_lines()
        elif part[0].kind is Kind.ROOT:
            lines += root_text(part[0], names)
        else:
            lines += whole_lines(part, later, problem, names)
    return Body(tuple(lines), schedule, frozenset(whole), tuple(functions), tuple(kernels))


def whole_lines(
    statements: Sequence[Statement], later: Collection[str], problem: Blocking, names: Names
) -> Iterator[str]:
    """Statements one after another, on whole tensors; each result has memory of its own."""
    block = block_of(statements, names, problem.large)
    kept = [block.node(statement) for statement in statements if statement.name in later]
    counts = block.reads(kept)
    for number in kept:
        counts[number] += 1
    nodes, tensors = block.lowering.graph.nodes, names.scope.tensors
    leaves = {n: tensors[node.name] for n, node in enumerate(nodes) if node.operation is Operation.LEAF}
    called = block.called(tensors)
    writer = PureWriter(nodes, Storage(nodes, {}, False), names, called=called, counts=counts, leaves=leaves)
    used: set[int] = set()
    for statement, computed in block.lines(writer, names):
        lines = list(computed)
        if statement.name in later:
            number, places = block.lowering.tensors[statement.name]
            value = writer.arranged(number, places)
            target = tensors[statement.name]
            if statement.name in problem.wanted and (number in used or not has_memory(nodes[number])):
                lines += writer.assigned(target, value)
                lines.append(f"{target} = {target}.clone()")
            elif flat(value) != target:
                lines += writer.assigned(target, value)
            used.add(number)
        yield from headed(statement, lines, names, 1)


@dataclass(frozen=True)
class BlockFunction:
    """A loop as a function of one block, and what calls it.

    Attributes:
        name: of the function.
        loop: what runs.
        block: the graph of one block.
        writer: of its nodes.
        written: the statements whose tensors are needed in full.
        totals: the statements that sum over the loop.
        names: the Python names outside.
        given: the parameter for each tensor, or part of one, that the block reads.
        at: the parameter for the places of the block along each dimension that it asks for.
        kernels: the same in Triton, if it has words for it, one after another.
        kept: the sizes of what one of these keeps for another, by the variable of its tensor.
    """

    name: str
    loop: Loop
    block: Block
    writer: PureWriter
    written: tuple[Statement, ...]
    totals: tuple[Statement, ...]
    names: Names
    given: Mapping[str, str]
    at: Mapping[int, str]
    kernels: tuple[Kernel, ...]
    kept: Mapping[str, tuple[Axis, ...]]

    @property
    def body(self) -> list[str]:
        """The lines that compute one block, and return what is needed of it."""
        lines: list[str] = []
        for statement, own in self.block.lines(self.writer, self.names):
            lines += headed(statement, own, self.names, 1)
        results = []
        for statement in (*self.written, *self.totals):
            number, places = self.block.lowering.tensors[statement.name]
            value = flat(self.writer.arranged(number, places))
            if not value.isidentifier():
                value = next(self.writer.spare_names())
                lines += self.writer.assigned(value, self.writer.arranged(number, places))
            results.append(value)
        text = f"return {tuple_text(results)}" if len(results) == 1 else f"return {', '.join(results)}"
        return [*lines, text] if len(text) < 84 else [*lines, "return (", *(f"    {r}," for r in results), ")"]

    def keywords(self, body: Sequence[str]) -> dict[str, str]:
        """The numbers that the lines of a block read, with their types."""
        used, own = identifiers(body), self.names.own
        sizes = [f"{own['size']}_{n + 1}" for n in range(len(self.loop.extents))]
        scalars = {name: "int" if symbol.is_integer else "float" for symbol, name in self.names.scope.scalars.items()}
        return {name: kind for name, kind in (*scalars.items(), *((s, "int") for s in sizes)) if name in used}

    def definition(self) -> list[str]:
        """The function of one block."""
        body = self.body
        array, like = self.names.scope.dialect.array, self.names.own["like"]
        parameters = [f"{name}: {array}" for name in (*self.given.values(), *self.at.values())]
        if like in identifiers(body):
            parameters = [f"{like}: {array}", *parameters]
        keywords = [f"{name}: {kind}" for name, kind in self.keywords(body).items()]
        parameters += ["*", *keywords] if keywords else []
        results = [self.names.scope.tensors[s.name] for s in (*self.written, *self.totals)]
        what = f"One block of {', '.join(results)}."
        summary = what if len(what) < 75 else "One block of the results of a loop."
        first = head(self.name, parameters, f"tuple[{array}, ...]")
        return [first, f'    """{summary}"""', *(f"    {line}" for line in body)]

    def call_lines(self) -> Iterator[str]:
        """Tensors for the results, then the call for every block, or the kernel."""
        own, tensors = self.names.own, self.names.scope.tensors
        for statement in (*self.written, *self.totals):
            sizes = [flat(scalar_node(slot.extent, self.names.scope.scalars)) for slot in statement.axes]
            maker = "new_zeros" if statement in self.totals else "new_empty"
            shape = tuple_text(sizes) if sizes else "()"
            yield from call_or_wrap(f"{tensors[statement.name]} = {own['like']}.{maker}", [shape])
        if not self.kernels:
            yield from self.loop_lines()
            return
        yield f'if {own["by"]} == "triton" and triton is not None:'
        for name, axes in self.kept.items():
            sizes = [flat(scalar_node(axis.extent, self.names.scope.scalars)) for axis in axes]
            yield f"    {name} = {own['like']}.new_empty({tuple_text(sizes) if sizes else '()'})"
        yield from (f"    {line}" for kernel in self.kernels for line in kernel.lines())
        yield "else:"
        yield from (f"    {line}" for line in self.loop_lines())

    def loop_lines(self) -> Iterator[str]:
        """The call for every block."""
        own = self.names.own
        yield f"{own['loop']} = _chosen({self.name}, {own['by']})"
        blocks = self.writer.blocks
        target = f"({blocks[0]},)" if len(blocks) == 1 else ", ".join(blocks)
        lengths = tuple_text([flat(scalar_node(extent, self.names.scope.scalars)) for extent in self.loop.extents])
        cell = f"{own['like']}.element_size() * {self.cell()}"
        *first, last = call_or_wrap(f"for {target} in _blocks", [lengths, cell], 2 if self.kernels else 1)
        yield from (*first, f"{last}:")
        body = self.body
        arguments = [own["like"]] if own["like"] in identifiers(body) else []
        arguments += self.given
        for dimension in self.at:
            ends = f"{blocks[dimension]}.start, {blocks[dimension]}.stop"
            arguments.append(f"torch.arange({ends}, device={own['like']}.device)")
        lengths_of = {f"{own['size']}_{n + 1}": f"{name}.stop - {name}.start" for n, name in enumerate(blocks)}
        arguments += [f"{name}={lengths_of.get(name, name)}" for name in self.keywords(body)]
        yield from (f"    {line}" for line in call_or_wrap(f"{own['block']} = {own['loop']}", arguments, 2))
        for place, statement in enumerate((*self.written, *self.totals)):
            sign = "+=" if statement in self.totals else "="
            part = self.part_of(statement)
            # A tensor without axes is no place to write into by its name.
            yield f"    {part}{'[...]' if sign == '=' and '[' not in part else ''} {sign} {own['block']}[{place}]"

    def part_of(self, statement: Statement) -> str:
        """The part of a whole tensor that belongs to the block."""
        dimensions = {index: number for number, index in enumerate(self.loop.indices[statement.name])}
        axes = [Axis(slot.extent, dimensions.get(slot)) for slot in statement.axes]
        return self.writer.sliced(self.names.scope.tensors[statement.name], axes)

    def cell(self) -> str:
        """How many entries the tensors of one block hold for every entry of the loop's dimensions."""
        every = set(range(len(self.loop.extents)))
        counts: dict[str, int] = {}
        for node in (self.writer.nodes[number] for number in self.writer.counts):
            extents = [axis.extent for axis in node.axes if axis.dimension is None]
            if extents and node.operation is not Operation.LEAF and every <= {axis.dimension for axis in node.axes}:
                text = factor_text(product_of_extents(extents, self.names.scope.scalars))
                counts[text] = counts.get(text, 0) + 1
        parts = [f"{count} * {text}" if count > 1 else text for text, count in counts.items()]
        return parts[0] if len(parts) == 1 else f"({' + '.join(parts)})" if parts else "1"


def block_function(loop: Loop, name: str, later: Collection[str], problem: Blocking, names: Names) -> BlockFunction:
    """A loop as it is written; `later` are the tensors that are needed after it."""
    block = block_of(loop.statements, names, problem.large, loop)
    totals = tuple(s for s in loop.statements if loop.is_total(s))
    written = tuple(s for s in loop.statements if s.name in later and s not in totals)
    wanted = [block.node(statement) for statement in (*written, *totals)]
    counts = block.reads(wanted)
    for number in wanted:
        counts[number] += 1
    nodes, blocks = block.lowering.graph.nodes, block_names(loop, names)
    outer = PureWriter(nodes, Storage(nodes, {}, False), names, blocks=blocks, called={}, counts=counts)
    given: dict[str, str] = {}
    leaves: dict[int, str] = {}
    at: dict[int, str] = {}
    for number in sorted(counts):
        node = nodes[number]
        if node.operation is Operation.LEAF:
            tensor = names.scope.tensors[node.name]
            text = outer.sliced(tensor, node.axes)
            part = python_name(f"{tensor}_{names.own['block']}", {*given.values(), *names.taken})
            given.setdefault(text, tensor if text == tensor else part)
            leaves[number] = given[text]
        elif node.operation is Operation.POSITIONS and node.axes[0].dimension is not None:
            dimension = node.axes[0].dimension
            at[dimension] = f"{names.own['part']}_{blocks[dimension]}"
    # The tensors that are made in the block may be called as outside: it is a function of its own.
    called = {n: text for n, text in block.called(names.scope.tensors).items() if n in counts}
    writer = PureWriter(
        nodes, outer.storage, names, blocks=blocks, called=called, counts=counts, leaves=leaves, positions=at
    )
    kernels, kept = kernels_of(name, loop, block, (*written, *totals), names)
    return BlockFunction(name, loop, block, writer, written, totals, names, given, at, kernels, kept)


def kernels_of(
    name: str, loop: Loop, block: Block, wanted: Sequence[Statement], names: Names
) -> tuple[tuple[Kernel, ...], Mapping[str, tuple[Axis, ...]]]:
    """The kernels of a loop, and the axes of what one keeps for another; none if Triton lacks a word for one."""
    tensors = names.scope.tensors
    results = [Result(tensors[s.name], *block.lowering.tensors[s.name], loop.is_total(s)) for s in wanted]
    grid = tuple(Axis(extent, dimension) for dimension, extent in enumerate(loop.extents))
    found: list[Kernel] = []
    kept: dict[str, tuple[Axis, ...]] = {}
    for share in shares(block.lowering.graph.nodes, results, grid, names.own["kept"]):
        kernel = kernel_of(f"{name}_kernel" + (f"_{len(found) + 1}" if found else ""), share, block, names)
        if kernel is None:
            return (), {}
        found.append(kernel)
        kept |= share.kept
    return tuple(found), kept


def like_lines(own: str, variables: Sequence[str]) -> list[str]:
    """The tensor that new ones are made like: all given ones have one dtype."""
    return [f"{own} = {variables[0]}"] if variables else []


IN_TORCH = Library(
    dialect=TORCH,
    template="torch_fast_module.py.jinja2",
    setting=Setting("by", 'str = "eager"', 'how blocks run: "eager", "compile" (by `torch.compile`) or "triton".'),
    body=torch_body,
    like=lambda own: own["like"],
    dtype=lambda own: f"{own['like']}.dtype",
    like_lines=like_lines,
    ends=(),
    decorators=("@torch.no_grad()",),
    variables=(
        "like",
        "by",
        "at",
        "inside",
        "count",
        "length",
        "number",
        "numbers",
        "tile",
        "result",
        "start",
        "before",
        "shift",
        "scale",
        "kept",
    ),
    private=TORCH.private,
    has_steps=False,
    copies_windows=False,
    has_bounds=False,
)
"""PyTorch: a function for each block, which `torch.compile` takes."""
