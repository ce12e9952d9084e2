"""How much memory a block takes, tensor by tensor: read off the graph that its lines are written from.

A bound must hold, so all is counted that may be there at once: the reused space of a thread; what has no space, twice,
for the old value of a name is there until the new one has been computed; and what NumPy copies on the way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import sympy as sp

from indexcalc.algebra.terms import Index
from indexcalc.codegen.fast.block import Block, has_memory
from indexcalc.codegen.fast.graph import Axis, Node, Operation, Use
from indexcalc.codegen.fast.storage import COPY, WRITING, Place, is_truth, is_view
from indexcalc.codegen.fast.writing import Writer
from indexcalc.codegen.source import Binary, Call

ITEM = sp.Symbol("bytes of one entry", positive=True)
"""How many bytes an entry of a floating array takes."""

WHOLE_NUMBER = 8
"""The bytes of a whole number."""

BY_THE_WAY = {"_sigmoid": 5, "_sigmoid_into": 1, "_silu": 7, "_gelu": 4, "_erf": 2}
"""Private functions, and how many arrays of the size of their argument they make besides the result."""

ERF_BLOCK = 16384 * 16
"""The entries that the error function holds for a block of its own."""

PARTS = "parts of {}"
"""What the arrays are called that a tensor is made of outside of loops."""

Footprint = Mapping[str, sp.Expr]
"""The bytes that the computation of each tensor takes."""


@dataclass(frozen=True)
class Measure:
    """What is needed to measure the arrays of a block.

    Attributes:
        block: the graph.
        writer: of its lines, which are written already.
        slots: of the tensors that are there before.
        whole: the inputs of whole numbers.
        steps: a symbol for the length of a block on every dimension of the loop; none outside loops.
        results: the tensors that get memory of their own outside of loops.
        widths: what is known of the width of nodes: many read the same ones.
    """

    block: Block
    writer: Writer
    slots: Mapping[str, Sequence[Index]]
    whole: Collection[str]
    steps: tuple[sp.Symbol, ...] = ()
    results: Collection[str] = ()
    widths: dict[int, sp.Expr] = field(default_factory=dict)

    @property
    def nodes(self) -> Sequence[Node]:
        """All nodes."""
        return self.writer.nodes

    def footprint(self) -> Footprint:
        """The bytes by the tensor for which they are needed; outside of loops its own apart from all others."""
        found: dict[str, sp.Expr] = {}
        alone: dict[str, sp.Expr] = {}
        spaces: set[int] = set()
        for statement, span in zip(self.block.statements, self.block.spans, strict=True):
            total = sp.S.Zero
            for number in (n for n in span if n in self.writer.counts):
                place = self.place(number)
                if place.space is not None and place.space not in spaces:
                    spaces.add(place.space)
                    total += self.width(number) * self.entries(self.writer.storage.spaces[place.space])
                total += self.by_the_way(number)
                if number == self.block.node(statement) and not self.steps:
                    alone[statement.name] = self.own(number, place)
                else:
                    total += self.own(number, place)
            whole = self.block.node(statement)
            if statement.name in self.results and not (alone.get(statement.name) and has_memory(self.nodes[whole])):
                # What stands in the memory of another is copied.
                alone[statement.name] = self.size(whole)
            if any(self.nodes[number].name in ("_erf", "_gelu") for number in span):
                # All have the same block, one after another.
                found["erf"] = ERF_BLOCK * ITEM
            found[statement.name if self.steps else PARTS.format(statement.name)] = sp.expand(total)
        return {name: size for name, size in {**alone, **found}.items() if size != 0}

    def place(self, number: int) -> Place:
        """Where a node is kept."""
        return self.writer.storage.places.get(number, Place())

    def entries(self, axes: Sequence[Axis]) -> sp.Expr:
        """The number of entries of one block."""
        return sp.Mul(*(a.extent if a.dimension is None or not self.steps else self.steps[a.dimension] for a in axes))

    def width(self, number: int) -> sp.Expr:
        """The bytes of an entry; where whole numbers meet others, those of both."""
        if number not in self.widths:
            self.widths[number] = self.width_of(self.nodes[number])
        return self.widths[number]

    def width_of(self, node: Node) -> sp.Expr:
        """The bytes of an entry of a node."""
        if node.operation is Operation.POSITIONS:
            return sp.Integer(WHOLE_NUMBER)
        if node.operation is Operation.LEAF:
            return sp.Integer(WHOLE_NUMBER) if node.name in self.whole else ITEM
        if is_truth(node):
            return sp.S.One
        widths = {self.width(use.node) for use in node.uses} - {sp.S.One}
        return ITEM if widths <= {ITEM} else ITEM + WHOLE_NUMBER

    def size(self, number: int) -> sp.Expr:
        """The bytes of a node."""
        node = self.nodes[number]
        if node.operation is Operation.LEAF and node.name in self.slots and not self.steps:
            return self.width(number) * sp.Mul(*(slot.extent for slot in self.slots[node.name]))
        return self.width(number) * self.entries(node.axes)

    def own(self, number: int, place: Place) -> sp.Expr:
        """The bytes of a node without space, or those of its value on the way to where it is kept."""
        node = self.nodes[number]
        if node.operation is Operation.LEAF or number in self.writer.added or is_view(node):
            return sp.S.Zero
        direct = node.name in WRITING or node.name == COPY or self.is_matmul(number)
        if place.inherited is not None or ((place.space is not None or (place.result and self.steps)) and direct):
            return sp.S.Zero
        return self.size(number) * (2 if self.steps else 1)

    def is_matmul(self, number: int) -> bool:
        """Whether a node is written as ``left @ right``."""
        node = self.nodes[number]
        if node.operation is not Operation.PRODUCT:
            return False
        value = self.writer.product(node)
        return isinstance(value, Binary) and value.operator == "@"

    def by_the_way(self, number: int) -> sp.Expr:
        """The bytes of what NumPy, or a private function, makes on the way and gives back."""
        node = self.nodes[number]
        if node.operation is Operation.PRODUCT:
            return self.copies(number)
        if node.operation is Operation.EXPRESSION:
            return self.moved(number)
        return BY_THE_WAY.get(node.name, 0) * self.size(number)

    def moved(self, number: int) -> sp.Expr:
        """What is needed to bring entries to other places, besides the result."""
        node = self.nodes[number]
        calls = Counter(re.findall(r"_\w+(?=\()", node.name))
        reads = [use.node for use in node.uses]
        places = sp.Add(*(self.size(read) for read in reads if self.nodes[read].name in self.whole))
        read = sp.Add(*(self.size(read) for read in reads)) - places
        if calls.keys() <= {"_windows"}:
            # Zeros are put around what is read.
            return 2 * read
        if calls.keys() <= {"_folded", "_looked_up"}:
            return read + self.size(number) if calls.total() > 1 else sp.S.Zero
        # Places are computed and sorted, and entries brought in their order.
        computed = 8 * WHOLE_NUMBER * self.entries(node.axes) if calls.keys() & {"_entries", "_nearest"} else 0
        return 3 * (read + self.size(number)) + 12 * places + computed

    def copies(self, number: int) -> sp.Expr:
        """What a product copies: factors that BLAS can't read as they lie, and the result if its axes change places."""
        node = self.nodes[number]
        value = self.writer.product(node)
        if isinstance(value, Call) and not value.keywords:
            return sp.S.Zero
        if not self.is_matmul(number):
            # Long lines are split, and parts of them have names.
            every = sp.Add(self.size(number), *(self.size(use.node) for use in node.uses))
            return every * (2 if self.steps else 1)
        return sp.Add(*(self.size(use.node) for use in node.uses if not self.is_matrix(use, node)))

    def is_matrix(self, use: Use, product: Node) -> bool:
        """Whether BLAS reads a factor as it lies: its last axis in memory is one of its matrix."""
        node = self.nodes[use.node]
        if len(node.axes) < 3:
            return node.operation is Operation.LEAF or not is_view(node)
        first, second = (set(other.places) for other in product.uses)
        batch = {place for place in first & second if place < len(product.axes)}
        if node.operation is not Operation.LEAF or use.places[-1] in batch:
            return False
        # Axes that are merged lie one after another in memory if all but the first are there as a whole.
        kept = [n for n, place in enumerate(use.places) if place < len(product.axes) and place not in batch]
        summed = [n for n, place in enumerate(use.places) if place >= len(product.axes)]
        return all(node.axes[n].is_whole for n in (*kept[1:], *summed[1:]))
