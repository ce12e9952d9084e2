"""Where the parts of a tensor network are drawn: bodies in a row, wires between neighbours and above, legs below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from indexcalc.algebra.terms import Index
from indexcalc.notes.networks import Body, Joint, Kind, Network

LETTER, PAD = 7.4, 10.0
"""The width of a letter, and the room beside a text inside a body."""

GAP, THICK, STEP = 40.0, 28.0, 13.0
"""The room between bodies, the least height of one, and the distance of two legs side by side."""

NAMED, WIRES = 10.0, 21.0
"""How far a name stands above its wire, and the distance of two wires that have a name between them."""

ARC, LEVEL, BELOW = 22.0, 20.0, 18.0
"""The height of an arc above its neighbours, of a level of dots, and of a leg below them."""

NAME = 10.0
"""How far beside its dot the name of a summed index stands."""

WIDEST = 640.0
"""The widest row of networks."""

MARGIN = 16.0
"""The room around a picture."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Shape:
    """A body: its middle and its size."""

    body: Body
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Curve:
    """A cubic curve of the colour of an index."""

    index: Index
    points: tuple[Point, Point, Point, Point]


@dataclass(frozen=True, slots=True)
class Dot:
    """Where the ends of an index meet."""

    index: Index
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Label:
    """A text, in the colour of an index if it is the name of one."""

    text: str
    x: float
    y: float
    index: Index | None = None


Part = Shape | Curve | Dot | Label


@dataclass(frozen=True, slots=True)
class Drawing:
    """Parts with the room that they take, from the origin on."""

    parts: tuple[Part, ...]
    width: float
    height: float


def line(index: Index, start: Point, end: Point) -> Curve:
    """A straight line."""
    (a, b), (c, d) = start, end
    return Curve(index, (start, (a + (c - a) / 3, b + (d - b) / 3), (a + 2 * (c - a) / 3, b + 2 * (d - b) / 3), end))


def text_width(text: str) -> float:
    """The room of a text."""
    return len(text) * LETTER


def drawn(sides: Sequence[Sequence[Network]]) -> Drawing:
    """Sums of networks with equals signs between them, in rows of at most about `WIDEST`."""
    pieces: list[Drawing] = []
    for number, networks in enumerate(sides):
        if number:
            pieces.append(word("="))
        if not networks:
            pieces.append(word("0"))
        for place, network in enumerate(networks):
            sign = network.sign if place or network.sign != "+" else ""
            if lead := " ".join(part for part in (sign, network.scalar) if part):
                pieces.append(word(lead))
            pieces.append(placed(network))
    return stacked([beside(row) for row in rows_of(pieces)])


def word(text: str) -> Drawing:
    """A text between networks."""
    width = text_width(text)
    return Drawing((Label(text, width / 2, 0.0),), width, 0.0)


def rows_of(pieces: Sequence[Drawing]) -> Iterator[list[Drawing]]:
    """As many pieces in a row as fit; a text stands with what comes after it."""
    row: list[Drawing] = []
    taken = 0.0
    group: list[Drawing] = []
    for piece in pieces:
        group.append(piece)
        if len(piece.parts) == 1 and piece is not pieces[-1]:
            continue
        width = sum(one.width + MARGIN for one in group)
        if row and taken + width > WIDEST:
            yield row
            row, taken = [], 0.0
        row += group
        taken += width
        group = []
    yield row


def beside(pieces: Sequence[Drawing]) -> Drawing:
    """Pieces in a row; all have their middle at the height 0, and so has the row."""
    parts: list[Part] = []
    x = 0.0
    for piece in pieces:
        parts += (moved(part, x, 0.0) for part in piece.parts)
        x += piece.width + MARGIN
    return Drawing(tuple(parts), x - MARGIN, 0.0)


def stacked(rows: Sequence[Drawing]) -> Drawing:
    """Rows below each other, with a margin around."""
    parts: list[Part] = []
    y = MARGIN
    for row in rows:
        low, high = extent_of(row.parts)
        parts += (moved(part, MARGIN, y - low) for part in row.parts)
        y += high - low + MARGIN
    return Drawing(tuple(parts), max((row.width for row in rows), default=0.0) + 2 * MARGIN, y)


