"""A long axis in tiles: how often a block must go along it, and what grows on each way.

A sum along the axis is there when a sweep along it is over. What needs it waits for the next sweep, in which all that
lies along the axis is computed again, tile by tile. One thing need not wait: sums of what a largest value is taken off
in an exponential. While the largest value grows, ``sum_j exp(x_j - m) v_j`` is a number for the ``m`` found so far, and
becomes the one for a greater ``m'`` by a factor ``exp(m - m')`` (Milakov and Gimelshein 2018, arXiv:1805.02867). What
multiplies such a sum but does not lie along the axis, such as one over another sum, is a factor of the whole.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from indexcalc.codegen.fast.graph import Axis, Node, Operation, Use
from indexcalc.codegen.source import flat

ZEROS = ("0", "0.0")


@dataclass(frozen=True, slots=True)
class Shift:
    """A largest value that is taken off in an exponential: the node is ``exp(-m)`` times what does not know of it.

    Attributes:
        node: the largest value.
        places: which axis of the node that is shifted each of its axes is.
    """

    node: int
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Running:
    """What grows along the axis: a sum, a largest or a smallest value.

    Attributes:
        sweep: in which it grows, counted from 1.
        summand: what is summed in each tile, a product if there are two.
        shift: the largest value that grows in the same sweep and is taken off in the summand.
        factors: what the whole is multiplied by behind the sweep.
    """

    sweep: int
    summand: tuple[Use, ...]
    shift: Shift | None = None
    factors: tuple[Use, ...] = ()


@dataclass
class Sweeps:
    """What is computed in which sweep along an axis.

    Attributes:
        nodes: all nodes, each after those that it reads.
        axis: the long one, which no node has twice.
        after: for each node, how many sweeps must be over before it can be computed; a sum is there after its own.
        running: what grows along the axis.
        shifted: the nodes that may be computed one sweep earlier, with the largest value that was found so far.
        results: the nodes with the axis that are needed in full, by sweep.
    """

    nodes: Sequence[Node]
    axis: Axis
    after: dict[int, int] = field(default_factory=dict)
    running: dict[int, Running] = field(default_factory=dict)
    shifted: dict[int, Shift] = field(default_factory=dict)
    results: dict[int, list[int]] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many sweeps there are."""
        return max((*(one.sweep for one in self.running.values()), *self.results), default=0)

    def lies(self, number: int) -> bool:
        """Whether a node has the axis."""
        return self.axis in self.nodes[number].axes

    def inside(self, sweep: int) -> set[int]:
        """The nodes along the axis that a sweep computes."""
        pending = [use.node for one in self.running.values() if one.sweep == sweep for use in one.summand]
        pending += self.results.get(sweep, [])
        found: set[int] = set()
        while pending:
            number = pending.pop()
            if self.lies(number) and number not in found:
                found.add(number)
                pending += [use.node for use in self.nodes[number].uses]
        return found

    def growing(self, sweep: int) -> list[int]:
        """What grows in a sweep."""
        return sorted(number for number, one in self.running.items() if one.sweep == sweep)

    def shifts(self, sweep: int) -> set[int]:
        """The largest values that are taken off while they grow."""
        return {one.shift.node for one in self.running.values() if one.sweep == sweep and one.shift is not None}

    def add(self, number: int) -> None:
        """Find the place of a node; those that it reads have theirs."""
        node = self.nodes[number]
        if self.axis in node.summed:
            self.running[number] = self.run(node)
            self.after[number] = self.running[number].sweep
            return
        self.after[number] = max((self.after[use.node] for use in node.uses), default=0)
        shift = self.exponential(node) or self.carried(node)
        if shift is not None:
            self.shifted[number] = shift

    def run(self, node: Node) -> Running:
        """How a reduction grows: with the largest value that its summand knows of, if all else is there before."""
        late = Running(max(self.after[use.node] for use in node.uses) + 1, node.uses)
        if node.operation is Operation.REDUCE and node.name != "sum":
            return late
        parts = [self.peeled(use, len(node.axes)) for use in node.uses]
        summand = tuple(core for core, _ in parts)
        factors = tuple(factor for _, found in parts for factor in found)
        shift = self.taken_over(node, summand)
        if shift is None:
            return late
        sweep = self.after[shift.node]
        if sweep >= late.sweep or any(self.after[factor.node] > sweep for factor in factors):
            return late
        return Running(sweep, summand, shift, factors)

    def peeled(self, use: Use, rank: int) -> tuple[Use, list[Use]]:
        """A summand without factors that wait for a sum along the axis and do not lie along it, and these."""
        factors: list[Use] = []
        while True:
            node = self.nodes[use.node]
            if node.operation is not Operation.MAP or node.name != "np.multiply" or len(node.uses) != 2:
                return use, factors
            inner = [Use(one.node, tuple(use.places[place] for place in one.places)) for one in node.uses]
            late = [
                one
                for one in inner
                if self.after[one.node] and not self.lies(one.node) and max(one.places, default=0) < rank
            ]
            if len(late) != 1:
                return use, factors
            factors += late
            (use,) = (one for one in inner if one is not late[0])

    def exponential(self, node: Node) -> Shift | None:
        """``exp(x - m)`` with a largest value along the axis."""
        if node.operation is not Operation.MAP or node.name != "np.exp" or not node.uses:
            return None
        (outer,) = node.uses
        inner = self.nodes[outer.node]
        if inner.operation is not Operation.MAP or inner.name != "np.subtract" or len(inner.uses) != 2:
            return None
        value, largest = inner.uses
        grown = self.running.get(largest.node)
        if grown is None or self.nodes[largest.node].name != "max" or self.after[value.node] >= grown.sweep:
            return None
        return Shift(largest.node, tuple(outer.places[place] for place in largest.places))

    def carried(self, node: Node) -> Shift | None:
        """What a node takes over from the one that it reads, if it is linear in that."""
        shifted = [use for use in node.uses if use.node in self.shifted]
        if not shifted or not self.is_linear(node, shifted):
            return None
        found = (
            {self.taken_over(node, [one]) for one in shifted}
            if node.name in SUMS
            else {self.taken_over(node, node.uses)}
        )
        return found.pop() if len(found) == 1 else None

    def taken_over(self, node: Node, uses: Sequence[Use]) -> Shift | None:
        """The shift of one of the arrays that are multiplied, if the others are there before."""
        shifted = [use for use in uses if use.node in self.shifted]
        if len(shifted) != 1:
            return None
        shift = self.shifted[shifted[0].node]
        places = tuple(shifted[0].places[place] for place in shift.places)
        others = (use for use in uses if use is not shifted[0])
        if any(self.after[use.node] >= self.after[shift.node] for use in others) or max(places, default=-1) >= len(
            node.axes
        ):
            return None
        return Shift(shift.node, places)

    def is_linear(self, node: Node, shifted: Sequence[Use]) -> bool:
        """Whether a node is multiplied by what each of its shifted arguments is multiplied by."""
        if node.operation is not Operation.MAP:
            return node.operation is Operation.PRODUCT or (node.operation is Operation.REDUCE and node.name == "sum")
        if node.name in SUMS:
            return len(shifted) == len(node.arguments)
        if node.name == "np.where":
            rest = [one for one in node.arguments[1:] if one not in shifted]
            return (
                all(not isinstance(one, Use) and flat(one) in ZEROS for one in rest)
                and node.arguments[0] not in shifted
            )
        return node.name in ("np.multiply", "np.negative") or (
            node.name == "np.divide" and shifted == [node.arguments[0]]
        )


