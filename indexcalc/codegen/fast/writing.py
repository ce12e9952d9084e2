"""Array operations → lines of NumPy: operators where memory is new, ``out=`` and ``+=`` where it is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import sympy as sp

from indexcalc.algebra.terms import Index
from indexcalc.codegen.contraction import einsum, pairwise
from indexcalc.codegen.fast.graph import Axis, Node, Operation, Use
from indexcalc.codegen.fast.names import Names
from indexcalc.codegen.fast.nesting import NESTED_WIDTH, is_nested
from indexcalc.codegen.fast.storage import COPY, INTO, WRITING, Storage
from indexcalc.codegen.layout import assignment, call_or_wrap
from indexcalc.codegen.operands import Operand, Scope, aligned, transposed
from indexcalc.codegen.scalars import scalar_node
from indexcalc.codegen.source import Atom, Binary, Call, Prefix, Trailer, filled, flat
from indexcalc.codegen.source import Node as Source

OPERATORS = {
    "np.add": "+", "np.subtract": "-", "np.multiply": "*", "np.divide": "/", "np.power": "**", "np.greater": ">",
    "np.greater_equal": ">=", "np.equal": "==", "np.not_equal": "!=", "np.logical_or": "|",
}  # fmt: skip
IN_PLACE = {"np.add": "+=", "np.subtract": "-=", "np.multiply": "*=", "np.divide": "/="}


@dataclass
class Writer:
    """Writes the nodes of one block.

    Attributes:
        nodes: all nodes.
        storage: where they are kept.
        names: the Python names outside the block.
        blocks: the variable of the slice on every dimension of the loop; none outside loops.
        called: the tensor that a node is, as it is called in the block.
        counts: how often each node is read.
        depth: how deep the lines are indented.
        results: what is written to where a result stands, outside of blocks.
        added: products that are added to a total piece by piece, and what to; the others are taken out.
        variables: the expression for every node that is written already.
        nested: the expressions that stand where they are read, as nodes.
        numbered: how many names with a number there are.
    """

    nodes: Sequence[Node]
    storage: Storage
    names: Names
    called: Mapping[int, str]
    counts: Mapping[int, int]
    blocks: tuple[str, ...] = ()
    depth: int = 1
    results: Mapping[str, str] = field(default_factory=dict)
    added: dict[int, str] = field(default_factory=dict)
    variables: dict[int, str] = field(default_factory=dict)
    nested: dict[int, Source] = field(default_factory=dict)
    numbered: int = 0

    @property
    def scope(self) -> Scope:
        """The names of tensors and scalars."""
        return self.names.scope

    def lines(self, number: int) -> list[str]:
        """The lines that compute a node."""
        node = self.nodes[number]
        match node.operation:
            case Operation.LEAF:
                return self.leaf_lines(number, node)
            case Operation.MAP:
                return self.map_lines(number, node)
            case Operation.PRODUCT:
                return self.product_lines(number, node)
        return self.stored(number, self.other_expression(node))

    def leaf_lines(self, number: int, node: Node) -> list[str]:
        """A tensor that is there before; the part of it that a block reads gets a name if it is read twice."""
        text = self.sliced(self.scope.tensors[node.name], node.axes)
        if "[" not in text or self.counts.get(number, 0) < 2:
            self.variables[number] = text
            return []
        stem = self.scope.tensors[node.name].partition("[")[0]
        name = self.fresh(f"{stem}_{self.names.own['block']}")
        self.variables[number] = name
        return [f"{name} = {text}"]

    def spare_names(self) -> Iterator[str]:
        """Names for what has none, each given once: no tensor's name begins like them."""
        while True:
            self.numbered += 1
            yield f"{self.names.own['part']}_{self.numbered}"

    def fresh(self, stem: str) -> str:
        """A name with a number if it is taken."""
        name, number = stem, 2
        used = {*self.variables.values(), *self.called.values(), *self.scope.tensors.values()}
        while name in used:
            name, number = f"{stem}_{number}", number + 1
        return name

    def sliced(self, array: str, axes: Sequence[Axis]) -> str:
        """The part of an array that belongs to the block."""
        return at_slots(
            array, [self.reach(axis) if axis.dimension is None else self.blocks[axis.dimension] for axis in axes]
        )

    def reach(self, axis: Axis) -> str:
        """The part of an axis that no loop cuts, as a slice."""
        start, stop = self.ends(axis)
        return f"{start} : {stop}".strip() if start or stop else ":"

    def ends(self, axis: Axis) -> tuple[str, str]:
        """Where the part of an axis begins and ends that is read; empty where it is the end of the whole."""
        start = "" if axis.since is None else f"{self.blocks[axis.since]}.start"
        return start, "" if axis.until is None else f"{self.blocks[axis.until]}.stop"

    def value(self, number: int) -> Source:
        """A node that is written already, as an expression."""
        return self.nested.get(number) or Atom(self.variables[number])

    def argument(self, argument: Use | Source, rank: int) -> Source:
        """An argument, ready to broadcast with an array of this rank."""
        if not isinstance(argument, Use):
            return argument
        axes = tuple(Index(str(place), sp.S.One) for place in range(rank))
        operand = Operand(self.value(argument.node), tuple(axes[place] for place in argument.places))
        return aligned(operand, axes)

    def map_lines(self, number: int, node: Node) -> list[str]:
        """A pointwise function."""
        place = self.storage.places[number]
        arguments = [self.argument(argument, len(node.axes)) for argument in node.arguments]
        before = None if place.inherited is None else self.variables[place.inherited]
        name, target = node.name, self.target(number)
        if name == "np.negative" and (before is not None or target):
            # Where what it reads and what it writes to have strides, NumPy's own is wrong on some processors (2.4.6).
            name, arguments = "np.multiply", [*arguments, Atom("-1")]
        if before is not None or target:
            name = INTO.get(name, name)
        if name == COPY and target:
            copy = call_or_wrap("np.copyto", [target, *map(flat, arguments)], self.depth)
            return [*copy, *self.named(number, Atom(target))]
        if name == "np.where" and before is not None:
            given = [before, flat(arguments[1]), f"where={flat(arguments[0])}"]
            return [*call_or_wrap("np.copyto", given, self.depth), *self.renamed(number, before)]
        if before is not None and (number not in self.called or not self.counts[number]):
            first = flat(arguments[0]) == before
            if name in IN_PLACE and (first or name in ("np.add", "np.multiply")):
                self.variables[number] = before
                other = arguments[1] if first else arguments[0]
                return [f"{before} {IN_PLACE[name]} {flat(other)}"]
            self.variables[number] = before
            return call_or_wrap(name, [*map(flat, arguments), f"out={before}"], self.depth)
        if before is not None:
            return self.named(number, Call(name, tuple(arguments), (f"out={before}",)))
        if target and node.name in WRITING:
            return self.named(number, Call(name, tuple(arguments), (f"out={target}",)))
        return self.stored(number, self.fresh_expression(node, arguments))

    def fresh_expression(self, node: Node, arguments: list[Source]) -> Source:
        """A pointwise function whose value gets memory of its own."""
        if node.name == "np.negative":
            return Prefix("-", arguments[0])
        if node.name == "np.square":
            return Binary("**", arguments[0], Atom("2"))
        if node.name in OPERATORS and len(arguments) == 2:
            operator = OPERATORS[node.name]
            if operator in ("+", "-", "*", "/", "**"):
                return Binary(operator, arguments[0], arguments[1])
        return Call(node.name, tuple(arguments))

    def renamed(self, number: int, before: str) -> list[str]:
        """The name of a node that stands in the memory of another."""
        name = self.called.get(number, before) if self.counts[number] else before
        self.variables[number] = name
        return [] if name == before else [f"{name} = {before}"]

    def target(self, number: int) -> str:
        """The memory of a node that is not new, as Python source."""
        place = self.storage.places[number]
        node = self.nodes[number]
        if place.result in self.results:
            return self.results[place.result]
        if place.result:
            return self.sliced(self.scope.tensors[place.result], node.axes) if self.blocks else ""
        if place.space is None:
            return ""
        size = self.names.own["size"]
        slots = [self.reach(a) if a.dimension is None else f":{size}_{a.dimension + 1}" for a in node.axes]
        return at_slots(f"{self.names.own['space']}_{place.space + 1}", slots)

    def named(self, number: int, value: Source) -> list[str]:
        """An assignment to the node's name; what is written where it stands, and not read, needs none."""
        if not self.counts[number] and isinstance(value, Call) and value.keywords[-1:] and "out=" in value.keywords[-1]:
            self.variables[number] = value.keywords[-1].removeprefix("out=")
            return call_or_wrap(value.function, [*map(flat, value.arguments), *value.keywords], self.depth)
        name = self.called.get(number)
        if name is None:
            name = next(self.spare_names())
        self.variables[number] = name
        return assignment(name, value, self.spare_names(), self.depth)

    def stored(self, number: int, value: Source) -> list[str]:
        """An assignment to the node's name; where it has memory already, the value is put there."""
        if is_nested(number, self.nodes, self.storage, self.counts, self.called) and len(flat(value)) <= NESTED_WIDTH:
            self.nested[number] = value
            self.variables[number] = flat(value)
            return []
        target = self.target(number)
        if not target:
            return self.named(number, value)
        lines = assignment(target, value, self.spare_names(), self.depth)
        if self.counts[number]:
            return [*lines, *self.named(number, Atom(target))]
        self.variables[number] = target
        return lines

    def product_lines(self, number: int, node: Node) -> list[str]:
        """A product of two arrays: of matrices if it can be."""
        value = self.product(node)
        target = self.target(number)
        if number in self.added:
            if isinstance(value, Binary) and value.operator == "@":
                total = self.variables[number] = self.added[number]
                return call_or_wrap("_add_product", [total, flat(value.left), flat(value.right)], self.depth)
            del self.added[number]
        if target and isinstance(value, Binary) and value.operator == "@":
            return self.named(number, Call("np.matmul", (value.left, value.right), (f"out={target}",)))
        if target and isinstance(value, Call):
            return self.named(number, Call(value.function, value.arguments, (*value.keywords, f"out={target}")))
        if target and not self.storage.places[number].result:
            # What BLAS wrote is in memory of its own already.
            return self.named(number, value)
        return self.stored(number, value)

    def product(self, node: Node) -> Source:
        """The expression of a product, with letters for indices."""
        every = (*node.axes, *node.summed)
        extents = [self.length(axis) for axis in every]
        joint = [
            Index(letter, extent)
            for letter, extent in zip(self.names.letters_for(every, self.blocks), extents, strict=True)
        ]
        left, right = (Operand(self.value(use.node), tuple(joint[place] for place in use.places)) for use in node.uses)
        out = tuple(joint[: len(node.axes)])
        lengths = {extent: str(extent) for extent in extents if extent not in self.scope.scalars and extent.is_Symbol}
        scope = replace(self.scope, scalars={**self.scope.scalars, **lengths})
        orders = [self.in_memory(use.node, operand.axes) for use, operand in zip(node.uses, (left, right), strict=True)]
        wide = max(orders, key=len)
        summed = [axis for axis in wide if axis not in out]
        made = out
        for axes, other in (orders, orders[::-1]):
            # Rows that lie otherwise in memory are no copy if the result has them like that too.
            own = [axis for axis in axes if axis in out and axis not in other]
            made = tuple(next(lying) if axis in own else axis for lying in (iter(own),) for axis in made)
        operand = pairwise(left, right, made, scope, summed)
        assert operand.axes == made
        return transposed(operand, out).node

    def length(self, axis: Axis) -> sp.Expr:
        """The length of an axis in the block."""
        if axis.dimension is not None:
            return sp.Symbol(f"{self.names.own['size']}_{axis.dimension + 1}")
        start, stop = self.ends(axis)
        if not start and not stop:
            return axis.extent
        end = stop or flat(self.extent(axis.extent))
        return sp.Symbol(f"({end} - {start})" if start else end)

    def in_memory(self, number: int, axes: tuple[Index, ...]) -> tuple[Index, ...]:
        """The axes of a node in the order in which its entries lie in memory."""
        node = self.nodes[number]
        first = self.names.steps.get(node.name) if node.operation is Operation.LEAF else None
        if first is None:
            return axes
        return (axes[first], *axes[:first], *axes[first + 1 :])

    def other_expression(self, node: Node) -> Source:
        """A reduction, the numbers along an axis, or a diagonal."""
        if node.operation is Operation.POSITIONS:
            (axis,) = node.axes
            if axis.dimension is None:
                start, stop = self.ends(axis)
                end = Atom(stop) if stop else self.extent(axis.extent)
                return Call("np.arange", (Atom(start), end) if start else (end,))
            block = self.blocks[axis.dimension]
            return Call("np.arange", (Atom(f"{block}.start"), Atom(f"{block}.stop")))
        if node.operation is Operation.EXPRESSION:
            *_, expression = node.arguments
            assert not isinstance(expression, Use)
            return filled(expression, [self.in_order(use) for use in node.uses])
        (use,) = node.uses
        value = self.value(use.node)
        if node.operation is Operation.DIAGONAL:
            joint = [Index(letter, sp.S.One) for letter in self.names.letters_for(node.axes, self.blocks)]
            axes = tuple(joint[place] for place in use.places)
            view = einsum([Operand(value, axes)], tuple(joint)).node
            assert isinstance(view, Call)
            return Call(view.function, view.arguments)
        gone = [place for place, lies in enumerate(use.places) if lies >= len(node.axes)]
        if not node.axes:
            return Trailer(value, f".{node.name}()")
        text = str(gone[0]) if len(gone) == 1 else f"({', '.join(map(str, gone))})"
        return Trailer(value, f".{node.name}(axis={text})")

    def in_order(self, use: Use) -> Source:
        """An array with its axes in the order in which they are named."""
        axes = tuple(Index(str(place), sp.S.One) for place in range(len(use.places)))
        given = Operand(self.value(use.node), axes)
        return transposed(given, tuple(axes[place] for place in use.places)).node

    def extent(self, extent: sp.Expr) -> Source:
        """An extent as Python source."""
        return scalar_node(extent, self.scope.scalars)


def at_slots(array: str, slots: list[str]) -> str:
    """An array at slices; whole axes at its end need none."""
    while slots and slots[-1] == ":":
        slots.pop()
    return f"{array}[{', '.join(slots)}]" if slots else array
