"""Collective operations between the devices of a mesh, why each is needed, and what one device sends in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import ceil

import sympy as sp

from indexcalc.cost.counts import Count, Monomial, rank, term_text
from indexcalc.cost.mesh import MeshAxis


class Kind(StrEnum):
    """What devices do together."""

    REDUCE = "all-reduce"
    GATHER = "all-gather"
    SCATTER = "reduce-scatter"
    EXCHANGE = "all-to-all"
    PERMUTE = "collective-permute"


ROUNDS = {Kind.REDUCE: 2, Kind.GATHER: 1, Kind.SCATTER: 1, Kind.EXCHANGE: 1}
"""How often an entry goes round the ring: a sum that all are to have is added up first, then spread."""


def sent_share(kind: Kind, devices: int) -> Fraction:
    """What one of several devices sends of an array in a ring: ``2 (n - 1) / n`` for an all-reduce, else half of that.

    The array is what comes out of an all-reduce or an all-gather, what goes into a reduce-scatter or an all-to-all.
    Of a permutation it is the block that each device sends to one other, all of it.
    """
    if kind is Kind.PERMUTE:
        return Fraction(devices > 1)
    return ROUNDS[kind] * Fraction(devices - 1, devices)


@dataclass(frozen=True, slots=True)
class Collective:
    """One collective operation.

    Attributes:
        kind: what is done.
        tensor: what is sent.
        axis: the axis of the mesh along which devices take part.
        entries: of the array that `sent_share` is about, on one device.
        reason: why it is needed.
    """

    kind: Kind
    tensor: str
    axis: MeshAxis
    entries: Count
    reason: str

    @property
    def devices(self) -> int:
        """How many devices take part in one."""
        return self.axis.devices

    @property
    def sent(self) -> Traffic:
        """The entries that one device sends."""
        return Traffic(((sent_share(self.kind, self.devices), self.entries),))


@dataclass(frozen=True, slots=True)
class Traffic:
    """Entries that one device sends: counts, each a number of times that need not be whole."""

    parts: tuple[tuple[Fraction, Count], ...] = ()

    def __add__(self, other: Traffic) -> Traffic:
        return Traffic((*self.parts, *other.parts))

    def __mul__(self, times: int) -> Traffic:
        return Traffic(tuple((share * times, count) for share, count in self.parts))

    def at(self, sizes: Mapping[sp.Symbol, int], width: int = 1) -> int:
        """The bytes of entries of a width, for given sizes of all extents and blocks, rounded up."""
        return ceil(width * sum(share * count.at(sizes) for share, count in self.parts))

    @property
    def terms(self) -> tuple[tuple[Monomial, Fraction], ...]:
        """The products of extents and blocks, each with how often it counts."""
        table: dict[Monomial, Fraction] = {}
        for share, count in self.parts:
            for monomial, number in count.terms:
                table[monomial] = table.get(monomial, Fraction(0)) + share * number
        found = [(monomial, number) for monomial, number in table.items() if number]
        return tuple(sorted(found, key=lambda term: rank((term[0], 1))))

    @property
    def expr(self) -> sp.Expr:
        """The SymPy polynomial."""
        return sp.Add(*(sp.Mul(sp.Rational(n.numerator, n.denominator), *m) for m, n in self.terms))

    def __str__(self) -> str:
        """``3/2 T d``."""
        return " + ".join(part_text(monomial, number) for monomial, number in self.terms) or "0"


def part_text(monomial: Monomial, number: Fraction) -> str:
    """``3/2 T d``."""
    if number.denominator == 1:
        return term_text(monomial, number.numerator)
    return f"{number} {term_text(monomial, 1)}" if monomial else str(number)


def traffic(collectives: Iterable[Collective]) -> Traffic:
    """The entries that one device sends in several."""
    return sum((one.sent for one in collectives), Traffic())
