"""The nodes of a block as expressions that write nothing but names: what a compiler can fuse.

A library that compiles code decides itself where its arrays stand. So nothing is computed in memory that is there
already, and a block is a function from tensors to tensors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from indexcalc.algebra.terms import Index
from indexcalc.codegen.dialect import spelled
from indexcalc.codegen.fast.graph import Node, Operation, Use
from indexcalc.codegen.fast.nesting import NESTED_WIDTH
from indexcalc.codegen.fast.storage import COPY
from indexcalc.codegen.fast.writing import OPERATORS, Writer
from indexcalc.codegen.layout import assignment
from indexcalc.codegen.operands import Operand, transposed
from indexcalc.codegen.source import Atom, Binary, Call, Method, Prefix, flat
from indexcalc.codegen.source import Node as Source

MIRRORS = {
    "np.greater": "np.less",
    "np.greater_equal": "np.less_equal",
    "np.equal": "np.equal",
    "np.not_equal": "np.not_equal",
    "np.maximum": "np.maximum",
    "np.minimum": "np.minimum",
}
"""Functions whose first argument must be an array in some libraries, with those that take their arguments exchanged."""

ARITHMETIC = ("+", "-", "*", "/", "**")


@dataclass
class PureWriter(Writer):
    """Writes the nodes of one block without a place for any of them.

    Attributes:
        leaves: the variable of every tensor that is there before, by its node.
        positions: the variable of the places of a block along a dimension.
    """

    leaves: Mapping[int, str] = field(default_factory=dict)
    positions: Mapping[int, str] = field(default_factory=dict)

    def lines(self, number: int) -> list[str]:
        """The lines that compute a node."""
        node = self.nodes[number]
        match node.operation:
            case Operation.LEAF:
                self.variables[number] = self.leaves[number]
                return []
            case Operation.MAP:
                return self.stored(number, self.mapped(node))
            case Operation.PRODUCT:
                return self.stored(number, self.product(node))
            case Operation.REDUCE:
                return self.stored(number, self.reduced(node))
            case Operation.POSITIONS:
                return self.stored(number, self.places(node))
        return self.stored(number, self.other_expression(node))

    def stored(self, number: int, value: Source) -> list[str]:
        """An assignment to the node's name; what is short and read once stands where it is read."""
        if self.counts[number] == 1 and number not in self.called and len(flat(value)) <= NESTED_WIDTH:
            self.nested[number] = value
            self.variables[number] = flat(value)
            return []
        name = self.called.get(number) or next(self.spare_names())
        self.variables[number] = name
        return self.assigned(name, value)

    def assigned(self, name: str, value: Source) -> list[str]:
        """``name = value``, in the words of the library."""
        return assignment(name, spelled(value, self.scope.dialect, self.scope.dtype), self.spare_names(), self.depth)

    def typed(self, value: Source, kind: str = "") -> Call:
        """A number as an array without axes."""
        return Call("np.asarray", (value,), (f"dtype={kind or self.scope.dtype}",))

    def mapped(self, node: Node) -> Source:
        """A pointwise function."""
        arguments = [self.argument(argument, len(node.axes)) for argument in node.arguments]
        arguments = [self.with_dtype(argument) for argument in arguments]
        name = node.name
        if name == f"{self.scope.dtype}.type":
            return self.typed(arguments[0])
        if name == "float":
            return self.typed(Call("float", tuple(arguments)))
        if name == COPY:
            return arguments[0]
        if name == "np.full":
            return Call(name, tuple(arguments[:2]), (f"dtype={self.scope.dtype}",))
        if name in MIRRORS and not node.uses:
            compared = " ".join([flat(arguments[0]), OPERATORS[name], flat(arguments[1])])
            return self.typed(Atom(compared), "bool")
        if name in MIRRORS and not isinstance(node.arguments[0], Use):
            name, arguments = MIRRORS[name], arguments[::-1]
        if name == "np.negative":
            return Prefix("-", arguments[0])
        if name == "np.square":
            return Binary("**", arguments[0], Atom("2"))
        if OPERATORS.get(name) in ARITHMETIC:
            return Binary(OPERATORS[name], arguments[0], arguments[1])
        return Call(name, tuple(arguments))

    def with_dtype(self, argument: Source) -> Source:
        """A number with the dtype of the block, where an argument is one."""
        if isinstance(argument, Call) and argument.function == f"{self.scope.dtype}.type":
            return self.typed(argument.arguments[0])
        return argument

    def reduced(self, node: Node) -> Source:
        """The sum, the largest or the smallest value over axes."""
        (use,) = node.uses
        value = self.value(use.node)
        if not node.axes:
            return Method(value, node.name)
        gone = [place for place, lies in enumerate(use.places) if lies >= len(node.axes)]
        text = str(gone[0]) if len(gone) == 1 else f"({', '.join(map(str, gone))})"
        return Method(value, node.name, (), (f"axis={text}",))

    def places(self, node: Node) -> Source:
        """The numbers along an axis: those of the block, if one cuts it."""
        (axis,) = node.axes
        if axis.dimension is not None:
            return Atom(self.positions[axis.dimension])
        return Call("np.arange", (self.extent(axis.extent),), ("dtype=int",))

    def arranged(self, number: int, places: tuple[int, ...]) -> Source:
        """A node with its axes in another order."""
        axes = tuple(Index(str(place), self.nodes[number].axes[place].extent) for place in range(len(places)))
        return transposed(Operand(self.value(number), axes), tuple(axes[place] for place in places)).node
