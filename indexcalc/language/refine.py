"""Plain indices that meet fused slots are written out in parts, so that after this only plain slots are left.

``Y[n,c] = sum[m](X[n,m] * W[m,c])`` with an input ``W[m,(h,k)]`` becomes ``Y[n,(h,k)] = ... W[m,(h,k)]``.
The parts take the names of declared indices that the statement does not use, else new ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import sympy as sp

from indexcalc.language.extents import as_extent, extent_value
from indexcalc.language.lines import ClaimLine, EquationLine, IndexLine, InputLine, NameLine, Statement, UpstreamLine
from indexcalc.language.meetings import AxisNode, Definition, definitions_of, expressions_of, gradient_tensors
from indexcalc.language.part_names import Names, PartNames, fused_entries, slots_in
from indexcalc.language.partition import Partition, find_partition
from indexcalc.language.source import Source
from indexcalc.language.syntax import (
    Bracket,
    Entry,
    Expression,
    Gradient,
    Layout,
    Reduce,
    Slot,
    Times,
    axes_of,
    beyond_limits,
    names_in_slot,
    plain_or_fused,
    with_children,
)


def refine(statements: Iterable[Statement], source: Source) -> tuple[Statement, ...]:
    """The statements with every fused slot, and every index that stands in one, in parts.

    Mistakes that have nothing to do with fused slots stay as they are, for those who look for them.

    Raises:
        SpecError: for contradicting ways to split a slot, or a bracket that compares split indices.
    """
    lines = tuple(statements)
    expressions = [expression for line in lines for expression in expressions_of(line)]
    if any(beyond_limits(expression) for expression in expressions) or not any(map(fused_entries, lines)):
        return lines
    extents = {
        slot.name: extent_value(line.extent) for line in lines if isinstance(line, IndexLine) for slot in line.names
    }
    definitions = definitions_of(lines)
    partition = find_partition(lines, definitions, extents, source)
    naming = PartNames(lines, extents)
    alias = gradient_tensors(lines)
    refined: list[Statement] = []
    for number, line in enumerate(lines):
        writer = Writer(naming.parts(number, partition), definitions, alias, partition, source)
        refined.append(writer.statement(line))
    return with_index_lines(tuple(refined), lines, naming)


@dataclass
class Writer:
    """One statement written out in parts."""

    names: Names
    definitions: Mapping[str, Definition]
    alias: Mapping[str, str]
    partition: Partition
    source: Source
    done: dict[int, tuple[Expression, Expression]] = field(default_factory=dict)

    def statement(self, line: Statement) -> Statement:
        """The statement with every slot in parts."""
        match line:
            case InputLine(entry=entry):
                return replace(line, entry=self.definition(entry))
            case EquationLine(left=left, right=right):
                return replace(line, left=self.definition(left), right=self.expression(right))
            case ClaimLine(left=left, right=right):
                return replace(line, left=self.expression(left), right=self.expression(right))
            case UpstreamLine(given=given, gradient=gradient):
                return replace(line, given=self.definition(given), gradient=self.gradient(gradient))
            case NameLine(gradient=gradient):
                return replace(line, gradient=self.gradient(gradient))
            case _:
                return line

    def expression(self, node: Expression) -> Expression:
        """The expression with every slot in parts; what Python shares stays shared."""
        known = self.done.get(id(node))
        if known is None:
            known = (node, self.write(node))
            self.done[id(node)] = known
        return known[1]

    def write(self, node: Expression) -> Expression:
        """An expression by its kind."""
        match node:
            case Reduce():
                return self.reduce(node)
            case Entry(name="delta", slots=(one, other), layout=()) if "delta" not in self.definitions:
                return self.delta(node, one, other)
            case Bracket(left=left, right=right):
                return self.bracket(node, left, right)
            case Entry(name=name):
                return self.entry(node, self.alias.get(name, name) if name not in self.definitions else name)
            case Gradient():
                return self.gradient(node)
            case _:
                return with_children(node, self.expression)

    def slots(self, slots: tuple[Slot, ...]) -> tuple[Slot, ...]:
        """The slots with those in parts written out, in the same place of the text."""
        for slot in slots:
            split = next((name for name in names_in_slot(slot) if slot.expression and name.name in self.names), None)
            if split is not None:
                raise self.source.error(
                    f"the index {split.name} stands in a fused slot and falls into "
                    f"({','.join(self.names[split.name])}); "
                    "an expression takes whole indices: use the parts",
                    split.at,
                )
        return tuple(replace(slot, name=name) for slot in slots for name in self.names.get(slot.name, (slot.name,)))

    def layout(self, node: Entry | Gradient) -> Layout:
        """How the slots that are written out are grouped into axes."""
        return plain_or_fused(tuple(len(self.slots(axis)) for axis in axes_of(node)))

    def definition(self, entry: Entry) -> Entry:
        """A left side: its axes stay, some with more parts."""
        if entry.slots is None:
            return entry
        return Entry(entry.name, self.slots(entry.slots), entry.at, self.layout(entry))

    def stored(self, node: Entry | Gradient, tensor: str, slots: tuple[Slot, ...]) -> Layout:
        """The grouping of the tensor's own axes, if it has as many slots as are written here."""
        definition = self.definitions.get(tensor)
        if definition is not None:
            axes = [self.partition.of(AxisNode(tensor, n)) or (1,) for n in range(len(axes_of(definition.entry)))]
            sizes = tuple(len(parts) for parts in axes)
            if sum(sizes) == len(slots):
                return plain_or_fused(sizes)
        return self.layout(node)

    def entry(self, node: Entry, tensor: str) -> Entry:
        """A read of a tensor, under the tensor's own grouping."""
        if node.slots is None:
            return node
        slots = self.slots(node.slots)
        return Entry(node.name, slots, node.at, self.stored(node, tensor, slots))

    def gradient(self, node: Gradient) -> Gradient:
        """A gradient has the axes of its tensor."""
        if node.slots is None:
            return node
        slots = self.slots(node.slots)
        return Gradient(node.of, slots, node.at, self.stored(node, node.of, slots))

    def reduce(self, node: Reduce) -> Reduce:
        """A sum over an index in parts is a sum over the parts."""
        body, indices = self.expression(node.body), self.slots(node.indices)
        if indices == node.indices or not node.extents:
            return replace(node, body=body, indices=indices)
        extents: list[sp.Expr] = []
        for slot, extent in zip(node.indices, node.extents, strict=True):
            parts = self.slots((slot,))
            # The extent at the sum itself is compared part by part; for a product it says nothing new.
            extents.extend((extent,) if len(parts) == 1 else ())
        return replace(node, body=body, indices=indices, extents=tuple(extents) if len(extents) == len(indices) else ())

    def delta(self, node: Entry, one: Slot, other: Slot) -> Expression:
        """The delta of two indices in parts is the product of the parts' deltas."""
        pairs = list(zip(self.slots((one,)), self.slots((other,)), strict=False))
        deltas = tuple(Entry("delta", pair, node.at) for pair in pairs)
        return deltas[0] if len(deltas) == 1 else Times(deltas, node.at)

    def bracket(self, node: Bracket, left: Slot, right: Slot) -> Expression:
        """``[c == e]`` is a product over the parts; an order of parts has no brackets of its own."""
        if left.name not in self.names and right.name not in self.names:
            return node
        if node.relation != "==":
            name = left.name if left.name in self.names else right.name
            raise self.source.error(
                f"the index {name} stands in a fused slot and falls into ({','.join(self.names[name])}); "
                f"a bracket with {node.relation} compares whole indices: compare the parts",
                node.at,
            )
        pairs = zip(self.slots((left,)), self.slots((right,)), strict=True)
        return Times(tuple(Bracket(one, "==", other, node.at) for one, other in pairs), node.at)


def with_index_lines(
    refined: tuple[Statement, ...], lines: tuple[Statement, ...], naming: PartNames
) -> tuple[Statement, ...]:
    """The declarations without indices that are now nowhere but in parts, and with the new ones."""
    before = {slot.name for line in lines for slot in slots_in(line)}
    after = {slot.name for line in refined for slot in slots_in(line)}
    kept: list[Statement] = []
    for line in refined:
        if isinstance(line, IndexLine):
            names = tuple(slot for slot in line.names if slot.name in after or slot.name not in before)
            if names:
                kept.append(replace(line, names=names))
        else:
            kept.append(line)
    for name, extent in naming.added.items():
        kept.append(IndexLine((Slot(name),), as_extent(extent)))
    return tuple(kept)
