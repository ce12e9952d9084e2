"""Which part of an axis one block reads: where a mask leaves nothing of a sum beyond the block, neither is computed.

``sum_j [j <= i] x_ij`` over the rows of a block needs the entries ``j`` up to the end of the block alone. So does all
that is computed for these sums and nothing else, such as the scores of causal attention.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import sympy as sp

from indexcalc.codegen import source
from indexcalc.codegen.fast.graph import Axis, Node, Operation, Use
from indexcalc.codegen.fast.storage import COPY, ELEMENTWISE
from indexcalc.codegen.source import flat

NEUTRAL = {"sum": 0.0, "max": -np.inf, "min": np.inf}
"""What a reduction does not notice."""

TRUE, FALSE = 1.0, 0.0

WHERE = "np.where"


@dataclass(frozen=True, slots=True)
class Bound:
    """An end of a block, beyond which an axis that no loop cuts has places of its own.

    Attributes:
        dimension: of the loop.
        after: whether it is the end behind which larger places lie; else the one before which smaller ones do.
    """

    dimension: int
    after: bool


Side = tuple[int, int]
"""An axis of a node: the number of the node, and the place of the axis."""

Known = Mapping[tuple[int, Bound], float]
"""The number that all entries of a node are beyond a bound along an axis, by the place of the axis and the bound."""


def within_reach(
    nodes: Sequence[Node],
    live: Collection[int],
    full: Collection[int],
    totals: Collection[int],
    lengths: Sequence[sp.Expr],
) -> list[Node]:
    """The same nodes, with axes that begin or end with the block where nothing is read beyond that.

    Args:
        nodes: all nodes, each after those that it reads.
        live: the numbers of those that are computed.
        full: those of which each entry is needed.
        totals: those that are added to a total.
        lengths: the extents of the dimensions of the loop.
    """
    reach = Reach(nodes, lengths, [])
    for node in nodes:
        reach.known.append(dict(reach.beyond(node)))
    for number in sorted(live):
        reach.join(number)
    for number in full:
        for place in range(len(nodes[number].axes)):
            reach.keep((number, place), ())
    for number in totals:
        for place in range(len(nodes[number].axes)):
            reach.keep((number, place), reach.neutral((number, place), NEUTRAL["sum"]))
    return [reach.cut(number) for number in range(len(nodes))]


@dataclass
class Reach:
    """What is known of entries beyond blocks, and which axes go together.

    Attributes:
        nodes: all nodes.
        lengths: the extents of the dimensions of the loop.
        known: what is known of each node.
        parents: the axis with which another goes; a forest.
        bounds: for the root of each tree the bounds beyond which nothing is read; all if it is not there.
    """

    nodes: Sequence[Node]
    lengths: Sequence[sp.Expr]
    known: list[Known]
    parents: dict[Side, Side] = field(default_factory=dict)
    bounds: dict[Side, frozenset[Bound]] = field(default_factory=dict)

    def possible(self, axis: Axis) -> Iterator[Bound]:
        """The bounds that an axis may have: those of dimensions as long as it is, if no loop cuts it."""
        if axis.dimension is None:
            for dimension, length in enumerate(self.lengths):
                if length == axis.extent:
                    yield from (Bound(dimension, after) for after in (False, True))

    # What entries are

    def beyond(self, node: Node) -> Iterator[tuple[tuple[int, Bound], float]]:
        """What all entries of a node are beyond a bound, where that is one number."""
        for place, axis in enumerate(node.axes):
            for bound in self.possible(axis):
                value = self.value(node, place, bound)
                if value is not None and not np.isnan(value):
                    yield (place, bound), value

    def value(self, node: Node, place: int, bound: Bound) -> float | None:
        """The number that all entries are beyond a bound along one axis; None if it is not known."""
        given = [self.argument(argument, place, bound) for argument in node.arguments]
        match node.operation:
            case Operation.MAP:
                return self.compared(node, place, bound) if node.name in COMPARISONS else mapped(node.name, given)
            case Operation.REDUCE:
                return given[0] if node.name != "sum" or given[0] == 0 else None
            case Operation.PRODUCT:
                return 0.0 if 0.0 in given else None
        return None

    def argument(self, argument: Use | source.Node, place: int, bound: Bound) -> float | None:
        """What an argument is beyond a bound along an axis of the result."""
        if isinstance(argument, Use):
            lies = argument.places.index(place) if place in argument.places else None
            return None if lies is None else self.known[argument.node].get((lies, bound))
        return number_in(flat(argument))

    def compared(self, node: Node, place: int, bound: Bound) -> float | None:
        """Whether the places beyond a block compare with those in it in one way."""
        if not all(
            isinstance(one, Use) and self.nodes[one.node].operation is Operation.POSITIONS for one in node.arguments
        ):
            return None
        own, other = ([use for use in node.uses if (place in use.places) is here] for here in (True, False))
        if len(own) != 1 or self.nodes[other[0].node].axes[0].dimension != bound.dimension:
            return None
        # On the left the places beyond the end are greater than all in the block, and those before its start less.
        greater = bound.after is (own[0] is node.uses[0])
        return COMPARISONS[node.name][0 if greater else 1]

    # Which axes go together

    def root(self, side: Side) -> Side:
        """The axis that stands for all that go together."""
        while side in self.parents:
            side = self.parents[side]
        return side

    def unite(self, one: Side, other: Side) -> None:
        """Let two axes go together."""
        first, second = self.root(one), self.root(other)
        if first != second:
            self.parents[second] = first
            if second in self.bounds:
                self.keep(first, self.bounds.pop(second))

    def keep(self, side: Side, bounds: Collection[Bound]) -> None:
        """Leave an axis no other bounds than these."""
        root = self.root(side)
        self.bounds[root] = self.bounds[root].intersection(bounds) if root in self.bounds else frozenset(bounds)

    def neutral(self, side: Side, number: float) -> frozenset[Bound]:
        """The bounds beyond which all entries along an axis are a number."""
        axis = self.nodes[side[0]].axes[side[1]]
        return frozenset(b for b in self.possible(axis) if self.known[side[0]].get((side[1], b)) == number)

    def join(self, number: int) -> None:
        """Join the axes of a node with those of what it reads, and leave what is summed its bounds."""
        node = self.nodes[number]
        rank = len(node.axes)
        if not is_aligned(node):
            for side in ((number, place) for place in range(rank)):
                self.keep(side, ())
        summed: dict[int, list[Side]] = {}
        for use in node.uses:
            for place, lies in enumerate(use.places):
                side = (use.node, place)
                if not is_aligned(node):
                    self.keep(side, ())
                elif lies < rank:
                    self.unite((number, lies), side)
                else:
                    summed.setdefault(lies, []).append(side)
        for sides in summed.values():
            zero = NEUTRAL["sum" if node.operation is Operation.PRODUCT else node.name]
            bounds = {bound for side in sides for bound in self.neutral(side, zero)}
            for side in sides:
                self.unite(sides[0], side)
            self.keep(sides[0], bounds)

    def cut(self, number: int) -> Node:
        """A node with its axes as far as they are read."""
        node = self.nodes[number]
        axes = [self.reached((number, place), axis) for place, axis in enumerate(node.axes)]
        every = {lies: (use.node, place) for use in node.uses for place, lies in enumerate(use.places)}
        summed = [self.reached(every[len(axes) + place], axis) for place, axis in enumerate(node.summed)]
        return replace(node, axes=tuple(axes), summed=tuple(summed))

    def reached(self, side: Side, axis: Axis) -> Axis:
        """An axis as far as it is read."""
        bounds = self.bounds.get(self.root(side), frozenset())
        ends = {bound.after: bound.dimension for bound in self.possible(axis) if bound in bounds}
        since, until = ends.get(False), ends.get(True)
        # Between the blocks of two dimensions there may be nothing, of which there is no largest entry.
        return replace(axis, since=since if until in (None, since) else None, until=until)


COMPARISONS = {"np.greater": (TRUE, FALSE), "np.greater_equal": (TRUE, FALSE), "np.not_equal": (TRUE, TRUE)}
"""What a comparison says where all on the left are greater, and where all are less."""


DIGITS = re.compile(r"-?\d+(?:\.\d+)?")

WRITTEN = {"-np.inf": -np.inf, "np.inf": np.inf}
"""What is no digits and yet a number; a name may be one for Python's ``float``."""


