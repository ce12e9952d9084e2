"""What a generated function does, one statement after another, before it is put into NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

import sympy as sp

from indexcalc.algebra.renaming import with_tensors, with_tensors_in
from indexcalc.algebra.slots import place
from indexcalc.algebra.terms import Base, Delta, Index, Iverson, Slot, Term, Terms, tensors_of


class Kind(Enum):
    """What is done with the terms of a statement."""

    ASSIGN = "name[axes] = terms"
    MAXIMUM = "name[axes] = the largest value of terms over `over`"
    MINIMUM = "name[axes] = the smallest value of terms over `over`"
    LARGEST = "name[axes] = the largest of the terms, entry by entry"
    HIDDEN = "name[axes] = terms where no guard is zero, -inf elsewhere"
    GATHER = "name[axes] = one entry under expressions, zero outside of its tensor"
    NEAREST = "name[axes] = one entry under expressions, the nearest outside of its tensor"
    SOLVE = "name[axes] = where the first term times it, summed over its other axes, is the second, for each of `over`"
    JOINT = "name[axes] = the solution of a system of matrices of matrices, its unknowns one after the other"
    PART = "name[axes] = the part of a solution from `start` on, over `over`"
    MATRIX = "name[axes] = what `word` makes from terms, matrices over `over`"
    ROOT = "name[axes] = where the statements inside, which compute a step of Newton's method from it, find none"
    LAYER = "name[axes] = one entry with `start` for the first of `over`, or as many from there as the second runs over"
    SCATTER = "name[axes] = parts added up, or the largest of them, where deltas of expressions move them"


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop over steps.

    Attributes:
        symbol: the number of the step, in slots and brackets of the statements inside.
        extent: how many steps there are.
        direction: 1 where steps go up, -1 where they go down.
        arrays: the tensors that are computed inside: name, axes, and which of them is the step.
        totals: the tensors that each step adds something to: name and axes.
        retraced: the tensors of the loop through whose steps it goes back.
    """

    symbol: sp.Symbol
    extent: sp.Expr
    direction: int
    arrays: tuple[tuple[str, tuple[Index, ...], int], ...]
    totals: tuple[tuple[str, tuple[Index, ...]], ...] = ()
    retraced: tuple[str, ...] = ()

    @property
    def range(self) -> tuple[Slot, ...]:
        """What is never negative: the number of the step, and how far it is from the last."""
        return place(self.symbol), place(self.extent - 1 - self.symbol)

    def axis_of(self, name: str) -> int | None:
        """Which axis of a tensor is the step; nothing if the loop doesn't compute its steps."""
        return next((axis for own, _, axis in self.arrays if own == name), None)


@dataclass(frozen=True, slots=True)
class Statement:
    """One assignment.

    Attributes:
        name: the tensor that is assigned.
        axes: its slots.
        terms: the value.
        kind: what is done with the terms.
        over: for a maximum or minimum, the indices it is taken over; for a system, those of its equations, and for an
            inverse or a function of a matrix the row and the column.
        guards: for hidden entries, the deltas, brackets and weights that must not be zero; for a maximum, the delta
            that says at which entry a value is compared.
        note: a comment, if the equation itself is not enough.
        may_overflow: whether infinity is a right answer here, about which NumPy need not warn.
        loop: the loop that this is a part of, one step of it.
        conditions: for a part of a loop, the brackets on the step under which it is done at all.
        adds: for a part of a loop, whether it is added to what stands there.
        inside: for a root, the statements that compute a residual from a value of it, and the step, which comes last.
        residual: for a root, the tensor that is zero at it.
        start: for a part of a solution or a layer, the place of its first entry.
        word: for a function of a matrix, what the language calls it; for moved parts "max" if the largest counts.
    """

    name: str
    axes: tuple[Index, ...]
    terms: Terms
    kind: Kind = Kind.ASSIGN
    over: tuple[Index, ...] = ()
    guards: tuple[Base, ...] = ()
    note: str = ""
    may_overflow: bool = False
    loop: Loop | None = None
    conditions: tuple[Delta | Iverson, ...] = ()
    adds: bool = False
    inside: tuple[Statement, ...] = ()
    residual: str = ""
    start: sp.Expr = sp.S.Zero
    word: str = ""

    @property
    def moves(self) -> bool:
        """Whether entries change their places, between arrays that are there as a whole."""
        return self.kind in (Kind.GATHER, Kind.NEAREST, Kind.SCATTER, Kind.LAYER)

    @property
    def is_whole(self) -> bool:
        """Whether what it reads and makes is there as a whole: entries change their places, or a system is solved."""
        return self.moves or self.kind in (Kind.SOLVE, Kind.JOINT, Kind.PART, Kind.ROOT, Kind.MATRIX)

    @property
    def masks(self) -> tuple[Delta | Iverson, ...]:
        """The guards that are deltas and brackets."""
        return tuple(guard for guard in self.guards if isinstance(guard, Delta | Iverson))

    @property
    def weights(self) -> tuple[Base, ...]:
        """The guards that are factors like any other."""
        return tuple(guard for guard in self.guards if not isinstance(guard, Delta | Iverson))

    @property
    def content(self) -> Terms:
        """The terms, and the product of the guards."""
        return (*self.terms, Term(sp.S.One, tuple((guard, sp.S.One) for guard in self.guards)))

    @property
    def reads(self) -> tuple[str, ...]:
        """The tensors that are read."""
        own = {self.name, *(statement.name for statement in self.inside)}
        inside = (name for statement in self.inside for name in statement.reads if name not in own)
        return tuple(dict.fromkeys((*tensors_of(self.content), *inside)))

    def reading(self, names: Mapping[str, str]) -> Statement:
        """The statement with other names for some of the tensors that it reads."""
        guards = tuple(with_tensors_in(guard, names) for guard in self.guards)
        # What is computed inside is meant there, whatever stands outside under its name.
        own = {statement.name for statement in self.inside}
        outer = {name: other for name, other in names.items() if name not in own}
        inside = tuple(statement.reading(outer) for statement in self.inside)
        return replace(self, terms=with_tensors(self.terms, names), guards=guards, inside=inside)
