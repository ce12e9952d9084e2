"""Random points at which claims are tried: sizes and inputs."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from indexcalc.document.meaning.nodes import (
    Applied,
    Cholesky,
    Determinant,
    Entry,
    Inverse,
    Meaning,
    Raised,
    Size,
    children,
    indices_in,
    names_of,
    walk,
)
from indexcalc.document.meaning.sizes import Ix, Sizes
from indexcalc.document.meaning.symbols import NotUnderstoodError, Symbols
from indexcalc.document.numerics.arrays import bounded
from indexcalc.document.numerics.extents import Read, fitted
from indexcalc.document.numerics.lowering import Lexicon
from indexcalc.document.numerics.numbers import Point
from indexcalc.document.statements.calls import indicated, is_call, is_indicator, numbers_compared
from indexcalc.proof.numeric import Array

PATTERNS: tuple[tuple[int, ...], ...] = ((3, 2, 4, 5), (2, 4, 3, 5), (1, 3, 2, 4), (5, 3, 2, 4), (4, 2, 5, 3))
"""Sizes of the classes in order; where there are more, others of the same pattern (`length_of`).

The last ones are for formulas that are not defined with others: ``X^T X`` has an inverse if X has enough rows.
"""

SEEDS = 3
"""Points for a pattern of sizes."""

MORE_SEEDS = 30
"""Up to so many where most of them lie where a formula is not defined, as for the logarithm of a difference."""

FIRST = (SEEDS, SEEDS, 1, 0, 0)
"""How many of them are usual; of the pattern with a size of 1 one is, for there much is true."""

USUAL = tuple((pattern, seed) for pattern, first in enumerate(FIRST) for seed in range(first))
"""The usual points, each by its pattern and its number."""

FURTHER = tuple((n, seed) for seed in range(MORE_SEEDS) for n, first in enumerate(FIRST) if seed >= first)
"""The further ones: of all patterns in turn, since with the sizes of one of them all may be undefined."""

STRETCHES = (0.1, 0.4, 1.0, 2.5)
"""What the inputs of such points are multiplied by, each by its own, so that one is larger than another everywhere."""

POSITIVE = frozenset({"exp", "abs", "sigmoid", "softplus"})
"""Functions that are never negative."""

BRANCHING = frozenset({"step", "relu", "abs", "sign"})
"""Functions that are another formula for negative arguments."""

ENTRIES_EACH = 200
"""How many entries of a tensor are too many: by each of them is differentiated, and all is computed anew for it."""

SHORTER = 3
"""The greatest length of an axis where one has more, unless its size is a factor: those are told apart by it."""

LEXICON_LIMIT = 50
"""For how many partitions of slots into classes the definitions are kept as terms."""


DRAWS = 2000
"""How many draws of random numbers are remembered."""


@dataclass(frozen=True, slots=True)
class Draw:
    """What tells a point from others of the same formulas.

    Attributes:
        pattern: the number of the pattern of its sizes.
        seed: that of its random numbers.
        signed: the numbers that may be negative; others are positive.
        stretched: whether each input has a magnitude of its own.
        kept: the classes whose lengths are those of the pattern, whatever has how many entries.
    """

    pattern: int
    seed: int
    signed: frozenset[str] = frozenset()
    stretched: bool = False
    kept: frozenset[Ix] = frozenset()


@dataclass
class Points:
    """Points by the partition of slots into classes; equal partitions share their points."""

    symbols: Symbols
    positive: frozenset[str] = frozenset()
    inverted: frozenset[str] = frozenset()
    factored: frozenset[str] = frozenset()
    known: dict[object, list[Point]] = field(default_factory=dict)
    lexicons: dict[tuple[Ix, ...], Lexicon] = field(default_factory=dict)

    def at(
        self,
        sizes: Sizes,
        indices: Iterable[Ix],
        signed: frozenset[str] = frozenset(),
        reads: tuple[Read, ...] = (),
        *,
        factors: Iterable[Ix] = (),
        more: bool = False,
    ) -> Iterator[tuple[int, Point]]:
        """Points with their pattern's number; the index variables of the formulas get a length too.

        Scalars are positive, but those in `signed` may be negative. Axes are as long as `reads` ask for. The sizes in
        `factors` are factors of the formulas. With `more`, others than without.
        """
        kept = frozenset(sizes.find(index) for index in (*factors, *self.factors))
        slots = self.roots(sizes)
        found = tuple((sizes.find(index), index.fixed) for index in indices)
        for pattern, seed in FURTHER if more else USUAL:
            draw = Draw(pattern, seed, signed, stretched=more, kept=kept)
            yield pattern, self.point(sizes, slots, found, reads, draw)

    def roots(self, sizes: Sizes) -> tuple[Ix, ...]:
        """The classes of all that the document gives a size."""
        owners = (sizes.owners[name] for name in sorted(sizes.owners))
        return tuple(sizes.find(slot) for slot in (*self.slots, *owners, *self.untied))

    def lexicon(self, sizes: Sizes) -> Lexicon:
        """The definitions as terms of the algebra; those of equal classes are lowered once."""
        roots = self.roots(sizes)
        if roots not in self.lexicons:
            if len(self.lexicons) >= LEXICON_LIMIT:
                self.lexicons.clear()
            self.lexicons[roots] = Lexicon(self.symbols, sizes.copy())
        return self.lexicons[roots]

    @cached_property
    def slots(self) -> tuple[Ix, ...]:
        """The slots of all tensors."""
        own = (slot for name in sorted(self.symbols.slots) for slot in self.symbols.slots[name])
        return (*own, *(self.symbols.whole[name] for name in sorted(self.symbols.whole)))

    @cached_property
    def untied(self) -> tuple[Ix, ...]:
        """The dummies of definitions that run over no slot, as in a sum over what does not occur."""
        sizes = self.symbols.sizes
        tied = {sizes.find(slot) for slots in self.symbols.slots.values() for slot in slots}
        bodies = (self.symbols.definitions[name].body for name in sorted(self.symbols.definitions))
        return tuple(index for body in bodies for index in indices_in(body) if sizes.find(index) not in tied)

    def point(
        self, sizes: Sizes, slots: Sequence[Ix], indices: Sequence[tuple[Ix, int]], reads: Sequence[Read], draw: Draw
    ) -> Point:
        """One point, from the classes of all slots, and those of the formulas' indices with their fixed values."""
        pattern = PATTERNS[draw.pattern]
        exact = {root: sizes.exact[root] for root in slots if root in sizes.exact}
        roots = [root for root in dict.fromkeys(slots) if root not in exact]
        lengths = self.bearable(sizes, {root: length_of(n, draw.pattern) for n, root in enumerate(roots)}, draw.kept)
        lengths.update(exact)
        met = dict.fromkeys((*roots, *(root for root, _ in indices)))
        extra = [root for root in dict.fromkeys((*met, *sizes.parts_within(met))) if root not in lengths]
        for n, root in enumerate(extra):
            lengths[root] = length_of(len(roots) + n, draw.pattern)
        for root, fixed in indices:
            if fixed > lengths[root]:
                lengths[root] = fixed + pattern[0]
        lengths.update({root: length for root, length in sizes.exact.items() if root in lengths})
        if reads or sizes.formulas:
            lengths = fitted(lengths, sizes, reads)
        lengths = {root: sizes.length(root, lengths) for root in lengths}
        if any(lengths[root] != length for root, length in sizes.exact.items() if root in lengths):
            raise NotUnderstoodError("blocks that are not as long together as the array")
        if any(fixed > lengths[root] for root, fixed in indices):
            raise NotUnderstoodError("an entry with a number beyond its size")
        partition = tuple((root.key, lengths[root]) for root in slots)
        key = (partition, draw)
        memory = self.known.setdefault(key, [])
        if not memory:
            memory.append(Point(self.symbols, sizes, lengths, Inputs(self, sizes, lengths, draw)))
        known = memory[0]
        return Point(self.symbols, sizes, lengths, known.given, known.values, known.jacobians)

    def bearable(self, sizes: Sizes, lengths: dict[Ix, int], kept: Collection[Ix]) -> dict[Ix, int]:
        """The lengths, most of them made shorter where a tensor with many axes would have too many entries."""
        slots = self.symbols.slots.values()
        most = max((math.prod(lengths.get(sizes.find(slot), 1) for slot in own) for own in slots), default=0)
        if most <= ENTRIES_EACH:
            return lengths
        return {root: length if root in kept else min(length, SHORTER) for root, length in lengths.items()}

    @cached_property
    def factors(self) -> tuple[Ix, ...]:
        """The sizes that are factors in definitions."""
        return sizes_in(definition.body for definition in self.symbols.definitions.values())

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The names without a definition."""
        return tuple(name for name in self.symbols.slots if name not in self.symbols.definitions)

    def input(self, name: str, shape: tuple[int, ...], length: int, draw: Draw) -> Array:
        """The value of a name without a definition; if its entries are places, on an axis of this length."""
        symbols = self.symbols
        bounded(*shape)
        if name in symbols.whole:
            return places(name, draw, shape, length)
        if is_indicator(name):
            return self.indicator(name, draw, shape)
        magnitude, signs = drawn(name, draw.pattern, draw.seed, shape)
        if not shape and name in draw.signed and name not in self.positive:
            magnitude = magnitude * (-1) ** (draw.pattern + draw.seed)
        elif shape and name not in self.positive:
            magnitude = magnitude * signs
        if name in symbols.simplex and shape:
            axis, magnitude = symbols.simplex[name], np.abs(magnitude)
            magnitude = magnitude / magnitude.sum(axis=axis, keepdims=True)
            if symbols.one_hot.get(name):
                magnitude = np.eye(1, shape[0])[0]
            elif name in symbols.one_hot:
                magnitude = (magnitude == magnitude.max(axis=axis, keepdims=True)) * 1.0
        if name in symbols.orthonormal:
            magnitude = orthonormal(magnitude)
        elif name in symbols.projections:
            magnitude = projection(magnitude)
        elif name in self.regular or name in symbols.symmetric:
            magnitude = self.shaped(name, magnitude)
        if draw.stretched and name not in (*symbols.simplex, *symbols.orthonormal, *symbols.projections):
            magnitude = magnitude * stretch(name, draw)
        return np.asarray(magnitude)

    def indicator(self, name: str, draw: Draw, shape: tuple[int, ...]) -> Array:
        """The entries of an indicator: what is compared has one of the numbers that it is compared with, or another.

        Each of these occurs, if there are as many entries, since a point at which all is zero says nothing.
        """
        value, number, equal = indicated(name)
        numbers = numbers_compared(name, self.symbols.slots)
        random = generator(f"what {value} is", draw.pattern, draw.seed)
        found = random.integers(len(numbers) + 1, size=shape)
        places = random.permutation(found.size)[: len(numbers)]
        found.flat[places] = range(len(places))
        return read_only(((found == numbers.index(number)) == equal) * 1.0)

    def shaped(self, name: str, matrix: Array) -> Array:
        """A symmetric matrix, or one with a positive determinant and an inverse: its diagonal outweighs its rows."""
        if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2]:
            return matrix
        if name in self.symbols.symmetric or name in self.factored:
            matrix = (matrix + matrix.swapaxes(-1, -2)) / 2
        if name in self.regular:
            matrix = matrix * 0.8 / matrix.shape[-1] + 1.2 * np.eye(matrix.shape[-1])
        return np.asarray(matrix)

    @cached_property
    def regular(self) -> frozenset[str]:
        """The inputs that stand in an inverse, a Cholesky factor or a determinant, in a statement or a definition."""
        return regular_names(definition.body for definition in self.symbols.definitions.values()) | self.inverted


@dataclass
class Inputs(Mapping[str, Array]):
    """The values of all names without a definition at a point, each drawn when it is first asked for.

    Most are never: what rests on them is known from another reading.

    Attributes:
        points: the points of the symbols.
        sizes: the classes of index variables.
        lengths: the length of each class.
        draw: what tells the point from others.
        known: the values that were drawn.
    """

    points: Points
    sizes: Sizes
    lengths: Mapping[Ix, int]
    draw: Draw
    known: dict[str, Array] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Array:
        """The value of a name."""
        if name not in self.known:
            if name not in self:
                raise KeyError(name)
            symbols = self.points.symbols
            shape = tuple(self.lengths[self.sizes.find(slot)] for slot in symbols.slots[name])
            length = self.lengths[self.sizes.find(symbols.whole[name])] if name in symbols.whole else 0
            self.known[name] = self.points.input(name, shape, length, self.draw)
        return self.known[name]

    def __contains__(self, name: object) -> bool:
        """Whether a name has no definition, and is one of the symbols."""
        return name in self.points.symbols.slots and name not in self.points.symbols.definitions

    def __iter__(self) -> Iterator[str]:
        """The names."""
        return iter(self.points.inputs)

    def __len__(self) -> int:
        """How many names there are."""
        return len(self.points.inputs)


def length_of(number: int, pattern: int) -> int:
    """The length of a class by its number: in each pattern but the first, every four classes take other columns.

    So of sixteen classes no two are alike in all patterns: 1/N is told from 1/M.
    """
    columns = PATTERNS[pattern]
    turn = number // len(columns) if pattern else 0
    return columns[(number + turn) % len(columns)]


def sizes_in(bodies: Iterable[Meaning]) -> tuple[Ix, ...]:
    """The sizes that are factors in formulas."""
    return tuple(node.index for body in bodies for node in walk(body) if isinstance(node, Size))


def orthonormal(array: Array) -> Array:
    """The vector with the length one, or a matrix with orthonormal columns; undefined where it has too few rows."""
    if array.ndim == 1:
        return np.asarray(array / np.linalg.norm(array))
    if array.ndim != 2 or array.shape[0] < array.shape[1]:
        return np.full(array.shape, np.nan)
    return np.asarray(np.linalg.qr(array)[0])


def projection(array: Array) -> Array:
    """The projection onto the first half of the columns of a square matrix."""
    basis = orthonormal(array[:, : -(-array.shape[1] // 2)])
    return np.asarray(basis @ basis.T)


def stretch(name: str, draw: Draw) -> float:
    """The number of its own with which an input is multiplied."""
    return float(generator(f"scale {name}", draw.pattern, draw.seed).choice(STRETCHES))


def generator(name: str, pattern: int, seed: int) -> np.random.Generator:
    """Random numbers that depend on nothing but a name and two numbers."""
    digest = hashlib.sha256(f"{name}|{pattern}|{seed}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))


@lru_cache(DRAWS)
def drawn(name: str, pattern: int, seed: int, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """The magnitudes of an input's entries, and their signs."""
    random = generator(name, pattern, seed)
    return read_only(random.uniform(0.3, 1.4, shape)), read_only(random.choice([-1.0, 1.0], shape))


