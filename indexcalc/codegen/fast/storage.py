"""Where every array of a block is kept: in the result, in the place of one that is done with, in reused space.

An array that is the end of a chain of pointwise operations shares one piece of memory with the whole
chain; if the end is a result, the chain is computed where the result stands.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from indexcalc.codegen.fast.graph import Axis, Node, Operation, Use

ELEMENTWISE = frozenset(
    f"np.{name}"
    for name in (
        "add", "subtract", "multiply", "divide", "power", "sqrt", "square", "negative", "exp", "log", "sin", "cos",
        "tanh", "abs", "maximum", "minimum", "sign", "heaviside", "logaddexp",
    )
)  # fmt: skip
"""The functions of NumPy that can write where they read."""

INTO = {"_sigmoid": "_sigmoid_into"}
"""Private functions, with those that do the same in memory that is there, which may be what they read."""

WRITING = ELEMENTWISE | INTO.keys()
"""All functions that can write where they read."""

COPY = "np.ascontiguousarray"
"""The function that puts the entries of a view one after another."""


LAYER = "{0}["
"""How the expression of a part of an array begins."""


@dataclass(frozen=True, slots=True)
class Place:
    """Memory: a result's, a piece of space by number, or new memory for every block.

    Attributes:
        result: the tensor whose array is written.
        space: the number of a piece of space.
        inherited: the node whose memory is taken over.
    """

    result: str = ""
    space: int | None = None
    inherited: int | None = None


@dataclass
class Storage:
    """Places of all nodes that are computed.

    Attributes:
        nodes: all nodes.
        last: the last node that reads each live one; past the end for those that are kept.
        use_spaces: whether larger arrays are kept in pieces of space.
        places: by the number of the node.
        spaces: the axes of every piece of space.
        free: the pieces of space that nobody needs at present.
    """

    nodes: Sequence[Node]
    last: Mapping[int, int]
    use_spaces: bool
    places: dict[int, Place] = field(default_factory=dict)
    spaces: list[tuple[Axis, ...]] = field(default_factory=list)
    free: list[int] = field(default_factory=list)

    def settle_result(self, tensor: str, number: int) -> None:
        """Let a result, and the chain that ends in it, be computed in the result's array."""
        place = Place(result=tensor)
        fixed = (Operation.LEAF, Operation.DIAGONAL, Operation.EXPRESSION)
        while number not in self.places and self.nodes[number].operation not in fixed:
            self.places[number] = place
            before = self.inheritable(number)
            if not before or before[0] in self.places:
                return
            self.places[number] = Place(result=tensor, inherited=before[0])
            number = before[0]

    def settle(self, number: int) -> None:
        """Give a node its place, and take back the space of what it reads for the last time."""
        node = self.nodes[number]
        if node.operation is Operation.LEAF:
            return
        if number not in self.places:
            self.places[number] = self.chosen_place(number)
        own = self.places[number].space
        if self.last[number] < 0 and own is not None:
            self.free.append(own)
        dying = {use.node for use in node.uses if self.last[use.node] == number and use.node in self.places}
        for other in sorted(dying):
            space = self.places[other].space
            if space is not None and space != own:
                self.free.append(space)

    def is_row(self, node: Node) -> bool:
        """Whether an array is small beside others: it has one axis, or fewer than they and all cut into blocks."""
        cut = all(axis.dimension is not None for axis in node.axes)
        return len(node.axes) < 2 or (cut and len(node.axes) < self.widest)

    @cached_property
    def widest(self) -> int:
        """The most axes that an array has."""
        return max((len(node.axes) for node in self.nodes), default=0)

    def inheritable(self, number: int) -> list[int]:
        """The arguments in whose memory a node may be computed: of its shape, and read for the last time."""
        node = self.nodes[number]
        # One row is soon made: new memory costs nothing, and expressions can be nested.
        pointwise = node.operation is Operation.MAP and (node.name in WRITING or node.name == "np.where")
        if self.is_row(node) or not pointwise:
            return []
        same = tuple(range(len(node.axes)))
        elsewhere = {use.node for use in node.uses if use.places != same}
        if node.name == "np.where":
            # What is chosen elsewhere is written over the last argument.
            elsewhere.update(given.node for given in node.arguments[:-1] if isinstance(given, Use))
        return [
            use.node
            for use in node.uses
            if use.node not in elsewhere
            and self.last[use.node] == number
            and has_own_memory(self.nodes[use.node], node)
        ]

    def chosen_place(self, number: int) -> Place:
        """The memory of an argument that is done with, else a piece of space for a larger array, else new memory."""
        node = self.nodes[number]
        for before in self.inheritable(number):
            place = self.places.get(before)
            if place is not None and not place.result:
                return Place(space=place.space, inherited=before)
        if not self.use_spaces or not takes_space(node):
            return Place()
        fitting = [space for space in self.free if self.spaces[space] == node.axes]
        if fitting:
            self.free.remove(fitting[-1])
            return Place(space=fitting[-1])
        self.spaces.append(node.axes)
        return Place(space=len(self.spaces) - 1)


