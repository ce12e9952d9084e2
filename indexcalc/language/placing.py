"""The indices of a used spec in the program that uses it: each becomes one index there, or several.

What stands in the slots of a bound tensor decides; indices that stand in no bound tensor take names
that are free. An extent of the used spec becomes the extent, or the extents, of those indices, or what it is bound to.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

import sympy as sp

from indexcalc.algebra.renaming import fresh_names
from indexcalc.language.extents import Extent, as_extent, extent_symbol, extent_value, quotient
from indexcalc.language.lines import IndexLine, ParameterLine, Statement, UseLine
from indexcalc.language.meetings import definitions_of
from indexcalc.language.partition import Parts, extent_text
from indexcalc.language.source import Source, suggestion
from indexcalc.language.syntax import At, Entry, Expression, Scalar, Slot, axes_of


@dataclass
class Bound:
    """An input of the used spec with the tensor it is bound to.

    Attributes:
        inner: the input as the used spec declares it.
        outer: the entry of this program, with slots.
        whole: whether the entry has as many axes as the tensor: then several indices in one of them
            are the parts of a fused slot, and not axes of their own.
    """

    inner: Entry
    outer: Entry
    whole: bool

    def pairs(self) -> list[tuple[tuple[Slot, ...], tuple[Slot, ...]]] | None:
        """What stands against each axis or slot of the input; None if the numbers differ."""
        here, there = axes_of(self.inner), axes_of(self.outer)
        if len(here) == len(there):
            return list(zip(here, there, strict=True))
        slots, others = self.inner.slots or (), self.outer.slots or ()
        if len(slots) != len(others):
            return None
        return [((one,), (other,)) for one, other in zip(slots, others, strict=True)]


@dataclass
class Placing:
    """Index names and extents of one use, found binding by binding.

    Attributes:
        line: the ``use`` line.
        inner: the statements of the used spec.
        outer: the other statements of this program.
        source: the text of this program.
        images: the indices that stand for each index of the used spec; none stands for two.
        sizes: the extents that stand for each symbolic extent.
        fused: the indices of the used spec whose images are the parts of one axis.
        added: new indices of this program, with their extents.
    """

    line: UseLine
    inner: tuple[Statement, ...]
    outer: tuple[Statement, ...]
    source: Source
    images: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sizes: dict[str, Parts] = field(default_factory=dict)
    fused: set[str] = field(default_factory=set)
    added: dict[str, Extent] = field(default_factory=dict)

    @cached_property
    def extents(self) -> dict[str, sp.Expr]:
        """The extents of this program's indices, new ones among them."""
        return index_extents(self.outer)

    @cached_property
    def inner_extents(self) -> dict[str, sp.Expr]:
        """The extents of the used spec's indices."""
        return index_extents(self.inner)

    @cached_property
    def inner_sizes(self) -> frozenset[str]:
        """The symbolic extents of the used spec."""
        return frozenset(symbol.name for extent in self.inner_extents.values() for symbol in extent.free_symbols)

    def bind_extent(self, name: str, value: Expression, at: At | None) -> None:
        """An extent of the used spec becomes one of this program: a name, or a whole number from 1 on."""
        known = {symbol.name: symbol for extent in self.extents.values() for symbol in extent.free_symbols}
        match value:
            case Entry(name=other, slots=None) if other in known:
                size = known[other]
            case Entry(name=other, slots=None):
                raise self.source.error(f"the extent {other} is not known{suggestion(other, known)}", value.at or at)
            case Scalar(value=scalar) if scalar in known.values() or (scalar.is_Integer and scalar > 0):
                size = scalar
            case _:
                words = f"{name} is an extent of {self.line.spec}; it is bound to an extent of this program or a number"
                raise self.source.error(words, value.at or at)
        self.sizes[name] = (size,)

    def place(self, bound: Bound) -> None:
        """The indices of one input take the names of those that stand in their places."""
        pairs = bound.pairs()
        assert pairs is not None
        for slots, others in pairs:
            if len(slots) == 1:
                self.place_index(slots[0].name, others, bound)
            elif len(slots) == len(others):
                for slot, other in zip(slots, others, strict=True):
                    self.place_index(slot.name, (other,), bound)
            else:
                parts = ",".join(slot.name for slot in slots)
                raise self.source.error(
                    f"({parts}) of {self.line.spec} falls into {len(slots)} parts; write as many indices here",
                    others[0].at,
                )

    def place_index(self, name: str, others: tuple[Slot, ...], bound: Bound) -> None:
        """One index becomes one or several; the same index keeps its names from input to input."""
        parts = tuple(self.extents[slot.name] for slot in others)
        extent = self.inner_extents[name]
        self.place_extent(extent, parts, others[0].at, f"{name} in {bound.inner.name}")
        if len(others) > 1 and bound.whole:
            self.fused.add(name)
        if name not in self.images:
            self.images[name] = self.names_for(parts, [slot.name for slot in others])

    def place_extent(self, extent: sp.Expr, parts: Parts, at: At | None, what: str) -> None:
        """A symbolic extent becomes the extents of the indices; others are compared."""
        if extent.is_Symbol and extent.name not in self.sizes:
            self.sizes[extent.name] = parts
            return
        known = self.size(extent)
        if known is None:
            unknown = [symbol for symbol in sorted(extent.free_symbols, key=str) if symbol.name not in self.sizes]
            rest = None if len(unknown) != 1 else quotient(sp.Mul(*parts), self.partial(extent / unknown[0]))
            if rest is not None:
                self.sizes[unknown[0].name] = (rest,)
        elif sp.Mul(*known) != sp.Mul(*parts):
            raise self.source.error(
                f"the index {what} of {self.line.spec} has extent {extent}, which is {extent_text(known)} here, "
                f"not {extent_text(parts)}",
                at or self.line.at,
            )
        elif extent.is_Symbol and len(known) != len(parts):
            raise self.source.error(
                f"the index {what} of {self.line.spec} falls into other parts here than elsewhere", at or self.line.at
            )

    def partial(self, extent: sp.Expr) -> sp.Expr:
        """An extent with those symbols replaced that are known."""
        return extent.xreplace({extent_symbol(name): sp.Mul(*parts) for name, parts in self.sizes.items()})

    def size(self, extent: sp.Expr) -> Parts | None:
        """The extents that stand for one of the used spec; None while a part of it is unknown."""
        if any(symbol.name not in self.sizes for symbol in extent.free_symbols):
            return None
        return self.sizes[extent.name] if extent.is_Symbol else (self.partial(extent),)

    def names_for(self, parts: Parts, wished: Iterable[str] = ()) -> tuple[str, ...]:
        """Index names of these extents that stand for no other index of the used spec."""
        taken = set(chain.from_iterable(self.images.values()))
        found: list[str] = []
        for extent, wish in zip(parts, [*wished] or [""] * len(parts), strict=True):
            free = (name for name, size in self.extents.items() if size == extent and name not in taken)
            name = wish if wish and wish not in taken else next(free, None)
            if name is None:
                name = next(fresh_names({*self.extents, *taken, *other_names(self.outer)}))
                self.added[name] = as_extent(extent)
                self.extents[name] = extent
            taken.add(name)
            found.append(name)
        return tuple(found)

    def place_rest(self) -> None:
        """Indices that stand on no bound input; extents that are nowhere else become extents of this program."""
        for name, extent in self.inner_extents.items():
            for symbol in sorted(extent.free_symbols, key=str):
                if symbol.name not in self.sizes:
                    self.sizes[symbol.name] = (extent_symbol(f"{self.line.prefix}_{symbol.name}"),)
            if name in self.images:
                continue
            parts = self.size(extent)
            assert parts is not None
            self.images[name] = self.names_for(parts)
            twins = [other for other, size in self.inner_extents.items() if size == extent]
            self.fused.update({name} if self.fused & set(twins) else ())


def index_extents(lines: Iterable[Statement]) -> dict[str, sp.Expr]:
    """The extent of every declared index."""
    return {
        slot.name: extent_value(line.extent) for line in lines if isinstance(line, IndexLine) for slot in line.names
    }


def parameters_of(lines: Iterable[Statement]) -> frozenset[str]:
    """The names of the declared parameters."""
    return frozenset(line.name for line in lines if isinstance(line, ParameterLine))


def other_names(lines: tuple[Statement, ...]) -> frozenset[str]:
    """The names of extents, tensors and parameters, which no new index should look like."""
    extents = {symbol.name for extent in index_extents(lines).values() for symbol in extent.free_symbols}
    return frozenset({*extents, *parameters_of(lines), *definitions_of(lines)})
