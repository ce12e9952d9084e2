"""The Python names of a fast function, its own variables among them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_letters

import sympy as sp

from indexcalc.algebra.terms import Index
from indexcalc.codegen.fast.graph import Axis
from indexcalc.codegen.fast.overlaps import Windows
from indexcalc.codegen.operands import Scope

LOCALS = ("dtype", "threads", "totals", "cell", "loop", "blocks", "steps", "space", "size", "part", "block")
"""What a fast function calls its own variables, or the stems of such names, in every library."""


@dataclass(frozen=True)
class Bounded:
    """What a function needs to know that keeps within a bound of memory.

    Attributes:
        slots: of every tensor.
        whole: the inputs of whole numbers.
        stored: what a tensor is called as it is given and returned, and its axes there.
    """

    slots: Mapping[str, tuple[Index, ...]]
    whole: frozenset[str]
    stored: Mapping[str, tuple[str, tuple[tuple[Index, ...], ...]]]


@dataclass(frozen=True)
class Names:
    """The Python names of a function.

    Attributes:
        scope: of tensors and scalars.
        own: of the function's own variables, by their name or stem in `LOCALS` and in its library.
        letters: what the author calls the indices of an extent, where that is a letter.
        largest: the tensors that are largest exponents, or largest entries that the author asked for.
        windows: the tensors that show windows.
        steps: the arrays that lie in memory step by step, and which of their axes is the step.
        bounded: what a function needs to know that keeps within a bound of memory.
    """

    scope: Scope
    own: Mapping[str, str]
    letters: Mapping[sp.Expr, tuple[str, ...]] = field(default_factory=dict)
    largest: frozenset[str] = frozenset()
    windows: Windows = field(default_factory=dict)
    steps: Mapping[str, int] = field(default_factory=dict)
    bounded: Bounded | None = None

    def letters_for(self, axes: Sequence[Axis], blocks: Sequence[str]) -> list[str]:
        """A letter for every axis: that of its block, else one that the author gave an index of the extent."""
        found: dict[int, str] = {}
        for place in sorted(range(len(axes)), key=lambda place: axes[place].dimension is None):
            axis = axes[place]
            block = () if axis.dimension is None else (blocks[axis.dimension],)
            fitting = [name for name in (*block, *self.letters.get(axis.extent, ())) if len(name) == 1]
            spare = (*(name for name in fitting if name in ascii_letters), *ascii_letters)
            found[place] = next(letter for letter in spare if letter not in found.values())
        return [found[place] for place in range(len(axes))]

    @property
    def taken(self) -> frozenset[str]:
        """All names in use."""
        return frozenset((*self.scope.tensors.values(), *self.scope.scalars.values(), *self.own.values()))


def own_names(taken: Collection[str], more: Iterable[str] = ()) -> Mapping[str, str]:
    """Names for the function's own variables, and for more of them, with which no other name begins."""
    found = {}
    for name in (*LOCALS, *more):
        stem = name
        while any(other == stem or other.startswith(f"{stem}_") for other in taken):
            stem += "_"
        found[name] = stem
    return found


def with_names(names: Names, local: Mapping[str, str]) -> Names:
    """The names with other variables for some tensors."""
    return replace(names, scope=replace(names.scope, tensors={**names.scope.tensors, **local}))


def with_steps(names: Names, steps: Mapping[sp.Symbol, str]) -> Names:
    """The names with the variables of loops over steps."""
    return replace(names, scope=replace(names.scope, scalars={**names.scope.scalars, **steps}))


def letters_of(indices: Iterable[Index]) -> Mapping[sp.Expr, tuple[str, ...]]:
    """The names of the indices that are letters, by extent."""
    found: dict[sp.Expr, tuple[str, ...]] = {}
    for index in indices:
        if len(index.name) == 1 and index.name in ascii_letters:
            found[index.extent] = (*found.get(index.extent, ()), index.name)
    return found