def extent_of(parts: Sequence[Part]) -> Point:
    """The least and the greatest height of parts."""
    low, high = -THICK / 2, THICK / 2
    for part in parts:
        match part:
            case Shape(_, _, y, _, height):
                low, high = min(low, y - height / 2), max(high, y + height / 2)
            case Curve(_, points):
                low, high = min(low, *(y for _, y in points)), max(high, *(y for _, y in points))
            case Label(_, _, y) | Dot(_, _, y):
                low, high = min(low, y - 8), max(high, y + 8)
    return low, high


def moved(part: Part, right: float, down: float) -> Part:
    """A part at another place."""
    if isinstance(part, Curve):
        first, second, third, fourth = ((x + right, y + down) for x, y in part.points)
        return Curve(part.index, (first, second, third, fourth))
    return replace(part, x=part.x + right, y=part.y + down)


def placed(network: Network) -> Drawing:
    """One network, its row of bodies at the height 0."""
    beside_each_other = [joint for joint in network.joints if is_between_neighbours(joint, network)]
    above = [joint for joint in network.joints if len(joint.ends) == 2 and not joint.free]
    above = [joint for joint in above if joint not in beside_each_other]
    below = [joint for joint in network.joints if joint not in beside_each_other and joint not in above]
    shapes = shapes_of(network, beside_each_other, above, below)
    ports = Ports(network, shapes)
    parts: list[Part] = [shape for shape in shapes if shape.body.kind is not Kind.DELTA]
    between: dict[tuple[int, int], list[Joint]] = {}
    for joint in beside_each_other:
        first, second = sorted(body for body, _ in joint.ends)
        between.setdefault((first, second), []).append(joint)
    for (first, second), joints in between.items():
        for joint, shift in zip(joints, spread(len(joints), WIRES), strict=True):
            start, end = ports.side(first, 1, shift), ports.side(second, -1, shift)
            parts.append(line(joint.index, start, end))
            parts.append(Label(joint.index.name, (start[0] + end[0]) / 2, shift - NAMED, joint.index))
    for joint, ends in ports.shared(above, -1):
        (a, b), (c, d) = sorted(ends)
        top = min(b, d) - ARC - (c - a) / 6
        parts.append(Curve(joint.index, ((a, b), (a, top), (c, top), (c, d))))
        parts.append(Label(joint.index.name, (a + c) / 2, (b + d) / 8 + 0.75 * top - NAMED, joint.index))
    parts += legs_of(ports.shared(below, 1), shapes)
    parts += wires_of(network, shapes)
    width = max(
        [shape.x + shape.width / 2 for shape in shapes] + [part.x + 8 for part in parts if isinstance(part, Dot)],
        default=0.0,
    )
    return Drawing(tuple(parts), width, 0.0)


def is_between_neighbours(joint: Joint, network: Network) -> bool:
    """Whether an index is a wire between bodies beside each other, with their ends face to face."""
    if joint.free or len(joint.ends) != 2:
        return False
    (first, one), (second, other) = sorted(joint.ends)
    if second - first != 1:
        return False
    ways = ((first, one, 1), (second, other, -1))
    deltas = [one for one in ways if network.bodies[one[0]].kind is Kind.DELTA]
    return all(tips_of(number, network)[leg] == way for number, leg, way in deltas)


def spread(count: int, step: float) -> list[float]:
    """So many numbers around 0."""
    return [(number - (count - 1) / 2) * step for number in range(count)]


def shapes_of(
    network: Network, beside_each_other: Sequence[Joint], above: Sequence[Joint], below: Sequence[Joint]
) -> list[Shape]:
    """The bodies from left to right, wide and high enough for their labels and their legs."""
    shapes: list[Shape] = []
    x = 0.0
    for number, body in enumerate(network.bodies):

        def legs(joints: Sequence[Joint], own: int = number) -> int:
            return sum(end == own for joint in joints for end, _ in joint.ends)

        room = STEP * max(legs(above), legs(below), 1) + 8
        width = max(text_width(body.label) + 2 * PAD, room, THICK) if body.kind is not Kind.DELTA else 2 * STEP
        height = max(THICK, WIRES * (max(legs(beside_each_other), 1) - 1) + 2 * STEP)
        shapes.append(Shape(body, x + width / 2, 0.0, width, height))
        x += width + GAP
    return shapes


