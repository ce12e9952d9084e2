"""Counts over one extent as curves: at which sizes they are computed, and where one of two becomes the larger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, pairwise
from math import log2
from typing import Protocol

import sympy as sp

from indexcalc.algebra.terms import Index
from indexcalc.calculus.steps import Derivation
from indexcalc.cost import CostReport, cost_report
from indexcalc.cost.blocks import InBlocks
from indexcalc.cost.counts import Monomial
from indexcalc.notes.setup import declared_indices
from indexcalc.rewrite.cost import nominal_sizes

BELOW, ABOVE = 4, 7
"""How many times a size is halved and doubled from its usual one."""

A_DOUBLING = 2
"""The points of a curve from a size to its double."""

MOST_EXTENTS = 4
"""The most extents over which one note has pictures."""

WHOLE, BLOCKS = "whole arrays", "in blocks"
"""The two ways in which code computes, as they are called."""

WIDTH = 4
"""The bytes of an entry, by which a block has its length."""

BENT = 0.25
"""The least change of a slope that the eye sees in a picture of powers."""


@dataclass(frozen=True, slots=True)
class Curve:
    """The points of one count: sizes and numbers, both at least 1."""

    name: str
    points: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Crossing:
    """The first size at which the larger one of two curves is larger no more, and the number there."""

    size: int
    number: int
    names: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Panel:
    """Curves over one extent.

    Attributes:
        title: what is counted.
        extent: what varies.
        indices: the indices that run over it.
        curves: at least one.
        crossings: where two of them cross.
    """

    title: str
    extent: sp.Symbol
    indices: tuple[Index, ...]
    curves: tuple[Curve, ...]
    crossings: tuple[Crossing, ...]

    @property
    def tells(self) -> bool:
        """Whether it shows more than straight lines beside each other, which a polynomial says as well."""
        slopes = [slope for curve in self.curves for slope in slopes_of(curve)]
        return bool(self.crossings) or (len(slopes) > 0 and max(slopes) - min(slopes) >= BENT)


@dataclass(frozen=True, slots=True)
class Curves:
    """The pictures of a cost: operations and entries over each of some extents, all others at these sizes."""

    sizes: tuple[tuple[sp.Symbol, int], ...]
    panels: tuple[Panel, ...]


def curves_of(derivation: Derivation) -> Curves | None:
    """The pictures of what a derivation costs; none if there is no extent that a cost depends on."""
    program, report = derivation.problem.program, cost_report(derivation)
    nominal = nominal_sizes(program)
    usual = {extent: 2 ** max(0, round(log2(nominal[extent]))) for extent in report.extents}
    panels = [panel for title, lines in counts_of(report) for panel in seen(panels_of(title, lines, usual))]
    indices = declared_indices(program)
    found: dict[sp.Symbol, list[Panel]] = {}
    for panel in panels:
        own = tuple(index for index in indices if panel.extent in index.extent.free_symbols)
        found.setdefault(panel.extent, []).append(replace(panel, indices=own))
    ordered = [extent for extent in report.extents if extent in found]
    chosen = sorted(ordered, key=lambda extent: not any(panel.tells for panel in found[extent]))[:MOST_EXTENTS]
    drawn = tuple(panel for extent in ordered if extent in chosen for panel in found[extent])
    return Curves(tuple(usual.items()), drawn) if drawn else None


class Counted(Protocol):
    """What has a number for all sizes, as a count has."""

    @property
    def terms(self) -> tuple[tuple[Monomial, int], ...]:
        """The products of extents on which it depends."""

    def at(self, sizes: Mapping[sp.Expr, int]) -> int:
        """The number."""


@dataclass(frozen=True, slots=True)
class OfBlocks:
    """What code in blocks holds or moves of float32 numbers."""

    blocks: InBlocks
    moved: bool

    @property
    def terms(self) -> tuple[tuple[Monomial, int], ...]:
        """Those of all its counts."""
        held = (count for pair in self.blocks.held for count in pair)
        counts = (self.blocks.ends, *held, *(count for count, _ in self.blocks.moved))
        return (*(term for count in counts for term in count.terms), *(((i.extent,), 1) for i in self.blocks.indices))

    def at(self, sizes: Mapping[sp.Expr, int]) -> int:
        """The entries, inputs and results among them."""
        if self.moved:
            return self.blocks.moved_at(sizes, WIDTH)
        return self.blocks.ends.at(sizes) + self.blocks.peak_at(sizes, WIDTH)


Lines = tuple[tuple[str, tuple[Counted, ...]], ...]
"""What is drawn, by its name: the largest of some counts."""


def counts_of(report: CostReport) -> tuple[tuple[str, Lines], ...]:
    """What is drawn together: operations, entries, and what code holds and moves where it can run in blocks."""
    flops: list[tuple[str, tuple[Counted, ...]]] = [
        ("forward", (report.forward.flops,)),
        ("backward", (report.backward.flops,)),
    ]
    peak = tuple(moment.entries for moment in report.peak.moments)
    entries: list[tuple[str, tuple[Counted, ...]]] = [("inputs and results", (report.ends,)), ("peak over these", peak)]
    if report.before is not None:
        flops.append(("backward, before simplification", (report.before.cost.flops,)))
        earlier = tuple(moment.entries for moment in report.before.peak.moments)
        entries.append(("peak, before simplification", earlier))
    found = [("FLOPs", distinct(flops)), ("Entries held", distinct(entries))]
    if report.blocks is not None:
        whole = tuple(report.ends + count for count in peak)
        held: list[tuple[str, tuple[Counted, ...]]] = [
            (WHOLE, whole),
            (BLOCKS, (OfBlocks(report.blocks, moved=False),)),
        ]
        moved: list[tuple[str, tuple[Counted, ...]]] = [
            (WHOLE, (report.both.moved,)),
            (BLOCKS, (OfBlocks(report.blocks, moved=True),)),
        ]
        found += [("All entries held, by code", distinct(held)), ("Entries moved, by code", distinct(moved))]
    return tuple(found)


def distinct(lines: Iterable[tuple[str, tuple[Counted, ...]]]) -> Lines:
    """The lines that have another value than all before."""
    found: dict[tuple[Counted, ...], str] = {}
    for name, counts in lines:
        found.setdefault(counts, name)
    return tuple((name, counts) for counts, name in found.items() if any(count.terms for count in counts))


def compounds(lines: Lines) -> frozenset[sp.Expr]:
    """The factors of all counts that are expressions of extents."""
    monomials = (monomial for _, counts in lines for count in counts for monomial, _ in count.terms)
    return frozenset(factor for monomial in monomials for factor in monomial if not factor.is_Symbol)


def panels_of(title: str, lines: Lines, usual: Mapping[sp.Symbol, int]) -> list[Panel]:
    """The curves of some counts over each extent on which one of them depends."""
    factors = compounds(lines)
    found = []
    for extent in usual:
        grown = Grown(extent, usual, factors)
        sizes = [size for size in sampled(usual[extent]) if grown.possible(size)]
        curves = tuple(Curve(name, tuple((size, grown(counts, size)) for size in sizes)) for name, counts in lines)
        if len(sizes) > 1 and any(curve.points[0][1] != curve.points[-1][1] for curve in curves):
            found.append(Panel(title, extent, (), curves, tuple(crossings_of(lines, sizes, grown))))
    return found


@dataclass(frozen=True, slots=True)
class Grown:
    """Counts where one extent has some size and all others their usual ones.

    Attributes:
        extent: the one that varies.
        usual: the size of every extent.
        factors: the expressions of extents that counts hold.
        known: the sizes and the values of these expressions, by the size of the extent.
    """

    extent: sp.Symbol
    usual: Mapping[sp.Symbol, int]
    factors: frozenset[sp.Expr]
    known: dict[int, Mapping[sp.Expr, int]] = field(default_factory=dict)

    def sizes(self, size: int) -> Mapping[sp.Expr, int]:
        """All sizes."""
        if size not in self.known:
            sizes: dict[sp.Expr, int] = {**self.usual, self.extent: size}
            self.known[size] = sizes | {factor: int(factor.subs(sizes)) for factor in self.factors}
        return self.known[size]

    def possible(self, size: int) -> bool:
        """Whether every range has an entry."""
        return all(self.sizes(size)[factor] > 0 for factor in self.factors)

    def __call__(self, counts: Iterable[Counted], size: int) -> int:
        """The largest of some counts."""
        return max(count.at(self.sizes(size)) for count in counts)


def crossings_of(lines: Lines, sizes: Sequence[int], grown: Grown) -> Iterator[Crossing]:
    """Where two lines cross."""
    for (name, one), (other_name, other) in combinations(lines, 2):
        for size in crossed(sizes, partial(difference, grown, one, other)):
            yield Crossing(size, grown(one, size), (name, other_name))


def difference(grown: Grown, one: tuple[Counted, ...], other: tuple[Counted, ...], size: int) -> int:
    """By how much one line is above another."""
    return grown(one, size) - grown(other, size)


def seen(panels: Sequence[Panel]) -> list[Panel]:
    """The panels without the lines that nobody can tell from an earlier one in any of them."""
    names = [curve.name for curve in panels[0].curves] if panels else []
    kept: list[int] = []
    for number in range(len(names)):
        if not any(all(alike(p.curves[earlier], p.curves[number]) for p in panels) for earlier in kept):
            kept.append(number)
    shown = {names[number] for number in kept}
    return [
        replace(
            panel,
            curves=tuple(panel.curves[number] for number in kept),
            crossings=tuple(one for one in panel.crossings if shown.issuperset(one.names)),
        )
        for panel in panels
    ]


def alike(one: Curve, other: Curve) -> bool:
    """Whether no number of one is a tenth away from that of the other."""
    pairs = zip(one.points, other.points, strict=True)
    return all(abs(a - b) * 10 <= max(a, b) for (_, a), (_, b) in pairs)


def sampled(usual: int) -> list[int]:
    """Whole sizes around the usual one, the same number in each doubling."""
    low, high = max(0, round(log2(usual)) - BELOW), round(log2(usual)) + ABOVE
    steps = range(low * A_DOUBLING, high * A_DOUBLING + 1)
    return list(dict.fromkeys(round(2 ** (step / A_DOUBLING)) for step in steps))


def crossed(sizes: Sequence[int], difference: Callable[[int], int]) -> Iterator[int]:
    """The sizes at which a difference has lost the sign that it has just before; at most one between two samples."""
    signs = [(size, sign(difference(size))) for size in sizes]
    told = [(size, sign) for size, sign in signs if sign]
    for (start, before), (end, after) in pairwise(told):
        low, high = start, end
        while before != after and high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if sign(difference(middle)) == before else (low, middle)
        if before != after:
            yield high


def sign(number: int) -> int:
    """-1, 0 or 1."""
    return (number > 0) - (number < 0)


def slopes_of(curve: Curve) -> list[float]:
    """The powers with which a curve grows at its start and at its end."""
    points = [(log2(size), log2(number)) for size, number in curve.points if number > 0]
    pairs = [(points[0], points[1]), (points[-2], points[-1])] if len(points) > 1 else []
    return [(b - a) / (x - w) for (w, a), (x, b) in pairs]
