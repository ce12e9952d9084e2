"""The nodes of a block in Triton: one program computes one block, its tiles padded to powers of two.

The nodes of the block are what is written, one after another; nothing here knows what they are nodes of. A tile has a
power of two of entries along each axis, so that some lie outside of the tensor. What these hold does not matter where
they are neither stored nor summed: sums, products and largest values hide them first. What grows along an axis that a
block sweeps in tiles is there as the program's own variable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from indexcalc.codegen.fast.graph import Axis, Node, Operation, Use
from indexcalc.codegen.fast.sweeps import Running
from indexcalc.codegen.layout import INDENT, WIDTH, call_or_wrap
from indexcalc.codegen.source import Atom, Call, flat, split_call
from indexcalc.codegen.source import Node as Source

OPERATORS = {
    "np.add": "+", "np.subtract": "-", "np.multiply": "*", "np.divide": "/", "np.greater": ">",
    "np.greater_equal": ">=", "np.equal": "==", "np.not_equal": "!=", "np.logical_or": "|",
}  # fmt: skip
FUNCTIONS: Mapping[str, str] = {
    "np.exp": "tl.exp({0})",
    "np.log": "tl.log({0})",
    "np.sin": "tl.sin({0})",
    "np.cos": "tl.cos({0})",
    "np.sqrt": "tl.sqrt({0})",
    "np.abs": "tl.abs({0})",
    "np.sign": "tl.where({0} > 0, 1.0, tl.where({0} < 0, -1.0, {0}))",
    "np.heaviside": "tl.where({0} > 0, 1.0, tl.where({0} < 0, 0.0, tl.where({0} == 0, {1}, {0})))",
    "np.maximum": "tl.maximum({0}, {1}, propagate_nan=tl.PropagateNan.ALL)",
    "np.minimum": "tl.minimum({0}, {1}, propagate_nan=tl.PropagateNan.ALL)",
    "np.negative": "-{0}",
    "np.square": "{0} * {0}",
    "np.where": "tl.where({0}, {1}, {2})",
    "_sigmoid": "tl.sigmoid({0})",
    "_silu": "{0} * tl.sigmoid({0})",
    "_erf": "tl.erf({0})",
    "_gelu": "0.5 * {0} * (1.0 + tl.erf({0} * 0.7071067811865476))",
}
"""How Triton says a pointwise function; what has no row is not written as a kernel."""

REDUCTIONS = {"sum": ("tl.sum", "0.0"), "max": ("tl.max", 'float("-inf")'), "min": ("tl.min", 'float("inf")')}
EXTREMES = {"max": "np.maximum", "min": "np.minimum"}
LITERAL = re.compile(r"-?\d{1,6}(\.0)?")
INFINITE = {"np.inf": 'float("inf")', "-np.inf": 'float("-inf")'}
DEPTH = 2
"""How deep the lines of a kernel are indented."""


class NoKernelError(Exception):
    """A block holds what Triton has no word for; it runs without a kernel."""


@dataclass
class KernelWriter:
    """Writes the nodes of one block in Triton.

    Attributes:
        nodes: all nodes.
        counts: how often each node that is computed is read.
        called: the tensor that a node is, as it is called.
        tensors: the variable of every tensor that is there before.
        own: the names of the kernel's own variables, by their stems in `LOCALS`.
        dtype: an expression for the dtype of the block, as the nodes have it.
        grid: the axes of which each program has a tile of its own; only the last is longer than one entry.
        element: the dtype of what grows, in Triton's words.
        numbers: the scalars that the host computes, in order, by their text.
        axes: the axes that have a variable for their places, in order.
        dots: whether a product of matrices is among the nodes.
        variables: the variable of every node that is written already.
        inside: the variable of a node of which a number hides what lies outside, by node, axes and number.
        before: the lines that the present node needs ahead of its own.
        depth: how deep the lines are indented.
        parts: how many variables there are for what is hidden.
        shifts: the number of each largest value that is taken off while it grows.
    """

    nodes: Sequence[Node]
    counts: Mapping[int, int]
    called: Mapping[int, str]
    tensors: Mapping[str, str]
    own: Mapping[str, str]
    dtype: str
    grid: tuple[Axis, ...]
    element: str
    numbers: dict[str, Source] = field(default_factory=dict)
    axes: dict[Axis, str] = field(default_factory=dict)
    dots: bool = False
    variables: dict[int, str] = field(default_factory=dict)
    inside: dict[tuple[int, str, str], str] = field(default_factory=dict)
    before: list[str] = field(default_factory=list)
    depth: int = DEPTH
    parts: int = 0
    shifts: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for axis in self.grid:
            self.axis(axis)

    def axis(self, axis: Axis) -> str:
        """The number of an axis, with which the names of its places, its length and that of its tiles end."""
        return self.axes.setdefault(axis, str(len(self.axes) + 1))

    def lines(self, number: int) -> list[str]:
        """The line that computes a node."""
        node = self.nodes[number]
        writers: Mapping[Operation, Callable[[Node], str]] = {
            Operation.LEAF: self.loaded,
            Operation.MAP: self.mapped,
            Operation.REDUCE: self.reduced,
            Operation.PRODUCT: self.product,
            Operation.POSITIONS: lambda node: self.of("at", node.axes[0]),
        }
        if node.operation not in writers:
            raise NoKernelError
        self.before = []
        value = writers[node.operation](node)
        self.variables[number] = self.name(number)
        return [*self.before, *self.assigned(self.name(number), value)]

    def beginning(self, number: int) -> list[str]:
        """The line before a sweep: what grows begins with what it would not notice."""
        node = self.nodes[number]
        otherwise = REDUCTIONS[node.name][1] if node.operation is Operation.REDUCE else "0.0"
        shape = self.shape(node.axes) if node.axes else "()"
        return self.assigned(self.name(number), f"tl.full({shape}, {otherwise}, {self.element})")

    def grown(self, number: int, running: Running) -> list[str]:
        """The lines in a sweep that let something grow by what a tile adds."""
        node, name, self.before = replace(self.nodes[number], arguments=running.summand), self.name(number), []
        value = self.reduced(node) if node.operation is Operation.REDUCE else self.product(node)
        self.variables[number] = name
        if node.operation is Operation.REDUCE and node.name != "sum":
            value = FUNCTIONS[EXTREMES[node.name]].format(name, value)
            lines = self.growing_shift(number, value) if number in self.shifts else self.assigned(name, value)
            return [*self.before, *lines]
        scaled = []
        if running.shift is not None:
            scale = f"{self.own['scale']}_{self.shifts[running.shift.node]}"
            scaled = [f"{name} *= {spread(scale, running.shift.places, len(node.axes))}"]
        return [*self.before, *scaled, *self.assigned(name, value, "+=")]

    def growing_shift(self, number: int, value: str) -> list[str]:
        """A largest value that is taken off while it grows, and the factor of what knows of the smaller one.

        Where nothing but ``-inf`` was found yet, nothing is taken off: ``exp(-inf)`` is 0 then, as it should be.
        """
        own, name = self.own, self.name(number)
        shift, scale, before = (f"{own[stem]}_{self.shifts[number]}" for stem in ("shift", "scale", "before"))
        self.variables[number] = shift
        return [
            f"{before} = {name}",
            *self.assigned(name, value),
            f'{shift} = tl.where({name} == float("-inf"), 0.0, {name})',
            f"{scale} = tl.exp({before} - {shift})",
        ]

    def multiplied(self, number: int, running: Running) -> list[str]:
        """The lines behind a sweep that multiply what has grown by its factors."""
        name, rank = self.name(number), len(self.nodes[number].axes)
        factors = [spread(self.variables[use.node], use.places, rank) for use in running.factors]
        self.variables[number] = name
        return self.assigned(name, " * ".join([name, *factors])) if factors else []

    def assigned(self, name: str, value: str, sign: str = "=") -> list[str]:
        """``name = value``, a call over several lines if need be."""
        line = f"{name} {sign} {value}"
        if len(line) + self.depth * INDENT <= WIDTH or not value.startswith("tl.") or not value.endswith(")"):
            return [line]
        call = split_call(value)
        assert isinstance(call, Call)
        return call_or_wrap(f"{name} {sign} {call.function}", [flat(part) for part in call.arguments], self.depth)

    def name(self, number: int) -> str:
        """The variable of a node."""
        return f"{self.own['tile']}_{self.called.get(number) or number + 1}"

    def loaded(self, node: Node) -> str:
        """The entries of a tensor that is there before."""
        name = self.tensors[node.name]
        if not node.axes:
            return f"tl.load({name})"
        return f"tl.load({self.pointers(name, node.axes)}, mask={self.mask(node.axes)}, other=0)"

    def pointers(self, name: str, axes: Sequence[Axis]) -> str:
        """The places in memory of the entries of a tensor whose rows lie one after another."""
        parts = []
        for place, axis in enumerate(axes):
            stride = [self.of("length", later) for later in axes[place + 1 :]]
            at = spread(self.of("at", axis), (place,), len(axes))
            parts.append(" * ".join([at, *stride]))
        return " + ".join([name, *parts])

    def mask(self, axes: Sequence[Axis], places: Sequence[int] | None = None) -> str:
        """Which entries of a tile lie inside, along some of its axes."""
        chosen = range(len(axes)) if places is None else places
        return " & ".join(spread(self.of("inside", axes[place]), (place,), len(axes)) for place in chosen)

    def of(self, stem: str, axis: Axis) -> str:
        """A variable of an axis."""
        return f"{self.own[stem]}_{self.axis(axis)}"

    def number(self, value: Source) -> str:
        """A number: small whole ones as they are, others as the host computes them, in the dtype of the block."""
        if isinstance(value, Call) and value.function in (f"{self.dtype}.type", "float"):
            return self.number(value.arguments[0]) if value.function != "float" else self.given(value)
        text = flat(value)
        if text in INFINITE:
            return INFINITE[text]
        return text if LITERAL.fullmatch(text) else self.given(value)

    def given(self, value: Source) -> str:
        """A number that the host computes."""
        self.numbers.setdefault(flat(value), value)
        return f"{self.own['number']}_{list(self.numbers).index(flat(value)) + 1}"

    def argument(self, argument: Use | Source, rank: int) -> str:
        """An argument of a pointwise function, ready to broadcast."""
        if not isinstance(argument, Use):
            return self.number(argument)
        return spread(self.variables[argument.node], argument.places, rank)

    def mapped(self, node: Node) -> str:
        """A pointwise function."""
        if node.name in ("np.full", "np.broadcast_to"):
            (wanted,) = (a for a in node.arguments[:2] if not (isinstance(a, Atom) and a.text.startswith("(")))
            return f"tl.broadcast_to({self.full(wanted, len(node.axes))}, {self.shape(node.axes)})"
        if node.name in ("float", f"{self.dtype}.type"):
            (value,) = node.arguments
            assert not isinstance(value, Use)
            return self.full(value, 0) if node.name != "float" else self.given(Call("float", (value,)))
        arguments = [self.argument(argument, len(node.axes)) for argument in node.arguments]
        if node.name in OPERATORS:
            if not node.uses:
                raise NoKernelError
            return f"{arguments[0]} {OPERATORS[node.name]} {arguments[1]}"
        if node.name == "np.where" and not any(isinstance(given, Use) for given in node.arguments[1:]):
            arguments[2] = self.given(Atom(arguments[2])) if LITERAL.fullmatch(arguments[2]) else arguments[2]
        if node.name not in FUNCTIONS:
            raise NoKernelError
        return FUNCTIONS[node.name].format(*arguments)

    def full(self, value: Use | Source, rank: int) -> str:
        """A value with the dtype of the block."""
        if isinstance(value, Use):
            return self.argument(value, rank)
        inner = value.arguments[0] if isinstance(value, Call) and value.function == f"{self.dtype}.type" else value
        return self.given(inner)

    def shape(self, axes: Sequence[Axis]) -> str:
        """The shape of a tile."""
        sizes = [self.of("size", axis) for axis in axes]
        return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"

    def hidden(self, use: Use, outside: Sequence[int], otherwise: str) -> str:
        """A tile with a number where it lies outside along the axes that are at some places of the result."""
        axes, value = self.nodes[use.node].axes, self.variables[use.node]
        chosen = [place for place, lies in enumerate(use.places) if lies in outside]
        if not chosen:
            return value
        mask = self.mask(axes, chosen)
        key = (use.node, mask, otherwise)
        if key not in self.inside:
            self.parts += 1
            self.inside[key] = f"{self.own['part']}_{self.parts}"
            self.before += self.assigned(self.inside[key], f"tl.where({mask}, {value}, {otherwise})")
        return self.inside[key]

    def reduced(self, node: Node) -> str:
        """The sum, the largest or the smallest value over axes."""
        (use,) = node.uses
        function, otherwise = REDUCTIONS[node.name]
        gone = range(len(node.axes), len(node.axes) + len(node.summed))
        value = self.hidden(use, gone, otherwise)
        for place in sorted((place for place, lies in enumerate(use.places) if lies in gone), reverse=True):
            value = f"{function}({value}, axis={place})"
        return spread(value, [lies for lies in use.places if lies not in gone], len(node.axes))

    def product(self, node: Node) -> str:
        """A product of two tiles: of matrices if it is one."""
        first, second = node.uses
        rank, gone = len(node.axes), range(len(node.axes), len(node.axes) + len(node.summed))
        if self.is_of_matrices(node):
            self.dots = True
            batch, rows, columns = sides(node)
            left = self.matrix(first, (*batch, *rows, *gone), gone)
            right = self.matrix(second, (*batch, *gone, *columns), gone)
            value = f'tl.dot({left}, {right}, input_precision="ieee")'
            if batch:
                value = f"tl.reshape({value}, {self.shape([node.axes[p] for p in (*batch, *rows, *columns)])})"
            return spread(value, (*batch, *rows, *columns), rank)
        every = rank + len(gone)
        tiles = [spread(self.hidden(use, gone, "0.0"), use.places, every) for use in (first, second)]
        value = f"{tiles[0]} * {tiles[1]}"
        for place in reversed(gone):
            value = f"tl.sum({value}, axis={place})"
        return value

    def is_of_matrices(self, node: Node) -> bool:
        """Whether a product is one of matrices, those of a batch one after another."""
        batch, rows, columns = sides(node)
        one = all(node.axes[place] in self.grid[:-1] for place in batch)
        return len(rows) == len(columns) == len(node.summed) == 1 and one

    def matrix(self, use: Use, order: Sequence[int], gone: Sequence[int]) -> str:
        """A tile as a matrix: its last two axes in order, those before them have one entry."""
        value = self.hidden(use, gone, "0.0")
        moved = spread(value, [order.index(place) for place in use.places], len(order))
        if len(order) == 2:
            return moved
        axes = [self.nodes[use.node].axes[use.places.index(place)] for place in order[-2:]]
        return f"tl.reshape({moved}, {self.shape(axes)})"


def sides(node: Node) -> tuple[list[int], list[int], list[int]]:
    """The axes of a product that both have, the first alone, and the second alone."""
    first, second = node.uses
    kept = range(len(node.axes))
    batch = [p for p in kept if p in first.places and p in second.places]
    rows = [p for p in kept if p in first.places and p not in batch]
    return batch, rows, [p for p in kept if p in second.places and p not in batch]


def spread(value: str, places: Sequence[int], rank: int) -> str:
    """A tile with its axes at some places of a result, ready to broadcast."""
    order = sorted(range(len(places)), key=lambda number: places[number])
    if order != list(range(len(places))):
        value = f"tl.permute({value}, {tuple(order)})"
    if not places or len(places) == rank:
        return value
    simple = value.isidentifier() or value.endswith(")")
    slots = ", ".join(":" if place in places else "None" for place in range(rank))
    return f"{value if simple else f'({value})'}[{slots}]"
