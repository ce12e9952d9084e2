"""Which indices and slots fall into parts: what stands in one slot of one tensor is split alike everywhere.

An input ``W[m,(h,k)]`` says that the second slot of W has two parts; an index ``c`` that stands
there in some equation then has the same parts in that equation, and so has every slot in which it
stands. The parts are found by a fixpoint over the whole program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain

import sympy as sp

from indexcalc.errors import LimitError
from indexcalc.language.extents import common_split
from indexcalc.language.lines import Statement
from indexcalc.language.meetings import AxisNode, Definition, IndexNode, Meeting, Node, meetings_of
from indexcalc.language.source import Source, line_of
from indexcalc.language.syntax import axes_of

PART_LIMIT = 64
"""The most parts of one slot."""

Parts = tuple[sp.Expr, ...]


@dataclass
class Partition:
    """The parts of every node; a node without an entry has one part, its extent."""

    extents: Mapping[str, sp.Expr]
    parts: dict[Node, Parts] = field(default_factory=dict)

    def of(self, node: Node) -> Parts | None:
        """The extents of the parts of a node, the slowest first; None for an index that is not declared."""
        if node not in self.parts and isinstance(node, IndexNode):
            extent = self.extents.get(node.name)
            return None if extent is None else (extent,)
        return self.parts.get(node)

    def flat(self, nodes: tuple[Node, ...]) -> Parts | None:
        """The parts of a list of nodes, one after the other."""
        found = [self.of(node) for node in nodes]
        return None if None in found else tuple(chain.from_iterable(parts for parts in found if parts is not None))

    def split(self, nodes: tuple[Node, ...], finer: Parts) -> bool:
        """Give the finer parts to the nodes; whether anything changed."""
        changed, rest = False, [*finer]
        for node in nodes:
            coarse = self.of(node)
            assert coarse is not None
            whole = sp.Mul(*coarse)
            taken: list[sp.Expr] = []
            # Parts of extent 1 at the end belong to the last node.
            while rest and (sp.Mul(*taken) != whole or node == nodes[-1]):
                taken.append(rest.pop(0))
            changed = changed or tuple(taken) != coarse
            self.parts[node] = tuple(taken) if taken else coarse
        return changed


def find_partition(
    lines: tuple[Statement, ...],
    definitions: Mapping[str, Definition],
    extents: Mapping[str, sp.Expr],
    source: Source,
) -> Partition:
    """The parts of all indices and axes.

    Raises:
        SpecError: where two ways to split one slot contradict each other, or differ in extent.
    """
    found = Partition(extents)
    for definition in definitions.values():
        for position, slots in enumerate(axes_of(definition.entry)):
            parts = found.flat(tuple(IndexNode(definition.statement, slot.name) for slot in slots))
            if parts is not None:
                found.parts[AxisNode(definition.entry.name, position)] = parts
    meetings = tuple(meetings_of(lines, definitions))
    changed = True
    while changed:
        changed = False
        for meeting in meetings:
            changed = meet(meeting, found, source) or changed
    return found


def meet(meeting: Meeting, found: Partition, source: Source) -> bool:
    """Split both sides of a meeting alike; whether anything changed."""
    left, right = found.flat(meeting.left), found.flat(meeting.right)
    if left is None or right is None or left == right:
        return False
    plain = len(left) == len(right) == 1
    common = None if plain else common_split(left, right)
    if common is not None and len(common) <= PART_LIMIT:
        parts = [found.split(nodes, common) for nodes in (meeting.left, meeting.right)]
        return any(parts)
    if common is not None:
        raise source.error(str(LimitError(f"a slot with more than {PART_LIMIT} parts")), meeting.at)
    if plain or (len(left) == len(right) and len(meeting.left) == len(left) and sp.Mul(*left) != sp.Mul(*right)):
        return False
    raise source.error(contradiction(meeting, left, right), meeting.at)


def contradiction(meeting: Meeting, left: Parts, right: Parts) -> str:
    """Both extents, or both ways to split one extent."""
    one, other = extent_text(left), extent_text(right)
    there = f"{meeting.general}{line_of(meeting.there)}"
    if sp.Mul(*left) != sp.Mul(*right):
        return f"{meeting.what} has extent {one}, but this slot of {there} has extent {other}"
    return f"{meeting.what} is split as {one} here, but this slot of {there} as {other}; the order of the parts counts"


def extent_text(parts: Parts) -> str:
    """``N_H * D_h``, in the order of the parts."""
    return " * ".join(f"({part})" if part.is_Mul and len(parts) > 1 else str(part) for part in parts)
