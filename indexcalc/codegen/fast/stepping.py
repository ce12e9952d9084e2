"""A loop over steps as Python: arrays that lie in memory step by step, space for what one step needs, the loop."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from indexcalc.algebra.terms import Index
from indexcalc.codegen.fast.block import Block, block_of, headed
from indexcalc.codegen.fast.conditions import Group, Steps
from indexcalc.codegen.fast.graph import Axis
from indexcalc.codegen.fast.names import Names
from indexcalc.codegen.fast.storage import Storage, assigned
from indexcalc.codegen.fast.writing import Writer
from indexcalc.codegen.identifiers import identifiers
from indexcalc.codegen.layout import call_or_wrap
from indexcalc.codegen.names import python_name
from indexcalc.codegen.scalars import scalar_node
from indexcalc.codegen.source import flat
from indexcalc.codegen.statements import Statement
from indexcalc.codegen.steps import condition_text


@dataclass
class StepsText:
    """A loop and how it is written.

    Attributes:
        steps: the loop.
        names: the Python names outside it.
        spaces: the axes of the arrays that every step writes again.
    """

    steps: Steps
    names: Names
    spaces: list[tuple[Axis, ...]] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """The arrays, then the loop."""
        inner = [line for group in self.steps.groups for line in self.group_lines(group)]
        together = {member for stack, _ in self.steps.stacks for member in stack.members}
        for name, axes, axis in self.steps.arrays:
            if name not in together:
                yield from self.array_lines(name, axes, axis)
        for stack, _ in self.steps.stacks:
            yield from self.array_lines(stack.name, stack.axes, self.steps.places[stack.name])
            tensors = self.names.scope.tensors
            members = ", ".join(tensors[member] for member in stack.members)
            yield from (f"{members} = np.moveaxis({tensors[stack.name]}, {stack.place}, 0)",)
        own = self.names.own
        used = identifiers(inner)
        for number, space in enumerate(self.spaces):
            if f"{own['space']}_{number + 1}" not in used:
                continue
            yield from call_or_wrap(f"{own['space']}_{number + 1} = np.empty", [self.shape(space), own["dtype"]])
        loop = self.steps.loop
        count, variable = self.length(Axis(loop.extent)), self.names.scope.scalars[loop.symbol]
        steps = f"range({count})" if loop.direction > 0 else f"reversed(range({count}))"
        yield f"for {variable} in {steps}:"
        yield from inner

    def length(self, axis: Axis) -> str:
        """An extent as source."""
        return flat(scalar_node(axis.extent, self.names.scope.scalars))

    def shape(self, axes: Sequence[Axis]) -> str:
        """A shape as source."""
        lengths = ", ".join(map(self.length, axes))
        return f"({lengths},)" if len(axes) == 1 else f"({lengths})"

    def array_lines(self, name: str, axes: Sequence[Index], axis: int) -> list[str]:
        """An array for all steps, whose entries of one step lie together."""
        members = next((stack.members for stack, _ in self.steps.stacks if stack.name == name), (name,))
        maker = "np.empty" if set(members) <= self.steps.full else "np.zeros"
        order = [axes[axis], *(slot for place, slot in enumerate(axes) if place != axis)]
        shape = self.shape([Axis(slot.extent) for slot in order])
        variable, dtype = self.names.scope.tensors[name], self.names.own["dtype"]
        if axis == 0:
            return call_or_wrap(f"{variable} = {maker}", [shape, dtype])
        if axis == 1:
            *head, last = call_or_wrap(f"{variable} = {maker}", [shape, dtype])
            return [*head, f"{last}.swapaxes(0, 1)"]
        return call_or_wrap(f"{variable} = np.moveaxis", [f"{maker}({shape}, {dtype})", "0", str(axis)])

    def group_lines(self, group: Group) -> list[str]:
        """The statements of a group, under its conditions."""
        depth = 1 + bool(group.conditions)
        lines = [f"{'    ' * depth}{line}" for line in GroupText(self, group, depth).lines()]
        if not group.conditions:
            return lines
        conditions = " and ".join(condition_text(one, self.names.scope) for one in group.conditions)
        return [f"    if {conditions}:", *lines]

    def target(self, array: str) -> str:
        """An array at the present step."""
        axis = self.steps.places[array]
        slots = [":"] * axis + [self.names.scope.scalars[self.steps.loop.symbol]]
        return f"{self.names.scope.tensors[array]}[{', '.join(slots)}]"


@dataclass
class GroupText:
    """A group of statements and how they are written."""

    owner: StepsText
    group: Group
    depth: int

    def lines(self) -> Iterator[str]:
        """Every statement under its formula."""
        group, names = self.group, self.owner.names
        block = block_of(group.statements, names, frozenset())
        written = [s for s in group.statements if s.name in group.targets]
        results: dict[str, int] = {}
        for statement in written:
            in_array = group.targets[statement.name] and statement.axes and statement.name not in group.added
            if in_array and block.stands_as_it_is(statement) and block.node(statement) not in results.values():
                results[statement.name] = block.node(statement)
        kept = [block.node(statement) for statement in written if statement.name not in group.added]
        wanted = [block.node(statement) for statement in written]
        for statement in written:
            if statement.name in group.added and block.is_made_before(statement):
                kept.append(block.node(statement))
        counts = block.reads(wanted)
        storage = self.storage(block, counts, results, kept)
        writer = Writer(
            block.lowering.graph.nodes,
            storage,
            names,
            called=block.called(self.local_names()),
            counts=counts,
            depth=self.depth + 1,
            results={name: self.owner.target(group.targets[name]) for name in results},
        )
        for statement, lines in block.lines(writer, names):
            found = self.with_result(block, writer, statement, lines)
            yield from headed(statement, found, names, self.depth + 1)
        self.owner.spaces[:] = storage.spaces

    def local_names(self) -> Mapping[str, str]:
        """What values are called: those of arrays at a step must not have the name of the array."""
        tensors, word = self.names.scope.tensors, self.names.own["block"]
        steps = self.owner.steps
        arrays = {*(name for name, _, _ in steps.arrays), *(stack.name for stack, _ in steps.stacks)}
        found = dict(tensors)
        for name in sorted(arrays):
            found[name] = python_name(f"{tensors[name]}_{word}", set(found.values()))
        return found

    @property
    def names(self) -> Names:
        """The Python names outside the loop."""
        return self.owner.names

    def storage(
        self, block: Block, live: Collection[int], results: Mapping[str, int], kept: Collection[int]
    ) -> Storage:
        """Where the nodes are kept; space is shared with the groups before."""
        nodes = block.lowering.graph.nodes
        return assigned(nodes, sorted(live), results, kept, use_spaces=True, spaces=self.owner.spaces)

    def with_result(self, block: Block, writer: Writer, statement: Statement, lines: list[str]) -> list[str]:
        """The lines with what puts the value where it is needed."""
        if statement.name not in self.group.targets:
            return lines
        array = self.group.targets[statement.name]
        value = block.value(writer, statement)
        if not array:
            name = self.names.scope.tensors[statement.name]
            return lines if value == name else [*lines, f"{name} = {value}"]
        target = self.owner.target(array)
        if statement.name in self.group.added:
            return [*lines, f"{target} += {value}"]
        place = writer.storage.places.get(block.node(statement))
        if place is not None and place.result == statement.name:
            return lines
        return [*lines, f"{target} = {value}"]