SUMS = ("np.add", "np.subtract")


def sweeps_along(axis: Axis, nodes: Sequence[Node], live: Collection[int], results: Collection[int]) -> Sweeps:
    """What is computed in which sweep along an axis.

    Args:
        axis: the long one.
        nodes: all nodes.
        live: the numbers of those that are needed.
        results: those that are needed in full.
    """
    sweeps = Sweeps(nodes, axis)
    for number in sorted(live):
        sweeps.add(number)
    for number in results:
        if sweeps.lies(number):
            sweeps.results.setdefault(sweeps.after[number] + 1, []).append(number)
    return sweeps


def can_sweep(axis: Axis, nodes: Sequence[Node], live: Collection[int]) -> bool:
    """Whether an axis may be cut into tiles: no node has it twice."""
    return all([*nodes[number].axes, *nodes[number].summed].count(axis) <= 1 for number in live)


def longest(nodes: Sequence[Node], live: Collection[int]) -> Axis | None:
    """The axis to go along in tiles: of those that no loop cuts and no node has twice, the one that most nodes have."""
    counts: dict[Axis, int] = {}
    for number in sorted(live):
        for axis in nodes[number].axes:
            if axis.dimension is None:
                counts[axis] = counts.get(axis, 0) + 1
    fitting = [axis for axis in counts if can_sweep(axis, nodes, live)]
    return max(fitting, key=lambda axis: counts[axis], default=None)