def places(name: str, draw: Draw, shape: tuple[int, ...], length: int) -> Array:
    """The entries of an array of whole numbers, each a place on an axis of this length."""
    return read_only(generator(f"places {name}", draw.pattern, draw.seed).integers(0, length, shape) * 1.0)


def read_only(array: Any) -> Array:
    """An array that nobody can change, since all share it."""
    found = np.array(array)
    found.flags.writeable = False
    return found


def positive_names(symbols: Symbols, bodies: Iterable[Meaning]) -> frozenset[str]:
    """Inputs that stand under a logarithm or a root, unless a square, an exponential or a magnitude is around them."""
    found: set[str] = set()
    for body in (*bodies, *(definition.body for definition in symbols.definitions.values())):
        for node in walk(body):
            if isinstance(node, Applied) and node.name == "log":
                found.update(signed_inside(node.argument))
            elif isinstance(node, Raised) and not is_whole(node.exponent):
                found.update(signed_inside(node.base))
    for name in [name for name in found if is_call(name) and name in symbols.definitions]:  # a density, it may be
        found.update(signed_inside(symbols.definitions[name].body))
    return frozenset(found)


def regular_names(bodies: Iterable[Meaning]) -> frozenset[str]:
    """The tensors that stand in an inverse, a Cholesky factor or a determinant."""
    found = (node for body in bodies for node in walk(body) if isinstance(node, (Inverse, Cholesky, Determinant)))
    return frozenset(name for node in found for name in names_of(node.body))