@dataclass(frozen=True, slots=True)
class Ports:
    """Where legs leave the bodies of a network."""

    network: Network
    shapes: Sequence[Shape]

    def side(self, body: int, way: int, shift: float) -> Point:
        """At the left (-1) or right (1) of a body."""
        shape = self.shapes[body]
        return (shape.x + way * shape.width / 2, shape.y + (0.0 if shape.body.kind is Kind.DELTA else shift))

    def shared(self, joints: Sequence[Joint], way: int) -> list[tuple[Joint, list[Point]]]:
        """The ends of joints above (-1) or below (1) the bodies; a leg that goes far to the right is at the right."""
        ends = [(joint, end) for joint in joints for end in joint.ends]
        places: dict[tuple[int, int], Point] = {}
        for number, shape in enumerate(self.shapes):
            own = [(joint, end) for joint, end in ends if end[0] == number]
            own.sort(key=lambda one: (middle(one[0], self.shapes), one[1][1]))
            for (_, end), shift in zip(own, spread(len(own), STEP), strict=True):
                places[end] = (shape.x + shift, shape.y + way * shape.height / 2)
                if shape.body.kind is Kind.DELTA:
                    places[end] = (shape.x + shape.width / 2 * self.tip(number, end), shape.y)
        return [(joint, [places[end] for end in joint.ends]) for joint in joints]

    def tip(self, number: int, end: tuple[int, int]) -> int:
        """The tip of a delta, -1 or 1, that an index of it has; see `tips_of`."""
        return tips_of(number, self.network)[end[1]]


def middle(joint: Joint, shapes: Sequence[Shape]) -> float:
    """Where the ends of a joint are on average."""
    return sum(shapes[body].x for body, _ in joint.ends) / len(joint.ends)


def tips_of(number: int, network: Network) -> tuple[int, int]:
    """At which tip of a delta its two legs are: each nearer to what it leads to."""
    away = []
    for leg in range(2):
        joint = next(one for one in network.joints if (number, leg) in one.ends)
        others = [body for body, _ in joint.ends if body != number]
        away.append(sum(others) / len(others) - number if others else 0.0)
    return (1, -1) if away[0] > away[1] else (-1, 1)


def legs_of(joints: Sequence[tuple[Joint, list[Point]]], shapes: Sequence[Shape]) -> Iterator[Part]:
    """Legs to the outside, and dots where more than two ends meet, each on a level of its own."""
    dots = [(joint, ends) for joint, ends in joints if not joint.is_wire]
    start = max((shape.height / 2 for shape in shapes), default=0.0)
    bottom = start + LEVEL * len(dots) + BELOW
    taken = [ends[0][0] for joint, ends in joints if joint.is_wire]
    for joint, ends in joints:
        if joint.is_wire:
            ((x, y),) = ends
            yield line(joint.index, (x, y), (x, bottom))
            yield Label(joint.index.name, x, bottom + 10, joint.index)
    right = max((shape.x + shape.width / 2 for shape in shapes), default=0.0)
    for level, (joint, ends) in enumerate(dots, 1):
        x = sum(end[0] for end in ends) / len(ends) if ends else right + STEP
        x = free_place(x, taken)
        taken.append(x)
        y = start + LEVEL * level
        for a, b in ends:
            yield Curve(joint.index, ((a, b), (a, y), (a, y), (x, y)))
        yield Dot(joint.index, x, y)
        if joint.free:
            yield line(joint.index, (x, y), (x, bottom))
            yield Label(joint.index.name, x, bottom + 10, joint.index)
        else:
            # Past the dot go the legs to the outside, and those of dots that come after it.
            passing = [*taken, *(end[0] for _, others in dots[level:] for end in others)]
            yield Label(joint.index.name, x + NAME * free_side(x, passing), y + 7, joint.index)


def free_place(x: float, taken: Sequence[float]) -> float:
    """The place nearest to the right of `x` that is not close to one in use."""
    while any(abs(x - other) < STEP - 1 for other in taken):
        x += STEP / 2
    return x


def free_side(x: float, passing: Sequence[float]) -> int:
    """The side of `x`, 1 or -1, at which a name meets no line; the right one if both are alike."""
    right, left = (any(0 < way * (other - x) < 2 * NAME for other in passing) for way in (1, -1))
    return -1 if right and not left else 1


def wires_of(network: Network, shapes: Sequence[Shape]) -> Iterator[Part]:
    """A bare wire for each delta, either half in the colour of its index."""
    for number, shape in enumerate(shapes):
        if shape.body.kind is Kind.DELTA:
            for index, tip in zip(shape.body.legs, tips_of(number, network), strict=True):
                yield line(index, (shape.x + tip * shape.width / 2, shape.y), (shape.x, shape.y))