def assigned(
    nodes: Sequence[Node],
    live: Sequence[int],
    results: Mapping[str, int],
    kept: Collection[int],
    *,
    use_spaces: bool,
    spaces: Sequence[tuple[Axis, ...]] = (),
    apart: Collection[int] = (),
) -> Storage:
    """A place for every live node.

    Args:
        nodes: all nodes.
        live: the numbers of the nodes that are computed, in order.
        results: the node of every tensor that is written to an array as it stands.
        kept: the nodes whose value must still be there at the end.
        use_spaces: whether larger arrays are kept in pieces of space.
        spaces: pieces of space that are there already, and free.
        apart: the nodes that get no place.
    """
    last = last_uses(nodes, live, {*kept, *results.values()})
    storage = Storage(nodes, last, use_spaces, spaces=list(spaces), free=list(range(len(spaces))))
    storage.places.update(dict.fromkeys(apart, Place()))
    for tensor, number in results.items():
        storage.settle_result(tensor, number)
    for number in live:
        storage.settle(number)
    return storage


def last_uses(nodes: Sequence[Node], live: Sequence[int], kept: Collection[int]) -> dict[int, int]:
    """The last node that reads each node or a view of it, -1 if none does; past the end for those that are kept."""
    last = dict.fromkeys(live, -1)
    for number in live:
        for use in nodes[number].uses:
            last[use.node] = number
    last |= dict.fromkeys(kept, len(nodes))
    for number in reversed(live):
        if is_view(nodes[number]):
            for use in nodes[number].uses:
                last[use.node] = max(last[use.node], last[number])
    return last


def has_own_memory(node: Node, like: Node) -> bool:
    """Whether an array was computed here, in memory of its own, with the axes and the kind of entries of another."""
    computed = node.operation in (Operation.MAP, Operation.PRODUCT, Operation.REDUCE)
    return computed and not is_shared(node) and node.axes == like.axes and is_truth(node) == is_truth(like)


def is_shared(node: Node) -> bool:
    """Whether an array is a view without memory of its own, or a number."""
    return is_view(node) or not node.axes


def is_view(node: Node) -> bool:
    """Whether an array shows the memory of another."""
    window = node.operation is Operation.EXPRESSION and node.name.startswith(("_windows(", LAYER))
    return window or node.operation is Operation.DIAGONAL or node.name == "np.broadcast_to"


def is_truth(node: Node) -> bool:
    """Whether the entries are truth values."""
    return node.name in ("np.greater", "np.greater_equal", "np.equal", "np.not_equal", "np.logical_or")


def takes_space(node: Node) -> bool:
    """Whether an array is worth keeping its memory from block to block: it has an axis that no block cuts."""
    writes = node.operation is Operation.PRODUCT or node.name in WRITING or node.name == COPY
    return writes and any(axis.dimension is None for axis in node.axes) and len(node.axes) > 1
