"""A plain layered drawing of a small graph: nodes in rows, every edge from a row to one below it.

Rows by the longest path (Sugiyama, Tagawa and Toda, 1981), order in a row by the mean place of neighbours. An edge over
several rows has a place in each of them, so that it passes between boxes and not through them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from indexcalc.errors import LimitError

MOST = 2_000
"""The most places in all rows."""

SWEEPS = 6
"""How often the rows are ordered, down and up."""

Edge = tuple[int, int]
Place = int | tuple[Edge, int]
"""A node by its number, or where an edge passes a row."""


@dataclass(frozen=True, slots=True)
class Layers:
    """The drawing.

    Attributes:
        rows: the places of each row from left to right.
        routes: the places of each edge from its source to its sink.
    """

    rows: tuple[tuple[Place, ...], ...]
    routes: Mapping[Edge, tuple[Place, ...]]


def layered(count: int, edges: Sequence[Edge]) -> Layers:
    """The drawing of a graph: an edge that closes a cycle goes up, and one from a node to itself has no route.

    Args:
        count: the number of nodes, which are called 0, 1 and so on.
        edges: pairs of a source and a sink; a pair may occur more than once.

    Raises:
        LimitError: if the drawing would have too many places.
    """
    up = closing(count, edges)
    each = list(
        dict.fromkeys(
            (sink, source) if (source, sink) in up else (source, sink) for source, sink in edges if source != sink
        )
    )
    depths = depths_of(count, each)
    routes: dict[Edge, tuple[Place, ...]] = {}
    rows: list[list[Place]] = [[] for _ in range(max(depths, default=-1) + 1)]
    for node in range(count):
        rows[depths[node]].append(node)
    places = count
    for edge in each:
        source, sink = edge
        between = [(edge, row) for row in range(depths[source] + 1, depths[sink])]
        places += len(between)
        if places > MOST:
            raise LimitError(f"a diagram has more than {MOST} places; draw a part of the program")
        for passing in between:
            rows[passing[1]].append(passing)
        routes[edge] = (source, *between, sink)
    drawn = ordered(rows, routes)
    back = {(source, sink): routes[sink, source][::-1] for source, sink in up}
    return Layers(drawn, {edge: route for edge, route in {**routes, **back}.items() if edge in set(edges)})


def closing(count: int, edges: Sequence[Edge]) -> frozenset[Edge]:
    """The edges that lead back to a node from which their source was reached, but for those from a node to itself."""
    sinks: list[list[int]] = [[] for _ in range(count)]
    for source, sink in dict.fromkeys(edges):
        sinks[source].append(sink)
    found: set[Edge] = set()
    seen, on_path = set[int](), set[int]()
    for start in range(count):
        if start in seen:
            continue
        seen.add(start)
        on_path.add(start)
        pending = [(start, iter(sinks[start]))]
        while pending:
            node, rest = pending[-1]
            following = next(rest, None)
            if following is None:
                pending.pop()
                on_path.discard(node)
            elif following in on_path:
                if following != node:
                    found.add((node, following))
            elif following not in seen:
                seen.add(following)
                on_path.add(following)
                pending.append((following, iter(sinks[following])))
    return frozenset(found)


def depths_of(count: int, edges: Sequence[Edge]) -> list[int]:
    """The row of every node: below all that it reads; what reads nothing stands right above its first reader."""
    sources: list[list[int]] = [[] for _ in range(count)]
    sinks: list[list[int]] = [[] for _ in range(count)]
    for source, sink in edges:
        sources[sink].append(source)
        sinks[source].append(sink)
    waiting = [len(found) for found in sources]
    ready = [node for node in range(count) if not waiting[node]]
    depths = [0] * count
    done = 0
    while done < len(ready):
        node = ready[done]
        done += 1
        for sink in sinks[node]:
            depths[sink] = max(depths[sink], depths[node] + 1)
            waiting[sink] -= 1
            if not waiting[sink]:
                ready.append(sink)
    assert done == count, "a graph with a cycle"
    for node in range(count):
        if not sources[node] and sinks[node]:
            depths[node] = min(depths[sink] for sink in sinks[node]) - 1
    return depths


def ordered(rows: Sequence[Sequence[Place]], routes: Mapping[Edge, Sequence[Place]]) -> tuple[tuple[Place, ...], ...]:
    """The rows in an order in which lines cross less: of the orders that the sweeps find, the best."""
    above: dict[Place, list[Place]] = {place: [] for row in rows for place in row}
    below: dict[Place, list[Place]] = {place: [] for row in rows for place in row}
    for route in routes.values():
        for one, next_one in pairwise(route):
            below[one].append(next_one)
            above[next_one].append(one)
    current = [list(row) for row in rows]
    best, fewest = [tuple(row) for row in current], crossings(current, below)
    for sweep in range(SWEEPS):
        numbers = range(1, len(current)) if sweep % 2 == 0 else range(len(current) - 2, -1, -1)
        neighbours = above if sweep % 2 == 0 else below
        for number in numbers:
            beside = current[number - 1 if sweep % 2 == 0 else number + 1]
            positions = {place: position for position, place in enumerate(beside)}
            current[number] = by_neighbours(current[number], neighbours, positions)
        found = crossings(current, below)
        if found < fewest:
            best, fewest = [tuple(row) for row in current], found
    return tuple(best)


def by_neighbours(
    row: Sequence[Place], neighbours: Mapping[Place, Sequence[Place]], positions: Mapping[Place, int]
) -> list[Place]:
    """A row in the order of the mean position of neighbours; a place without any stays about where it is."""

    def mean(place: Place) -> float:
        found = [positions[other] for other in neighbours[place] if other in positions]
        return sum(found) / len(found) if found else float(row.index(place))

    return sorted(row, key=mean)


def crossings(rows: Sequence[Sequence[Place]], below: Mapping[Place, Sequence[Place]]) -> int:
    """How many pairs of lines cross between neighbouring rows."""
    total = 0
    for row, under in pairwise(rows):
        positions = {place: position for position, place in enumerate(under)}
        ends = [sorted(positions[other] for other in below[place]) for place in row]
        seen: list[int] = []
        for found in ends:
            total += sum(sum(earlier > end for earlier in seen) for end in found)
            seen.extend(found)
    return total
