"""Arrays as they are stored: extents read off their shapes, fused axes split on reading and merged on writing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from indexcalc.algebra.terms import Index
from indexcalc.codegen.operands import Scope
from indexcalc.codegen.scalars import product_of_extents, scalar_node
from indexcalc.codegen.source import flat

Layout = tuple[tuple[Index, ...], ...]


@dataclass(frozen=True, slots=True)
class Array:
    """A variable that holds a tensor; `axes` are its axes, each with the slots that are fused in it."""

    variable: str
    axes: Layout

    @property
    def slots(self) -> tuple[Index, ...]:
        """The slots of all axes."""
        return tuple(slot for axis in self.axes for slot in axis)


@dataclass(frozen=True, slots=True)
class Source:
    """Where an extent can be read: the length of one axis, divided by the extents of the other slots in it."""

    array: Array
    axis: int
    divisors: tuple[sp.Expr, ...]


def is_fused(axes: Layout) -> bool:
    """Whether some axis holds several slots."""
    return any(len(axis) != 1 for axis in axes)


def sources_of(arrays: Sequence[Array], given: Collection[sp.Symbol] = ()) -> Mapping[sp.Symbol, Source]:
    """Every extent that the shapes show: plain axes first, then fused ones with one unknown.

    Args:
        arrays: the arrays whose shapes may be read, in order of preference.
        given: the extents that are known without reading a shape.
    """
    found: dict[sp.Symbol, Source] = {}
    for array in arrays:
        for place, axis in enumerate(array.axes):
            if len(axis) == 1 and isinstance(axis[0].extent, sp.Symbol):
                found.setdefault(axis[0].extent, Source(array, place, ()))
    fused = [(array, place) for array in arrays for place, axis in enumerate(array.axes) if len(axis) > 1]
    for _ in fused:
        for array, place in fused:
            extents = [slot.extent for slot in array.axes[place]]
            unknown = [extent for extent in extents if not extent.free_symbols <= {*found, *given}]
            if len(unknown) == 1 and isinstance(unknown[0], sp.Symbol):
                others = tuple(extent for extent in extents if extent != unknown[0])
                found[unknown[0]] = Source(array, place, others)
    return found


def unshown(extents: Sequence[sp.Symbol], arrays: Sequence[Array]) -> tuple[sp.Symbol, ...]:
    """The fewest extents, first ones first, that must be given so that the shapes show all others."""
    given: list[sp.Symbol] = []
    for extent in extents:
        # One part of a fused axis is enough to find the other.
        if extent not in sources_of(arrays, given):
            given.append(extent)
    return tuple(given)


def with_divisors(wanted: Sequence[sp.Symbol], sources: Mapping[sp.Symbol, Source]) -> list[sp.Symbol]:
    """The extents `wanted`, and those that they are computed from."""
    needed = list(wanted)
    for symbol in needed:
        for divisor in sources[symbol].divisors if symbol in sources else ():
            needed += [s for s in sorted(divisor.free_symbols, key=str) if s not in needed]
    return needed


def extent_lines(
    wanted: Sequence[sp.Symbol], arrays: Sequence[Array], given: Collection[sp.Symbol], scope: Scope
) -> list[str]:
    """Assignments of the extents `wanted` and of those that they are computed from, but for those `given`."""
    sources = sources_of(arrays, given)
    needed = [symbol for symbol in with_divisors(wanted, sources) if symbol not in given]
    lines: list[str] = []
    for array in dict.fromkeys(arrays):
        plain = {s.axis: symbol for symbol, s in sources.items() if s.array == array and symbol in needed}
        plain = {place: symbol for place, symbol in plain.items() if not sources[symbol].divisors}
        if len(plain) == 1:
            ((place, symbol),) = plain.items()
            lines.append(f"{scope.scalars[symbol]} = {array.variable}.shape[{place}]")
        elif plain:
            names = [scope.scalars[plain[n]] if n in plain else "_" for n in range(len(array.axes))]
            lines.append(f"{', '.join(names)} = {array.variable}.shape")
    for symbol, source in sources.items():
        if symbol in needed and source.divisors:
            divisor = product_of_extents(list(source.divisors), scope.scalars)
            size = flat(divisor) if len(source.divisors) == 1 else f"({flat(divisor)})"
            lines.append(f"{scope.scalars[symbol]} = {source.array.variable}.shape[{source.axis}] // {size}")
    return lines


def split_line(local: str, array: Array, scope: Scope) -> str:
    """``X_split = X.reshape(M, H, d)``: one axis for each slot."""
    sizes = ", ".join(flat(scalar_node(slot.extent, scope.scalars)) for slot in array.slots)
    return f"{local} = {array.variable}.reshape({sizes})"


def merge_line(local: str, array: Array, scope: Scope) -> str:
    """``X = X_split.reshape(M, H * d)``: fused axes as they are stored."""
    return f"{array.variable} = {local}.reshape({', '.join(axis_sizes(array.axes, scope.scalars))})"


def axis_sizes(axes: Layout, symbols: Mapping[sp.Symbol, str]) -> list[str]:
    """The length of every axis as Python source."""
    return [flat(product_of_extents([slot.extent for slot in axis], symbols)) for axis in axes]
