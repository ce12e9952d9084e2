"""Counts that depend on extents: polynomials with whole coefficients, such as ``2 T^2 d + 3 T^2``.

SymPy could hold them too. These are a table of products of extents, which adds up a whole derivation
in the time that SymPy takes for a few sums; `Count.expr` gives the SymPy polynomial.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import sympy as sp

from indexcalc.algebra.terms import Index

Monomial = tuple[sp.Expr, ...]
"""A product of extents, each as often as its exponent says, in the order of their names."""


@dataclass(frozen=True, slots=True)
class Count:
    """A sum of products of extents with positive whole coefficients; the highest degree stands first."""

    terms: tuple[tuple[Monomial, int], ...] = ()

    def __add__(self, other: Count) -> Count:
        """The sum."""
        return total((self, other))

    def __mul__(self, times: int) -> Count:
        """The same count several times."""
        return Count(tuple((monomial, number * times) for monomial, number in self.terms) if times else ())

    @property
    def expr(self) -> sp.Expr:
        """The SymPy polynomial."""
        return sp.Add(*(sp.Mul(number, *monomial) for monomial, number in self.terms))

    def at(self, sizes: Mapping[sp.Symbol, int]) -> int:
        """The number for given sizes of all extents."""
        return sum(number * prod(size_at(extent, sizes) for extent in monomial) for monomial, number in self.terms)

    def covers(self, other: Count) -> bool:
        """Whether this is never the smaller one, as sizes are at least 1: ``2 T^2 + T`` covers ``T^2 + 2 T``.

        Each term of the other takes its number from the same product here, then from multiples of it. The
        answer may be no where that is too simple, never yes where it is wrong.
        """
        left = dict(self.terms)
        for monomial, number in other.terms:
            taken = min(number, left.get(monomial, 0))
            wanted = number - taken
            if taken:
                left[monomial] -= taken
            if not wanted:
                continue
            power = powers_of(monomial)
            multiples = [one for one in left if divides(power, powers_of(one))]
            for source in sorted(multiples, key=len):
                taken = min(wanted, left[source])
                left[source] -= taken
                wanted -= taken
            if wanted:
                return False
        return True

    def leading(self) -> Count:
        """The terms whose product of extents divides no other term's: those that matter for large sizes."""
        powers = [powers_of(monomial) for monomial, _ in self.terms]
        return Count(
            tuple(
                term
                for n, term in enumerate(self.terms)
                if not any(n != m and divides(powers[n], other) for m, other in enumerate(powers))
            )
        )

    def __str__(self) -> str:
        """``2 T^2 d + 3 T^2``."""
        return " + ".join(term_text(monomial, number) for monomial, number in self.terms) or "0"


NOTHING = Count()


def total(counts: Iterable[Count]) -> Count:
    """The sum of several counts."""
    table: dict[Monomial, int] = {}
    for count in counts:
        for monomial, number in count.terms:
            table[monomial] = table.get(monomial, 0) + number
    return Count(tuple(sorted(table.items(), key=rank)))


def less(whole: Count, part: Count) -> Count:
    """What is left of a count that another one is a part of."""
    taken = dict(part.terms)
    rest = ((monomial, number - taken.get(monomial, 0)) for monomial, number in whole.terms)
    return Count(tuple((monomial, number) for monomial, number in rest if number))


def rank(term: tuple[Monomial, int]) -> tuple[int, list[str]]:
    """Where a term stands: by falling degree, then by the names of its extents."""
    monomial, _ = term
    return -len(monomial), [spelling(extent) for extent in monomial]


def spelling(extent: sp.Expr) -> str:
    """The name of an extent; one that is no product of names stands in parentheses."""
    return str(extent.name) if extent.is_Symbol else f"({extent})"


def size_at(extent: sp.Expr, sizes: Mapping[sp.Symbol, int]) -> int:
    """The size of an extent."""
    return sizes[extent] if extent in sizes else int(extent.subs(dict(sizes)))


def span(indices: Iterable[Index], times: int = 1) -> Count:
    """How many points the ranges of some indices span, a number of times."""
    number, symbols = times, list[sp.Expr]()
    for index in indices:
        whole, factors = extent_parts(index.extent)
        number *= whole
        symbols.extend(factors)
    return Count(((tuple(sorted(symbols, key=spelling)), number),)) if number else NOTHING


@lru_cache(maxsize=1_000)
def extent_parts(extent: sp.Expr) -> tuple[int, Monomial]:
    """The whole factor of an extent, and its other factors: ``2 N_H D_h`` has 2 and two names."""
    whole, factors = 1, []
    for factor in sp.Mul.make_args(extent):
        base, exponent = factor.as_base_exp()
        if factor.is_Integer:
            whole *= int(factor)
        elif exponent.is_Integer and exponent > 0:
            factors.extend([base] * int(exponent))
        else:
            factors.append(factor)
    return whole, tuple(factors)


@lru_cache(maxsize=4_000)
def powers_of(monomial: Monomial) -> Mapping[sp.Expr, int]:
    """Each extent of a product with its exponent."""
    return Counter(monomial)


def divides(one: Mapping[sp.Expr, int], other: Mapping[sp.Expr, int]) -> bool:
    """Whether a product divides another."""
    return all(exponent <= other.get(extent, 0) for extent, exponent in one.items())


def term_text(monomial: Monomial, number: int) -> str:
    """``2 T^2 d``."""
    factors = [
        spelling(extent) + (f"^{exponent}" if exponent > 1 else "") for extent, exponent in powers_of(monomial).items()
    ]
    return " ".join([*([str(number)] if number > 1 or not factors else []), *factors])
