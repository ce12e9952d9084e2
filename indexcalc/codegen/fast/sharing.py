"""Which kernels share the results of a loop, and which of the axes each program of theirs has a tile of.

One kernel has a program for each block of the loop, and sweeps the longest axis that the loop does not cut. Totals
that have this axis would grow by what each program adds. So another kernel has the axes of these two exchanged: a
program for each tile of the long axis, that sweeps the last dimension of the loop, after which its part of the totals
is there. What it needs of sums along the long axis, such as the statistics of a softmax, the first kernel keeps for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from indexcalc.codegen.fast.graph import Axis, Node, Operation
from indexcalc.codegen.fast.sweeps import can_sweep, longest, sweeps_along


@dataclass(frozen=True, slots=True)
class Result:
    """A node that a kernel writes.

    Attributes:
        name: the variable of the tensor.
        node: its number.
        places: which axis of the node is each axis of the tensor.
        is_added: whether it is added to what other programs have found.
    """

    name: str
    node: int
    places: tuple[int, ...]
    is_added: bool = False


@dataclass(frozen=True)
class Share:
    """What one kernel computes.

    Attributes:
        nodes: all nodes, what another kernel keeps among them as tensors that are there before.
        counts: how often each node is read that is needed.
        results: what is written.
        grid: the axes of which each program has a tile of its own; only the last is longer than one entry.
        swept: the axis along which a program goes in tiles.
        along_rows: whether that is one of those that the loop leaves whole, as rows are.
        kept: the axes of what is written for another kernel, by the variable of its tensor.
        tensors: the variables of tensors that another kernel has kept.
    """

    nodes: Sequence[Node]
    counts: Mapping[int, int]
    results: tuple[Result, ...]
    grid: tuple[Axis, ...]
    swept: Axis | None
    along_rows: bool = True
    kept: Mapping[str, tuple[Axis, ...]] = field(default_factory=dict)
    tensors: Mapping[str, str] = field(default_factory=dict)


def shares(nodes: Sequence[Node], results: Sequence[Result], grid: tuple[Axis, ...], stem: str) -> Iterator[Share]:
    """The kernels of a loop, in the order in which they run.

    Args:
        nodes: those of one block.
        results: all that is needed of it.
        grid: the dimensions of the loop.
        stem: begins the variables of what one kernel keeps for another.
    """
    counts = reads(nodes, [result.node for result in results])
    swept = longest(nodes, counts)
    totals = [result for result in results if result.is_added and swept in nodes[result.node].axes]
    if swept is None or not totals:
        yield Share(nodes, counts, tuple(results), grid, swept)
        return
    wanted = [result.node for result in totals]
    cut = statistics(nodes, counts, wanted, swept)
    known = {number: f"{stem}_{place + 1}" for place, number in enumerate(cut)}
    leaves = [
        Node(Operation.LEAF, known[number], (), node.axes) if number in known else node
        for number, node in enumerate(nodes)
    ]
    there = reads(leaves, wanted)
    if not (can_sweep(grid[-1], leaves, there) and are_small(nodes, counts, results, cut)):
        yield Share(nodes, counts, tuple(results), grid, swept)
        return
    kept = tuple(Result(name, number, tuple(range(len(nodes[number].axes)))) for number, name in known.items())
    first = (*(result for result in results if result not in totals), *kept)
    if first:
        own = reads(nodes, [result.node for result in first])
        yield Share(nodes, own, first, grid, swept, kept={name: nodes[number].axes for number, name in known.items()})
    turned = (*grid[:-1], swept)
    whole = tuple(replace(result, is_added=not set(turned) <= set(nodes[result.node].axes)) for result in totals)
    yield Share(
        leaves, there, whole, turned, grid[-1], along_rows=False, tensors={name: name for name in known.values()}
    )


def reads(nodes: Sequence[Node], wanted: Collection[int]) -> dict[int, int]:
    """How often each node is read that the wanted ones are made from, and written for each that is wanted."""
    counts: dict[int, int] = {}
    for number in wanted:
        counts[number] = counts.get(number, 0) + 1
    for number in range(len(nodes) - 1, -1, -1):
        if number in counts:
            for use in nodes[number].uses:
                counts[use.node] = counts.get(use.node, 0) + 1
    return counts


def statistics(nodes: Sequence[Node], counts: Mapping[int, int], wanted: Collection[int], axis: Axis) -> list[int]:
    """What wanted nodes read that waits for a sum along an axis and does not lie along it, in order."""
    sweeps = sweeps_along(axis, nodes, counts, ())
    pending, seen, found = [*wanted], set[int](), set[int]()
    while pending:
        number = pending.pop()
        if number in seen:
            continue
        seen.add(number)
        if sweeps.after[number] and not sweeps.lies(number):
            found.add(number)
        else:
            pending += [use.node for use in nodes[number].uses]
    return sorted(found)


def are_small(
    nodes: Sequence[Node], counts: Mapping[int, int], results: Sequence[Result], kept: Collection[int]
) -> bool:
    """Whether what is kept has the axes of something that is there in full anyway."""
    there = [nodes[number].axes for number in counts if nodes[number].operation is Operation.LEAF]
    there += [nodes[result.node].axes for result in results]
    full = [Counter(axis.extent for axis in axes) for axes in there]
    return all(any(Counter(axis.extent for axis in nodes[number].axes) <= other for other in full) for number in kept)