def factored_names(bodies: Iterable[Meaning]) -> frozenset[str]:
    """The tensors that have the rows and the columns of a matrix with a Cholesky factor."""
    found = (node for body in bodies for node in walk(body) if isinstance(node, Cholesky))
    pairs = ((node, entry) for node in found for entry in walk(node.body) if isinstance(entry, Entry))
    return frozenset(entry.name for node, entry in pairs if set(entry.slots[-2:]) == set(node.axes))


def signed_inside(node: Meaning) -> Iterator[str]:
    """The tensors whose sign the value of an expression may follow."""
    if isinstance(node, (Inverse, Cholesky, Determinant)):
        return
    if isinstance(node, Entry):
        yield node.name
    even = isinstance(node, Raised) and is_whole(node.exponent) and getattr(node.exponent, "value", 1) % 2 == 0
    if even or (isinstance(node, Applied) and node.name in POSITIVE):
        return
    for child in children(node):
        yield from signed_inside(child)


def branching(bodies: Iterable[Meaning]) -> frozenset[str]:
    """The tensors on whose sign the branch of a function depends."""
    found = (node for body in bodies for node in walk(body) if isinstance(node, Applied) and node.name in BRANCHING)
    return frozenset(name for node in found for name in signed_inside(node.argument))


def is_whole(exponent: Meaning) -> bool:
    """Whether an exponent is a whole number."""
    value = getattr(exponent, "value", None)
    return value is not None and bool(value.is_Integer)
