"""Values of formulas at random points, shared by all readings of a page.

Readings of one relation mostly agree: a choice changes one name, and all else has the values it had before. So a
value is kept under its content: the formula with its index variables numbered in order, their lengths, the content of
each name in it down to the inputs, and the point. Equal contents have equal values, whatever reading they are from;
what is remembered is what would be computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from indexcalc.document.meaning.nodes import (
    Meaning,
)
from indexcalc.document.meaning.sizes import Ix, Sizes
from indexcalc.document.meaning.structures import Structure, structure_of
from indexcalc.document.numerics.extents import Read
from indexcalc.document.numerics.numbers import Point
from indexcalc.document.numerics.points import Draw, Points
from indexcalc.document.statements.calls import numbers_compared
from indexcalc.proof.numeric import Array

ENTRIES = 5_000_000
"""How many entries of arrays are remembered; when there would be more, all are forgotten."""


@dataclass
class Memory:
    """Contents by number, and the values that they have.

    Attributes:
        numbers: a number for each content.
        values: the value of a content at a point, with the largest magnitude met on the way.
        entries: how many entries the values have.
        unshared: how many contents were given a number without being looked up.
    """

    numbers: dict[Hashable, int] = field(default_factory=dict)
    values: dict[Hashable, tuple[Array, float]] = field(default_factory=dict)
    entries: int = 0
    unshared: int = 0

    def number(self, content: Hashable) -> int:
        """The number of a content: the same for equal ones."""
        return self.numbers.setdefault(content, len(self.numbers))

    def unique(self) -> int:
        """A number that no content has: nothing is shared under it."""
        self.unshared += 1
        return -self.unshared

    def keep(self, key: Hashable, value: Array, scale: float) -> None:
        """Remember a value."""
        if self.entries > ENTRIES:
            self.values.clear()
            self.entries = 0
        self.entries += 1 + value.size
        self.values[key] = value, scale


@dataclass
class Contents:
    """What the names of one trial stand for at points with some lengths, by numbers of the memory.

    Attributes:
        points: the points of the trial.
        sizes: the classes of its index variables.
        lengths: the length of each class.
        signed: the numbers that may be negative.
        known: the contents found so far.
        inside: the names whose contents are being found.
    """

    points: RememberedPoints
    sizes: Sizes
    lengths: Mapping[Ix, int]
    signed: frozenset[str]
    known: dict[str, int] = field(default_factory=dict)
    inside: set[str] = field(default_factory=set)

    def measured(self, indices: Sequence[Ix]) -> tuple[int, ...]:
        """The lengths of index variables."""
        return tuple(self.lengths[self.sizes.find(index)] for index in indices)

    def name(self, name: str) -> int:
        """The number of what a name stands for; one of its own where that leads back to it without steps."""
        if name in self.inside:
            return self.points.memory.unique()
        if name not in self.known and (circle := self.points.symbols.circle(name)):
            self.known.update(self.recurrence(circle))
        if name not in self.known:
            self.inside.add(name)
            self.known[name] = self.definition(name) if name in self.points.symbols.definitions else self.input(name)
            self.inside.discard(name)
        return self.known[name]

    def definition(self, name: str) -> int:
        """The number of a definition."""
        return self.formula(self.points.structure(name), name)

    def recurrence(self, circle: Sequence[str]) -> dict[str, int]:
        """The numbers of tensors that are computed together: each is one of them, and all their formulas say what."""
        memory, structures = self.points.memory, [self.points.structure(name) for name in circle]
        own = {name: memory.number(("in a recurrence", name)) for name in circle}
        formulas = tuple(
            (one.form, self.measured(one.indices), tuple(own[n] if n in own else self.name(n) for n in one.names))
            for one in structures
        )
        return {name: memory.number((name, tuple(circle), formulas)) for name in circle}

    def input(self, name: str) -> int:
        """The number of an input: its shape, and what is known of it."""
        symbols = self.points.symbols
        return self.points.memory.number(
            (
                name,
                self.measured(symbols.slots.get(name, ())),
                name in self.points.positive,
                name in self.points.regular,
                name in symbols.symmetric or name in self.points.factored,
                name in symbols.orthonormal,
                name in symbols.projections,
                symbols.simplex.get(name),
                symbols.one_hot.get(name),
                self.measured((symbols.whole[name],)) if name in symbols.whole else (),
                name in self.signed,
                numbers_compared(name, symbols.slots),
            )
        )

    def formula(self, structure: Structure, name: str = "") -> int:
        """The number of a formula."""
        names = tuple(self.name(one) for one in structure.names)
        return self.points.memory.number((name, structure.form, self.measured(structure.indices), names))


@dataclass
class RememberedPoint(Point):
    """A point at which nothing is computed that is known of an equal formula.

    Attributes:
        contents: what the names stand for.
        place: what tells the point from others with the same lengths.
    """

    contents: Contents | None = None
    place: tuple[Hashable, ...] = ()

    def value(self, node: Meaning, axes: Sequence[Ix]) -> Array:
        """The expression as an array over `axes`."""
        contents = self.shared
        if contents is None:
            return super().value(node, axes)
        structure = contents.points.side(node, tuple(axes))
        return self.remembered(
            ("value", contents.formula(structure)), lambda: super(RememberedPoint, self).value(node, axes)
        )

    def tensor(self, name: str) -> Array:
        """The value of a tensor."""
        contents = self.shared
        if contents is None or name not in self.symbols.definitions:
            return super().tensor(name)
        return self.remembered(("tensor", contents.name(name)), lambda: super(RememberedPoint, self).tensor(name))

    def jacobian(self, key: tuple[str, str, bool, tuple[str, ...]], compute: Callable[[], Array]) -> Array:
        """The derivative of a named tensor by another one."""
        contents = self.shared
        if contents is None:
            return super().jacobian(key, compute)
        name, wrt, local, held = key
        content = ("derivative", contents.name(name), wrt, contents.name(wrt), local, held)
        return self.remembered(content, lambda: super(RememberedPoint, self).jacobian(key, compute))

    @property
    def shared(self) -> Contents | None:
        """What the names stand for; None where inputs have other values than their contents say."""
        return None if self.displaced or self.fine else self.contents

    def remembered(self, content: Hashable, compute: Callable[[], Array]) -> Array:
        """A value that is known, or is computed now; the scale of this point is that of all on which it rests."""
        assert self.contents is not None
        memory = self.contents.points.memory
        key = (content, self.place)
        if key not in memory.values:
            before, self.scale = self.scale, 0.0
            value = compute()
            memory.keep(key, value, self.scale)
            self.scale = max(before, self.scale)
            return value
        value, scale = memory.values[key]
        self.scale = max(self.scale, scale)
        return value


@dataclass
class RememberedPoints(Points):
    """Points of one trial, whose values are shared with those of all other trials of a page."""

    memory: Memory = field(default_factory=Memory)
    structures: dict[Hashable, Structure] = field(default_factory=dict)
    by_lengths: dict[Hashable, Contents] = field(default_factory=dict)

    def point(
        self, sizes: Sizes, slots: Sequence[Ix], indices: Sequence[tuple[Ix, int]], reads: Sequence[Read], draw: Draw
    ) -> Point:
        """One point, with what the names stand for there."""
        plain = super().point(sizes, slots, indices, reads, draw)
        key = (tuple(plain.lengths.items()), draw.signed)
        if key not in self.by_lengths:
            self.by_lengths[key] = Contents(self, sizes, plain.lengths, draw.signed)
        contents = self.by_lengths[key]
        place = (draw.pattern, draw.seed, draw.stretched)
        return RememberedPoint(
            plain.symbols,
            sizes,
            plain.lengths,
            plain.given,
            plain.values,
            plain.jacobians,
            contents=contents,
            place=place,
        )

    def structure(self, name: str) -> Structure:
        """The structure of a definition."""
        if name not in self.structures:
            definition = self.symbols.definitions[name]
            self.structures[name] = structure_of(definition.body, definition.slots)
        return self.structures[name]

    def side(self, node: Meaning, axes: tuple[Ix, ...]) -> Structure:
        """The structure of a member, which lives as long as the trial."""
        key = (id(node), axes)
        if key not in self.structures:
            self.structures[key] = structure_of(node, axes)
        return self.structures[key]
