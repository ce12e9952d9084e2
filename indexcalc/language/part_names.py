"""Names for the parts of an index: declared indices of the right extent first, new ones after that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import sympy as sp

from indexcalc.algebra.renaming import fresh_names
from indexcalc.language.lines import EquationLine, InputLine, ParameterLine, Statement
from indexcalc.language.meetings import IndexNode, definitions_of, expressions_of, gradient_tensors
from indexcalc.language.partition import Partition
from indexcalc.language.syntax import Bracket, Entry, Gradient, Reduce, Slot, axes_of, nodes_in

Names = Mapping[str, tuple[str, ...]]
"""The parts of each index of one statement that has any."""


def slots_in(line: Statement) -> tuple[Slot, ...]:
    """Every slot that a statement writes down, in authored order."""
    found: list[Slot] = []
    match line:
        case InputLine(entry=entry) | EquationLine(left=entry):
            found.extend(entry.slots or ())
    for expression in expressions_of(line):
        for node in nodes_in(expression):
            match node:
                case Entry(slots=slots) | Gradient(slots=slots):
                    found.extend(slots or ())
                case Reduce(indices=indices):
                    found.extend(indices)
                case Bracket(left=left, right=right):
                    found.extend((left, right))
    return tuple(found)


def fused_entries(line: Statement) -> tuple[Entry | Gradient, ...]:
    """The entries of a statement with an axis in parts."""
    heads = [line.entry] if isinstance(line, InputLine) else [line.left] if isinstance(line, EquationLine) else []
    nodes = [*heads, *(node for expression in expressions_of(line) for node in nodes_in(expression))]
    return tuple(node for node in nodes if isinstance(node, Entry | Gradient) and node.layout)


@dataclass
class PartNames:
    """Names for parts: declared indices of the right extent first, new ones after that."""

    lines: tuple[Statement, ...]
    extents: Mapping[str, sp.Expr]
    added: dict[str, sp.Expr] = field(default_factory=dict)

    @cached_property
    def others(self) -> frozenset[str]:
        """The names of extents, tensors and parameters, which no new index should look like."""
        extents = {symbol.name for extent in self.extents.values() for symbol in extent.free_symbols}
        parameters = {line.name for line in self.lines if isinstance(line, ParameterLine)}
        return frozenset({*extents, *parameters, *definitions_of(self.lines), *gradient_tensors(self.lines)})

    @cached_property
    def candidates(self) -> Mapping[str, sp.Expr]:
        """Declared indices, those that the author wrote in fused slots first."""
        fused = [
            slot.name
            for line in self.lines
            for entry in fused_entries(line)
            for axis in axes_of(entry)
            for slot in axis
            if len(axis) > 1 and slot.name in self.extents
        ]
        return {name: self.extents[name] for name in (*fused, *self.extents)}

    def parts(self, number: int, partition: Partition) -> Names:
        """The names of the parts of each split index of one statement."""
        names = dict.fromkeys(slot.name for slot in slots_in(self.lines[number]))
        used = set(names)
        found: dict[str, tuple[str, ...]] = {}
        for name in names:
            parts = partition.of(IndexNode(number, name))
            if parts is not None and len(parts) > 1:
                found[name] = tuple(self.choose(extent, used) for extent in parts)
        return found

    def choose(self, extent: sp.Expr, used: set[str]) -> str:
        """An index of this extent that the statement does not use yet."""
        known = {**self.candidates, **self.added}
        name = next((name for name, size in known.items() if size == extent and name not in used), None)
        if name is None:
            name = next(fresh_names({*known, *used, *self.others}))
            self.added[name] = extent
        used.add(name)
        return name