def number_in(text: str) -> float | None:
    """The number that is written; None for other expressions."""
    return float(text) if DIGITS.fullmatch(text) else WRITTEN.get(text)


def is_aligned(node: Node) -> bool:
    """Whether each entry is made from the entries at its own places, whatever the lengths of the axes."""
    return node.operation not in (Operation.DIAGONAL, Operation.EXPRESSION) and node.name not in (
        "np.broadcast_to",
        "np.full",
    )


def mapped(name: str, given: Sequence[float | None]) -> float | None:
    """A function of entries of which some are known numbers; the others are finite."""
    if name == WHERE:
        hidden, otherwise, value = given
        return otherwise if hidden == TRUE or otherwise == value else value if hidden == FALSE else None
    if name == "np.logical_or":
        return TRUE if TRUE in given else FALSE if set(given) == {FALSE} else None
    if name == COPY:
        return given[0]
    if name not in ELEMENTWISE:
        return None
    if None not in given:
        with np.errstate(all="ignore"):
            return float(getattr(np, name.removeprefix("np."))(*given))
    first, *others = given
    if name == "np.multiply" and 0.0 in given:
        return 0.0
    if name == "np.divide" and first == 0:
        return 0.0
    if name in ("np.add", "np.subtract") and first is not None and np.isinf(first):
        return first
    if name == "np.add" and others[0] is not None and np.isinf(others[0]):
        return others[0]
    return None
